"""How many RED of an SM may wait when it is done, with and without stores behind them, on an H100.

data/red_rooms.csv: kernels of data/red_ends.cu under the profiler, two launches each; `mean_active_cycles` is that of
the SMs with a block. The room is 335 flits: 67 RED of a line. A line that is stored behind them takes two.
"""

from __future__ import annotations

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of

PLAIN, STORES = "0", "3"  # what follows the RED of a warp: nothing, or eight lines of its own
CHIP = {
    (row["kind"], int(row["times"]), int(row["warps"]), int(row["blocks"])): {
        name: float(row[name]) for name in ("active_cycles", "mean_active_cycles", "nanoseconds")
    }
    for row in cases_of("red_rooms")
}


def left(kind, times, warps):
    """Return how many RED of an SM were not executed when the mean one of 132 was done."""
    chip = CHIP[kind, times, warps, 132]
    return times * warps * (1 - chip["mean_active_cycles"] / (1.98 * (chip["nanoseconds"] - 1500)))


def cycles(kind, times, warps):
    return simtc.launch(
        code_of("red_ends")[f"red_ends_{kind}"], 132, 32 * warps,
        [np.zeros(1 << 16, np.uint8), np.zeros(1 << 22, np.uint8), np.uint32(times)],
        device="h100_sxm", timing=True, caches="warm",
    ).cycles  # fmt: skip


def test_every_case_was_measured():
    assert len(CHIP) == 216


def test_some_67_red_may_wait_whatever_the_warps():
    assert all(CHIP[PLAIN, 64 // warps, warps, 132]["active_cycles"] < 830 for warps in (1, 2, 4, 8, 16)), (
        "64 of them leave at once"
    )
    waiting = [left(PLAIN, red // warps, warps) for red in (96, 128) for warps in (1, 2, 4, 8, 16)]
    assert all(63 < number < 72 for number in waiting)


def test_stores_behind_them_take_room():
    """128 lines as much as 50 RED do, 64 as 33, 32 as 8: two flits each of 335, within a fifth of that."""
    for warps in (4, 8, 16):
        lines = 8 * warps
        waiting = [left(STORES, red // warps, warps) for red in (96, 128)]
        assert np.mean(waiting) == pytest.approx((335 - 2 * lines) / 5, abs=13)


@pytest.mark.parametrize(("kind", "red"), [(PLAIN, 32), (PLAIN, 64), (PLAIN, 128), (PLAIN, 256), (STORES, 128)])
def test_sms_are_done_when_the_rest_has_room(kind, red):
    """Between the mean SM and the last one, which waits longer on the chip than here: others get their turns first."""
    for warps in (4, 8):
        chip = CHIP[kind, red // warps, warps, 132]
        assert 0.97 * chip["mean_active_cycles"] < cycles(kind, red // warps, warps) < 1.03 * chip["active_cycles"]


def test_few_stores_behind_few_red_are_done_too_soon_here():
    """32 RED and 64 lines are 288 flits here, of 335: the mean SM of the chip still waits for four of the RED."""
    chip = CHIP[STORES, 4, 8, 132]
    assert cycles(STORES, 4, 8) < 0.3 * chip["mean_active_cycles"]
