"""L2 under load from many SMs: what its slices count, and what it keeps."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simtc.arch import device
from simtc.arch.altered import altered
from simtc.resources import folder
from simtc.validate.campaigns.microbench import MicroCase

H200 = device("h200")


@pytest.fixture
def pieces():
    assert (folder("validate") / "microbench" / "pieces.cu").exists()
    return MicroCase(
        kernel_name="load_pieces_x8", source="pieces.cu", sm=90, board=H200, grid=132, block=512,
        args=(16, 64, 4096, 0), data_bytes=17301504, shared_bytes=0, caches="warm", repeats=1,
    )  # fmt: skip


@pytest.fixture
def after():
    return MicroCase(
        kernel_name="after_load_plain", source="dram.cu", sm=90, board=H200, grid=1, block=32,
        args=(32, 0, 64), data_bytes=32768, shared_bytes=0, caches="cold", repeats=1,
    )  # fmt: skip


def cycles(case, board=H200):
    return case.predict_on(board).values["cycles"]


def test_a_sector_alone_costs_a_slice_nearly_as_much_as_two(pieces):
    """On the chip 3,948 and 2,985 cycles: the same bytes in twice as many requests."""
    alone = replace(pieces, args=(16, 32, 4096, 0))
    assert 1.2 < cycles(alone) / cycles(pieces) < 1.8


def test_what_is_stored_takes_the_place_of_what_is_loaded_in_both_halves(pieces):
    """17 MB that are loaded and stored again no longer fit into 18."""
    scaled = replace(pieces, kernel_name="scale_pieces_x8", args=(32, 128, 4096, 0))
    small = altered(H200, "l2_kept_bytes", 17 << 20)
    assert cycles(scaled, small) > 1.005 * cycles(scaled, altered(small, "l2_halves", 1))
    assert cycles(scaled, H200) == pytest.approx(cycles(scaled, altered(H200, "l2_halves", 1)))


def test_a_miss_brings_64_bytes_and_with_a_hint_its_line(after):
    """On the chip 314 cycles for a word that is in L2 already, 690 for one that is not."""
    other_half = cycles(replace(after, args=(32, 0, 32)))
    assert cycles(after) > 2 * other_half
    for kernel in ("after_load_128", "after_copy_128"):
        hinted = replace(after, kernel_name=kernel)
        assert cycles(hinted) == pytest.approx(other_half, rel=0.001)
        assert cycles(replace(hinted, args=(32, 64, 0))) == pytest.approx(other_half, rel=0.001)
        assert cycles(replace(hinted, args=(32, 0, 128))) > 2 * other_half
    assert cycles(replace(after, kernel_name="after_load_64")) == cycles(after)
