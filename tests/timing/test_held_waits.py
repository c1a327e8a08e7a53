"""What a warp waits for LDGSTS of lines that L1 holds, right behind a barrier, on an H200 (data/held_waits.{csv,cu}).

The tags take the copies of all warps one after another, and their groups behind these, each of which comes three
cycles after the one before. What an LDGDEPBAR takes behind such copies (clock.lsu) was chosen with these in view. Until
2026-12-01 a copy that L1 held was there before the tags had begun with it: 16 warps waited 10 to 26 % less than on the
chip. Without the three LDS of no lane that the compiler puts in front, which cost 16 warps a cycle each there, waits of
16 warps are 2 to 7 % off (seen once, not kept).
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import code_of, numbers_of, side_by_side

ROWS, CODE = numbers_of("held_waits"), code_of("held_waits")


def shape(row):
    """Return the bytes of a lane and the copies of a group."""
    return tuple(map(int, row["kernel"].split("_")[1:]))


def off(number):
    """Return how far off the mean wait is, and the cycles from the first beginning to the last end."""
    row = ROWS[number]
    warps, (width, copies) = row["warps"], shape(row)
    out = np.zeros((warps, 4), np.uint32)
    simtc.launch(
        CODE[row["kernel"]], 1, 32 * warps, [out, np.zeros(1 << 21, np.uint8), np.int32(row["apart"]), np.int32(0)],
        device="h200", timing=True, caches="warm", shared_bytes=max(32 * warps * copies * width, 1024),
    )  # fmt: skip
    begun, _, there, added = out.astype(int).T
    return float(added.mean() / row["waits"] - 1), float((there.max() - begun.min()) / row["span"] - 1)


@cache
def all_off():
    return side_by_side(off, len(ROWS))


def is_held(row):
    """Tell whether L1 holds all lines: not those of eight copies of 16 bytes a lane, if eight warps have their own."""
    return shape(row) != (16, 8) or row["apart"] == 0 or row["warps"] < 8


@pytest.mark.parametrize(("warps", "wait", "span", "worst"), [
    ((1, 2), 0.042, 0.06, 0.12), ((4, 8), 0.062, 0.095, 0.16), ((12, 16), 0.07, 0.067, 0.15),
])  # fmt: skip
def test_copies_wait_for_the_tags(warps, wait, span, worst):
    found = [both for row, both in zip(ROWS, all_off(), strict=True) if row["warps"] in warps and is_held(row)]
    assert len(found) == {1: 60, 4: 93, 12: 90}[warps[0]]
    assert mean(abs(one) for one, _ in found) < wait
    assert mean(abs(one) for _, one in found) < span
    assert max(max(map(abs, both)) for both in found) < worst


def test_copies_that_l1_does_not_hold():
    found = [both for row, both in zip(ROWS, all_off(), strict=True) if not is_held(row)]
    assert len(found) == 9
    assert max(max(map(abs, both)) for both in found) < 0.62
