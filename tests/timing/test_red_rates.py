"""How long L2 takes for RED that many SMs send to the same words, and when these SMs are done, on an H200.

data/red_rates.csv: 12 kernels, 1 to 8 warps and 1 to 132 SMs that add 1 to 64 times each, until each warp's own have
been executed (in-kernel clocks, median of five launches). data/red_ends.csv: SMs that add to one line and then store
(Nsight Compute, one pass, median of three launches). Limits say how far off the clock is.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import simtc

DATA = Path(__file__).parent / "data"
ANSWER = 290  # cycles that a load takes which waits for nothing
NOTHING, OWN_LINE, SAME_SLICE, EIGHT_LINES = "0", "1", "2", "3"  # what is stored in the end


@cache
def slowest():
    """Return the cycles of the slowest warp by kernel, warps, times and blocks."""
    with (DATA / "red_rates.csv").open(encoding="utf-8") as rows:
        return {
            (row["kernel"], int(row["warps"]), int(row["times"]), int(row["blocks"])): int(row["worst"])
            for row in csv.DictReader(rows)
        }


def each(kernel, warps, times, blocks):
    """Return the cycles that L2 takes for a RED of a warp, if it is never idle."""
    return (slowest()[kernel, warps, times, blocks] - ANSWER) / (warps * times * blocks)


@cache
def done():
    """Return sm__cycles_active.max and gpu__time_duration by what is stored, times, warps and blocks."""
    with (DATA / "red_ends.csv").open(encoding="utf-8") as rows:
        return {
            (row["kind"], int(row["times"]), int(row["warps"]), int(row["blocks"])): (
                int(row["active_cycles"]), int(row["nanoseconds"])
            ) for row in csv.DictReader(rows)
        }  # fmt: skip


def test_every_case_was_measured():
    assert len(slowest()) == 12 * 3 * 4 * 6
    assert len(done()) == 4 * 4 * 2 * 3


@pytest.mark.parametrize(
    ("kernel", "one_half", "both"),
    [("at_0", 5.9, 4.8), ("spread_32", 5.9, 4.85), ("at_1", 8.2, 7.15), ("at_4", 8.2, 7.15), ("spread_8", 9.35, 4.75)],
)
def test_what_a_red_takes(kernel, one_half, both):
    """SMs of one half of L2 alone, as these eight are, take longer for whole sectors; a row that begins in one more."""
    assert each(kernel, 8, 64, 8) == pytest.approx(one_half, rel=0.02)
    assert each(kernel, 8, 64, 132) == pytest.approx(both, rel=0.02)


def test_of_20_sms_13_are_near_one_half():
    """So many of them take as long as 13 of eight that are near one half do: first pairs, GPCs 0, 4, 5 and 6."""
    assert 20 * each("spread_8", 8, 64, 20) / each("spread_8", 8, 64, 8) == pytest.approx(13, abs=0.2)


def test_a_kib_has_two_units_and_256_bytes_one():
    assert each("spread_256", 8, 64, 132) == pytest.approx(each("spread_64", 8, 64, 132) / 2, rel=0.03)


def test_an_sm_is_done_while_its_stores_wait_for_red():
    """A store to the slice that all add to leaves the SM: it ends no later, and the launch lasts 10 times as long."""
    for times in (4, 16, 64):
        cycles, nanoseconds = done()[SAME_SLICE, times, 1, 132]
        assert cycles <= done()[NOTHING, times, 1, 132][0]
        assert nanoseconds > 0.95 * done()[NOTHING, times, 1, 132][1]
        assert done()[OWN_LINE, times, 1, 132][0] < done()[NOTHING, times, 1, 132][0] + 40
    assert done()[SAME_SLICE, 64, 1, 132][1] > 10 * done()[SAME_SLICE, 0, 1, 132][1]
    assert done()[EIGHT_LINES, 4, 8, 132][0] > 10 * done()[SAME_SLICE, 4, 8, 132][0]  # more than may wait outside it


def test_red_of_many_sms_are_too_quick_here():
    found = []
    for kernel in ("spread_32", "spread_64", "spread_256", "at_1"):
        for blocks in (20, 132):
            out = np.zeros(2 * blocks, np.uint32)
            simtc.launch(
                simtc.load(DATA / "red_rates.sass")[f"red_rates_{kernel}"], blocks, 32,
                [np.zeros(1 << 16, np.uint8), out, np.uint32(16)], device="h200", timing=True, caches="warm",
            )  # fmt: skip
            found.append(int(out[1::2].max()) / slowest()[kernel, 1, 16, blocks] - 1)
    assert all(-0.16 < error < -0.03 for error in found)


@pytest.mark.parametrize("kind", [NOTHING, OWN_LINE, SAME_SLICE, EIGHT_LINES])
def test_sms_are_done_while_their_red_wait(kind):
    """64 RED of a line of each SM leave it at once.

    The launch lasts until all are executed, here and on the chip, whose time includes what starting it takes.
    """
    kernel = simtc.load(DATA / "red_ends.sass")[f"red_ends_{kind}"]
    for times, least, most in ((4, 0.92, 1.03), (16, 0.92, 1.03), (64, 0.92, 1.03)):
        run = simtc.launch(
            kernel, 132, 32, [np.zeros(1 << 16, np.uint8), np.zeros(1 << 22, np.uint8), np.uint32(times)],
            device="h200", timing=True, caches="warm",
        )  # fmt: skip
        cycles, nanoseconds = done()[kind, times, 1, 132]
        assert least < run.cycles / cycles < most
        assert -0.2e-6 < 1e-9 * nanoseconds - run.timing.seconds < 3.3e-6
