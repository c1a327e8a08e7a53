"""When SMs are done that add to one line and then store lines of their own, on an H200 (data/drains.csv, drains.cu).

Where RED and stores together have no room on their way, an SM is active until most of the RED are executed. Here more
of them have room: what is known to be wrong has limits that say how far off it is.
"""

from __future__ import annotations

from statistics import mean

import numpy as np

import simtc
from tests.timing.measured import cases_of, code_of

CASES = [{name: float(value) for name, value in case.items()} for case in cases_of("drains")]
SAMPLE = 7  # one in so many launches is simulated
SOON = 1200  # cycles: a launch whose SMs wait for no RED


def active(reds, stores, *, whole=1, blocks=132, spread=32):
    """Return the cycles of the launches with so many RED and stores an SM."""
    return [
        case["active_cycles"] for case in CASES
        if (case["whole"], case["blocks"], case["spread"]) == (whole, blocks, spread)
        and (case["reds"] * case["warps"], case["stores"] * case["warps"]) == (reds, stores)
    ]  # fmt: skip


def test_every_case_was_measured():
    assert len(CASES) == 364


def test_on_the_chip_two_lines_that_are_stored_take_as_much_room_as_one_red():
    """RED of whole lines and stores of whole lines, an SM, of 132: with more of either, SMs wait for RED."""
    for reds, stores in ((48, 32), (32, 48), (24, 64), (16, 64), (8, 64)):
        assert max(active(reds, stores)) < 1100
    for reds, stores in ((48, 48), (32, 64), (16, 96), (16, 128)):
        assert min(active(reds, stores)) > 5000


def test_sectors_take_less():
    assert max(active(32, 96, whole=0)) < 1200
    assert min(active(32, 128, whole=0)) > 5000


def simulated(case):
    """Return the cycles of a launch."""
    arguments = [np.zeros(1 << 16, np.uint8), np.zeros(20 << 20, np.uint8)]
    run = simtc.launch(
        code_of("drains")[f"drains_{case['whole']:.0f}"], int(case["blocks"]), 32 * int(case["warps"]),
        [*arguments, *(np.int32(case[name]) for name in ("reds", "stores", "spread"))],
        device="h200", timing=True, caches="warm", threads=1,
    )  # fmt: skip
    return run.cycles


def test_here_more_of_them_have_room():
    soon, late = [], []
    for case in CASES[::SAMPLE]:
        (soon if case["active_cycles"] < SOON else late).append(simulated(case) / case["active_cycles"] - 1)
    assert (len(soon), len(late)) == (37, 15)
    assert mean(map(abs, soon)) < 0.08
    assert max(map(abs, soon)) < 0.25
    assert -0.55 < mean(late) < -0.4  # half as long as on the chip
