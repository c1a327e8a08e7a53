"""When an SM is done that stores, or adds, and ends, on an H200 (data/ends.csv, median of three launches of each).

Nsight Compute counted `sm__cycles_active.max`, one pass, caches and clock left alone. An SM is active until what is
left of its stores fits on its way out: one SM's tell so. What is known to be wrong here has a limit that says how far
off it is: of 132 SMs every short kernel is 60 to 110 cycles too long, half sectors of all of them wait too long for
L2, and a line of each of their RED takes the way up longer.
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
KINDS = ("four whole lines", "every other half sector", "a line", "RED: a line", "RED: eight words", "RED: one word")
FURTHEST = {  # mean error, of one SM and of all
    "four whole lines": (0.075, 0.065), "every other half sector": (0.045, 0.18), "a line": (0.025, 0.085),
    "RED: a line": (0.07, 0.19), "RED: eight words": (0.135, 0.11), "RED: one word": (0.055, 0.3),
}  # fmt: skip


@cache
def errors(kind, blocks):
    """Return how far off the launches of a kind are, by their stores, or RED, of an SM."""
    kernels, found, number = simtc.load(DATA / "ends.sass"), [], str(KINDS.index(kind) + 1)
    with (DATA / "ends.csv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows):
            times, warps = int(row["times"]), int(row["warps"])
            if (row["kind"], row["blocks"]) == (number, str(blocks)):
                run = simtc.launch(
                    kernels[f"ends_{number}_{times}"], blocks, 32 * warps,
                    [np.zeros(1024 * blocks * warps * times, np.uint8)],
                    device="h200", timing=True, caches="warm",
                )  # fmt: skip
                found.append((times * warps, run.cycles / int(row["active_cycles"]) - 1))
    assert len(found) == 20
    return found


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sms", [1, 132])
def test_an_sm_is_done_when_the_chips_is(kind, sms):
    assert mean(abs(error) for _, error in errors(kind, sms)) < FURTHEST[kind][sms > 1]


@pytest.mark.parametrize(("kind", "most"), [("four whole lines", 0.055), ("every other half sector", 0.045)])
def test_one_sm_that_stores_much_is_active_until_the_rest_fits_on_its_way_out(kind, most):
    much = [abs(error) for stores, error in errors(kind, 1) if stores >= 32]
    assert len(much) == 10
    assert max(much) < most


def test_red_of_all_sms_at_one_word_leave_the_sm_at_once_on_the_chip():
    """128 do. Of 256 of 32 warps the last ones wait on the chip, and not here."""
    found = [abs(error) for _, error in errors("RED: one word", 132)]
    assert sum(error < 0.18 for error in found) == 19
    assert 0.7 < max(found) < 0.85
