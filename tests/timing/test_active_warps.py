"""Which warps of a sub-core go on, on an H200 (data/active_warps.{csv,cu}), and here.

On the chip those that have issued since their barrier go on by turns, before those that have not: these get in where
none of the others can issue, or behind an instruction that asks for another warp. Here all take turns. Until the clock
knows that, its warps end at other times than the chip's, though the last one ends when it does there.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of, side_by_side

ROWS, CODE = cases_of("active_warps"), code_of("active_warps")
SUB_CORES, FOURS = 4, 16
SLOTS = 5 * FOURS  # instructions of a warp between its first clock and its last one


def ends_of(kernel, warps):
    """Return when the warps of the first sub-core end on the chip, sorted."""
    return next(sorted(ends(row)) for row in ROWS if (row["kernel"], int(row["warps"])) == (kernel, SUB_CORES * warps))


def ends(row):
    return [int(one) for one in row["ends"].split()]


def simulated(number):
    row = ROWS[number]
    warps = int(row["warps"])
    out = np.zeros((warps, FOURS + 1), np.uint32)
    args = [out, np.zeros(1024, np.uint8), np.int32(0), np.int32(0)]
    simtc.launch(CODE[row["kernel"]], 1, 32 * warps, args, device="h200", timing=True, caches="warm", shared_bytes=1024)
    clocks = out.astype(int) - int(out.min())
    return clocks[::SUB_CORES, -1].tolist()


@cache
def all_simulated():
    return side_by_side(simulated, len(ROWS))


def test_one_after_another_without_a_stall():
    """The last of the block first, if there are more than two."""
    for warps in range(1, 9):
        assert np.diff(ends_of("fours_1", warps)) == pytest.approx(SLOTS, abs=16)
    for row in ROWS:
        if row["kernel"] == "fours_1" and int(row["warps"]) > 2 * SUB_CORES:
            assert ends(row) == sorted(ends(row), reverse=True)


@pytest.mark.parametrize("stall", [2, 3, 7])
def test_four_go_on_until_they_end_and_then_the_others(stall):
    for warps in (6, 7, 8):
        found = ends_of(f"fours_{stall}", warps)
        assert max(found[:4]) < 1.05 * 4 * SLOTS + 10
        assert min(found[4:]) > 1.4 * 4 * SLOTS


def test_all_take_turns_where_an_instruction_asks_for_another_warp():
    for stall in (1, 2, 5, 9):
        found = ends_of(f"fours_{stall}y", 8)
        assert found[0] > 0.77 * found[-1]


def test_how_far_off_the_clock_is():
    """The last end is right; the first one is not, but where all take turns on the chip."""
    both = [(sorted(ends(row)), sorted(one)) for row, one in zip(ROWS, all_simulated(), strict=True)]
    last = [mine[-1] / theirs[-1] - 1 for theirs, mine in both]
    first = [mine[0] / theirs[0] - 1 for theirs, mine in both]
    assert mean(map(abs, last)) < 0.035
    assert mean(map(abs, first)) < 0.2
