"""L2 under load from many SMs: what its slices count, and what it keeps."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simtc import launch, load
from simtc.arch import device
from simtc.arch.altered import altered
from simtc.resources import folder
from simtc.timing.setup import once_bytes
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


@pytest.fixture
def strided():
    return MicroCase(
        kernel_name="stride_load_4", source="strides.cu", sm=90, board=H200, grid=1, block=128,
        args=(96, 4, 1024, 1 << 19, 1 << 27, 0), data_bytes=64 << 20, shared_bytes=0, caches="warm", repeats=1,
    )  # fmt: skip


def sectors_of_the_same_rows(blocks):
    kernel = load(folder("validate") / "microbench" / "listings" / "sm_90" / "stages.sass")["stage_copies"]
    args = [np.zeros((blocks, 4, 2), np.uint32), np.zeros(1 << 16, np.uint8)]
    args += [np.int32(x) for x in (8, 128, 128, 128, 8192, 32768, 0, 4)]
    return launch(
        kernel, blocks, 128, args, device="h200", timing=True, shared_bytes=65536, caches="warm"
    ).timing.counters["l2_sectors"]


def test_a_gpc_coalesces_four_requests_of_its_sms():
    """The first eight SMs are of one GPC, a ninth one not; on the chip 4 ask L2 twice as often as one, 8 3.1 times.

    Here a sixth of what two ask for meets too late, since sub-cores take turns: as many as meet on the chip did before.
    """
    one = sectors_of_the_same_rows(1)
    assert [sectors_of_the_same_rows(blocks) / one for blocks in (2, 4)] == pytest.approx([1, 2], rel=0.2)
    assert 3 <= sectors_of_the_same_rows(8) / one < 4.5  # they do not begin together
    assert sectors_of_the_same_rows(9) - sectors_of_the_same_rows(8) == pytest.approx(one, rel=0.25)
    assert 33 <= sectors_of_the_same_rows(132) / one < 66  # on the chip 34 to 50: more meet there


@pytest.mark.parametrize(("board", "share", "measured"), [("h200", 1, 30099), ("h200", 2, 18831), ("h200", 8, 16845),
                                                         ("h100_sxm", 1, 35178), ("h100_sxm", 2, 21223)])  # fmt: skip
def test_a_gpc_gets_more_of_what_its_sms_share(board, share, measured):
    """Whole lines past L1 to all SMs, each for one, two or eight blocks side by side: 144 to 257 sectors a cycle."""
    case = MicroCase(
        kernel_name="requests_16", source="requests.cu", sm=90, board=device(board), grid=132, block=512,
        args=(32, 128, 0, 128, 131072, share), data_bytes=17825792, shared_bytes=0, caches="warm", repeats=1,
    )  # fmt: skip
    assert cycles(case, device(board)) == pytest.approx(measured, rel=0.14)  # 0.08 until warps left barriers together


def cycles(case, board=H200):
    return case.predict_on(board).values["cycles"]


def test_a_sector_alone_costs_a_slice_nearly_as_much_as_two(pieces):
    """On the chip 3,948 and 2,985 cycles: the same bytes in twice as many requests."""
    alone = replace(pieces, args=(16, 32, 4096, 0))
    assert 1.15 < cycles(alone) / cycles(pieces) < 1.8


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


def stream(kernel_name, *args, grid=132, block=1024, caches="cold"):
    return MicroCase(
        kernel_name=kernel_name, source="streams.cu", sm=90, board=H200, grid=grid, block=block,
        args=args, data_bytes=138412032, shared_bytes=0, caches=caches, repeats=1,
    )  # fmt: skip


def test_stores_wait_for_dram_once_l2_is_full():
    """69 MB of whole lines to a DRAM of an eighth of the bandwidth: what L2 has no line for must have gone there."""
    case = stream("stream_stores", 32, 16, 512, 16384)
    slow = altered(H200, "dram_measured_gb_per_s", H200.dram_measured_gb_per_s / 8)
    rate = 1e3 * slow.dram_measured_gb_per_s / slow.clock_mhz
    assert cycles(case, slow) == pytest.approx((132 * 32 * 16384 - once_bytes(H200)) / rate, rel=0.135)
    assert cycles(case, altered(slow, "l2_kept_bytes", 1 << 27)) < 0.5 * cycles(case, slow)


@pytest.mark.parametrize(("args", "measured"), [((4, 32), 17256), ((4, 16), 73381)])
def test_a_line_stored_to_in_part_costs_dram_more_than_its_part(args, measured):
    """A sector of each line, and half a sector of each, which DRAM must read before: 69 and 138 MB of lines."""
    case = MicroCase(
        kernel_name="stored_16", source="requests.cu", sm=90, board=H200, grid=132, block=512,
        args=(*args, 0, 128, 1048576, 1), data_bytes=138412032, shared_bytes=0, caches="warm", repeats=1,
    )  # fmt: skip
    assert cycles(case) == pytest.approx(measured, rel=0.15)
    assert cycles(case, altered(H200, "clock.l2_tags.line_bytes", 0)) < 0.8 * measured


def test_a_sector_stored_to_in_part_is_read_from_dram():
    """On the chip 7,238 cycles cold, 4,262 warm: a copy of a word of each sector, which fits into L2."""
    case = stream("copy_apart", 8, 32, 1024, 8192, 17301504, block=256)
    assert cycles(case) > 1.035 * cycles(case, altered(H200, "l2_fill_bytes", 0))  # 1.04 until 2026-11-30


def test_a_launch_larger_than_l2_finds_nothing_of_the_one_before():
    """On the chip 30,826 cycles behind one another, 30,816 from an L2 that holds something else."""
    case = stream("stream_loads", 32, 16, 512, 16384, 0)
    assert cycles(replace(case, caches="warm")) == pytest.approx(cycles(case), rel=0.03)


def test_stores_to_the_same_sector_do_not_merge_in_one_request():
    """On the chip 31,773 cycles: eight warps of an SM write a word each of the same sectors."""
    case = stream("store_apart", 16, 16384, 524288, 4, block=512, caches="warm")
    assert cycles(case) == pytest.approx(31773, rel=0.15)


@pytest.mark.parametrize(("lines", "pitch", "measured"), [(2, 128, 78621), (8, 512, 19927), (8, 4096, 10639)])
def test_atomics_on_256_bytes_share_a_unit_and_4_kib_have_eight(lines, pitch, measured):
    case = replace(
        stream("reduce_bins", 16, lines, pitch, block=256, caches="warm"), source="bins.cu", data_bytes=65536
    )
    assert cycles(case) == pytest.approx(measured, rel=0.1)


def test_a_warm_launch_finds_what_the_one_before_left(strided):
    """A line of each KiB of 48 MB: L2 holds all that is loaded, though not all that was allocated."""
    cold, warm = cycles(replace(strided, caches="cold")), cycles(strided)
    near = cycles(replace(strided, args=(96, 4, 128, 1 << 16, 1 << 27, 0)))  # 6 MB, line by line
    assert warm < 0.8 * cold
    assert warm < 1.3 * near
