"""What loads wait for behind RED of their own SM, on an H200 and an H100 (in-kernel clocks, median of five launches).

Each warp adds n times, then loads (data/red_loads.csv): 15 kernels, 1 and 8 warps, 1 to 132 SMs. The chip keeps few of
them in the SM. On its way each has a queue for each slice of L2, and in front of those one for each stack of memory
(data/red_ways.csv, data/red_ways_kinds.csv), so a load waits for what goes to its own slice; for what goes to its own
stack, where that is more than some 30 flits; and for all that its own warp has added, where that is more than some 100
(another warp's loads pass most of that). So they do here, but that beyond 95 flits all loads of their warp wait, of
which some pass on the chip: limits say how far off that is.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import APART

DATA = Path(__file__).parent / "data"
OWN_LINE, IN_L1, BESIDE = "1", "2", "3"  # what is loaded: a line of its own in L2, or in L1, or beside what all add to
SLOW = 700  # cycles that only a load that waits for RED takes
STACKS = {"h200": 6, "h100": 5}  # of memory
LINES = 32  # of 4 KiB, of which two pairs are of one unit


def rows(name):
    with (DATA / f"{name}.csv").open(encoding="utf-8") as lines:
        return list(csv.DictReader(lines))


@cache
def waits(board):
    """Return the mean cycles of the loads of a board by kind of RED, kind of load, times, warps and blocks."""
    return {
        (row["kind"], row["load"], int(row["times"]), int(row["warps"]), int(row["blocks"])): float(row["latency"])
        for row in rows("red_loads") if row["board"] == board
    }  # fmt: skip


@cache
def slow_pages(board):
    """Return which loads of a board waited, by page and line: (268, 32); each of 132 SMs has added 16 times."""
    cycles = [row["cycles"].split() for row in rows("red_ways") if row["board"] == board]
    return np.array(cycles, np.int64) > SLOW


@pytest.mark.parametrize("board", ["h200", "h100"])
def test_every_case_was_measured_on_both_boards(board):
    assert len(waits(board)) == 15 * 10 * 2 * 7
    assert slow_pages(board).shape == (268, LINES)


@pytest.mark.parametrize("board", ["h200", "h100"])
def test_the_lines_of_one_stack_wait(board):
    """Of the eight units that execute atomics on a page, 4 lines each, those of the hot line's stack: 1 in 6, or 5."""
    slow = slow_pages(board)
    line = np.arange(LINES)
    unit = (line >> 1 & 1) + 2 * (line >> 3 & 3)
    shares = np.stack([slow[:, unit == one].mean(axis=1) for one in range(8)])
    assert set(np.unique(shares)) == {0.0, 1.0}
    assert shares.mean() == pytest.approx(1 / STACKS[board], rel=0.04)


def test_with_few_red_outstanding_only_loads_of_the_same_slice_wait():
    """One in 42 of 4,356 loads behind 4 RED of a line (20 flits), one in 5.4 behind 16; five in six behind 32."""
    found = {(r["load"], r["same_warp"], r["times"]): int(r["slow"]) / int(r["loads"]) for r in rows("red_ways_kinds")}
    for load in ("strong", "weak", "LDGSTS"):
        assert found[load, "1", "0"] == 0
        assert found[load, "1", "4"] == pytest.approx(1 / 48, rel=0.2)
        assert found[load, "1", "16"] == pytest.approx(1 / 6, rel=0.12)
        assert found[load, "1", "32"] > 0.8


def test_loads_of_another_warp_pass_what_is_left_of_many_red():
    """Behind 32 RED of each of 20 SMs (160 flits), one in nine waits, of the same warp five in six."""
    found = {(r["load"], r["same_warp"], r["times"]): int(r["slow"]) / int(r["loads"]) for r in rows("red_ways_kinds")}
    for load in ("strong", "weak", "LDGSTS"):
        assert found[load, "0", "4"] == found[load, "1", "4"]
        assert 0.15 < found[load, "0", "16"] < 0.19
        assert 0.1 < found[load, "0", "32"] < 0.15


def test_weak_loads_and_copies_wait_as_strong_loads_do():
    found = {(r["load"], r["same_warp"], r["times"], r["adders"]): int(r["slow"]) for r in rows("red_ways_kinds")}
    for load in ("weak", "nc", "LDGSTS"):
        assert found[load, "1", "16", "132"] == found["strong", "1", "16", "132"]


@pytest.mark.parametrize("board", ["h200", "h100"])
def test_what_l1_holds_comes_at_once_behind_few_red(board):
    assert all(waits(board)["2", IN_L1, n, 1, sms] < 53 for n in (1, 8, 64) for sms in (1, 20, 132))


@cache
def errors(load, warps=1):
    """Return how far off loads behind RED at one line, and at eight words, of 8 to 132 SMs are here."""
    cases = ((4, 132), (16, 66), (32, 20), (64, 8)) if warps == 1 else ((2, 132), (4, 66), (8, 20), (16, 8))
    kernels, hot = simtc.load(DATA / "red_loads.sass"), np.zeros(1 << 16, np.uint8)
    found = []
    for kind in ("2", "4"):
        for times, blocks in cases:
            out = np.zeros(2 * warps * blocks, np.uint32)
            simtc.launch(
                kernels[f"red_loads_{kind}_{load}"], blocks, 32 * warps,
                [hot, np.zeros(65536 * warps * blocks, np.uint8), np.zeros(1 << 20, np.uint8), out, np.uint32(times)],
                device=APART, timing=True, caches="warm",
            )  # fmt: skip
            found.append(float(out[1::2].mean()) / waits("h200")[kind, load, times, warps, blocks] - 1)
    return found


def test_loads_behind_red_wait():
    """Worst behind 32 RED of a line of 20 SMs: 160 flits, for all of which they wait here, on the chip most do not."""
    assert mean(map(abs, errors(OWN_LINE))) < 0.43
    assert max(errors(OWN_LINE)) < 1.3
    assert mean(map(abs, errors(BESIDE))) < 0.17


def test_loads_of_eight_warps_wait_too_long():
    """As if 130 to 150 flits, not 95, left an SM where 66 SMs or fewer add: worst 4 RED of each warp of 66."""
    found = errors(OWN_LINE, 8)
    assert mean(map(abs, found)) < 0.33
    assert max(found) < 1.05


def test_as_many_loads_wait_as_on_the_chip():
    """A sixth of them do behind 16 RED of a line of each SM, and one in 42 behind four."""
    kernel, out = simtc.load(DATA / "red_ways.sass")["red_ways"], np.zeros(264, np.uint32)
    hot, data, shares = np.zeros(1 << 16, np.uint8), np.zeros(1 << 20, np.uint8), []
    for times in (4, 16):
        slow = []
        for first in range(1056, 1056 + 33 * 128, 3 * 128):
            numbers = map(np.uint32, (times, 132, first, 600))
            simtc.launch(kernel, 132, 32, [hot, data, out, *numbers], device="h200", timing=True, caches="warm")
            slow.append(np.mean(out[::2] > SLOW))
        shares.append(mean(slow))
    assert shares[0] == pytest.approx(1 / 47, rel=0.35)
    assert shares[1] == pytest.approx(8 / 47, rel=0.14)
