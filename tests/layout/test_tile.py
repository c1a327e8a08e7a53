"""Pitch, padding and swizzle: bijective where they should be, and the conflicts that they cost or save."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simtc.errors import BadInputError
from simtc.layout import Tile
from simtc.layout.tile import PATTERNS


@settings(deadline=None)  # a busy machine is no failure
@given(
    rows=st.integers(1, 64), chunks=st.sampled_from([1, 2, 4, 8, 16]), layout=st.sampled_from(["none", "pad", "xor"]),
    every=st.integers(1, 8), halves=st.integers(0, 16),
)  # fmt: skip
def test_no_two_elements_share_a_place(rows, chunks, layout, every, halves):
    tile = Tile(rows=rows, cols=8 * chunks, layout=layout, pad_every=every, pad_halves=halves)
    assert tile.overlaps == 0
    assert 2 * max(tile.offset(*place) for place in product(range(rows), range(8 * chunks))) < tile.shared_bytes


@settings(deadline=None)  # a busy machine is no failure
@given(rows=st.integers(1, 64), chunks=st.sampled_from([1, 2, 4, 8, 16]))
def test_a_swizzle_permutes_the_chunks_of_a_row(rows, chunks):
    tile = Tile(rows=rows, cols=8 * chunks, layout="xor")
    for row in range(rows):
        assert sorted(tile.offset(row, col) for col in range(tile.cols)) == list(
            range(row * tile.cols, (row + 1) * tile.cols)
        )


def test_the_formula_printed_in_the_paper_and_the_one_it_means():
    printed, meant = Tile(rows=256, cols=32, layout="paper"), Tile(rows=256, cols=32, layout="pad")
    places = [(row, col) for row in range(256) for col in range(32)]
    assert [printed.offset(*place) for place in places] == [row * 32 + row % 2 * 8 + col for row, col in places]
    assert [meant.offset(*place) for place in places] == [row * 32 + row // 2 * 8 + col for row, col in places]
    assert (printed.overlaps, meant.overlaps) == (1016, 0)
    assert 2 * meant.shared_bytes == 36 * 1024  # A and B: the 36 KB of the paper's Table VII
    assert 2 * printed.shared_bytes < 36 * 1024


def every_access(tile):
    for row in range(0, tile.rows - 31, 8):
        for width in (32, 64, 128):
            yield tile.store_rows(width, row=row)
            for col in range(0, tile.cols, 8):
                yield tile.load_rows(width, row=row, col=col)
        for col in range(0, tile.cols - 15, 8):
            for count in (1, 2, 4):
                yield tile.ldmatrix(count, row=row, col=col)


@pytest.mark.parametrize("layout", ["pad", "xor"])
def test_padded_and_swizzled_tiles_have_no_conflict_anywhere(layout):
    assert {access.excess for access in every_access(Tile(rows=256, cols=32, layout=layout))} == {0}


def test_the_unpadded_tile_stores_without_conflict_and_loads_four_to_a_bank():
    tile = Tile(rows=256, cols=32)
    for access in every_access(tile):
        assert access.wavefronts == access.ideal * (1 if access.store else 4)


@pytest.mark.parametrize("cols", [8, 16, 32, 64, 128])
def test_swizzle_of_every_width_frees_ldmatrix(cols):
    tile = Tile(rows=64, cols=cols, layout="xor")
    assert all(tile.ldmatrix(1, row=row, col=col).excess == 0 for row in range(0, 64, 8) for col in range(0, cols, 8))


def test_what_a_tile_cannot_do_is_none():
    accesses = Tile(rows=16, cols=4).accesses()
    assert tuple(accesses) == PATTERNS
    assert accesses["sts.128"] is None
    assert Tile(rows=256, cols=32, layout="pad", pad_halves=3).accesses()["ldsm.x4"] is None


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"layout": "padd"},
            "unknown shared-memory layout 'padd': known are none, pad, xor, paper; did you mean 'pad'",
        ),
        ({"rows": 0}, "0x32 has no elements"),
        ({"cols": 24, "layout": "xor"}, "8 times a power of two elements, not 24"),
        ({"pad_every": 0}, "after every 1 or more rows"),
    ],
)
def test_bad_input(arguments, words):
    with pytest.raises(BadInputError, match=words):
        Tile(**{"rows": 256, "cols": 32, **arguments})


def test_bad_accesses():
    tile = Tile(rows=256, cols=32)
    with pytest.raises(BadInputError, match=r"unknown access pattern 'lds\.256'"):
        tile.named("lds.256")
    with pytest.raises(BadInputError, match="reach outside the 256x32 tile"):
        tile.load_rows(32, row=250)
