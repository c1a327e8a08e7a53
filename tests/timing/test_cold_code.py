"""Code that is in no cache, on an H200 whose profiler flushes all caches (data/cold_code.csv, median of five launches).

Three lines of 128 bytes come at a time, and the next three are asked for when the first of these is read: straight code
takes 18 cycles a line on one SM, 24 on the last of many. A jump beyond what was asked for waits 60 cycles, of many SMs
some 75. So a jump over 24 instructions costs 33 cycles in the mean, one over 64 costs 60. Not here: code beyond the
first 64 KiB, of which a jump costs some 300 cycles where L2 has it, and 550 to 950 where DRAM does.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

import simtc

DATA = Path(__file__).parent / "data"
STEPS, KEPT = 32, 16  # clocks of a warp; blocks whose first warp was looked at


@cache
def measured():
    """Return the cycles of a step, 0 of kernels without, and sm__cycles_active.max by kernel, blocks and warps."""
    with (DATA / "cold_code.csv").open(encoding="utf-8") as rows:
        return {
            (row["kernel"], int(row["blocks"]), int(row["warps"])): (
                float(row["step_cycles"] or 0), int(row["active_cycles"]),
            )
            for row in csv.DictReader(rows)
        }  # fmt: skip


@cache
def timed(kernel, blocks, warps):
    """Return what `measured` does, of the clock."""
    out = np.zeros(blocks * warps * STEPS, np.uint32)
    run = simtc.launch(
        simtc.load(DATA / "cold_code.sass")[kernel], blocks, 32 * warps, [out, np.float32(0), np.int32(0)],
        device="h200", timing=True, caches="cold", fidelity="full",
    )  # fmt: skip
    clocks = out.reshape(blocks, warps, STEPS)[:KEPT, 0].astype(np.int64)
    return float(np.diff(clocks).mean()), run.cycles


def test_every_case_was_measured():
    assert len(measured()) == 6 * 4 * 3


@pytest.mark.parametrize("kernel", ["straight_7", "jumps_24", "jumps_64"])
def test_one_warp_of_one_sm_waits_as_long_as_on_the_chip(kernel):
    assert timed(kernel, 1, 1)[0] == pytest.approx(measured()[kernel, 1, 1][0], rel=0.04)


@pytest.mark.parametrize(("kernel", "most"), [("straight_7", 0.11), ("jumps_24", 0.2), ("jumps_64", 0.17)])
def test_warps_of_many_sms(kernel, most):
    cases = [case for case in measured() if case[0] == kernel]
    errors = [timed(*case)[0] / measured()[case][0] - 1 for case in cases]
    assert len(errors) == 12
    assert max(map(abs, errors)) < most


@pytest.mark.parametrize(
    ("kernel", "most", "worst"), [("code_64", 0.2, 0.45), ("code_256", 0.045, 0.15), ("code_1024", 0.08, 0.27)]
)
def test_straight_code_without_clocks(kernel, most, worst):
    """Its first line comes after 150 to 260 cycles from one board to the next; here after 290."""
    cases = [case for case in measured() if case[0] == kernel]
    errors = [timed(*case)[1] / measured()[case][1] - 1 for case in cases]
    assert mean(map(abs, errors)) < most
    assert max(map(abs, errors)) < worst
