"""Rows that DRAM answers and that the warps of an SM share, or not, on an H200 (data/cold_warps.csv), and here.

A step ends at a barrier. What several warps ask for while it comes from DRAM is sent to each of them when it has come,
one after the other: DRAM adds as much behind 16 warps that share their rows as behind one. Until 2026-11-30 all of it
came at once here, and 16 warps were 8 % too quick. Of rows of their own, 32 warps wait too long.
"""

from __future__ import annotations

from functools import cache
from statistics import mean, median

import numpy as np
import pytest

import simtc
from tests.timing.measured import code_of, numbers_of, side_by_side
from tests.timing.rows import places

EVERY = 4  # of the cases, one in so many is executed here
STEPS = 24
CASES, CODE = numbers_of("cold_warps"), code_of("cold_warps")


def timed(case, caches):
    """Return the cycles of all steps but the first four, in the mean of all blocks."""
    pieces, stages = map(int, case["kernel"].split("_")[1:])
    out = np.zeros(case["blocks"], np.uint32)
    size = 512 // case["row"] * case["stride"] * (pieces + 1) + case["next"] * (STEPS + 1)
    size += case["block"] * (case["blocks"] - 1) + case["own"] * case["warps"]
    numbers = (case[name] for name in ("row", "stride", "next", "own", "block"))
    simtc.launch(
        CODE[case["kernel"]], case["blocks"], 32 * case["warps"],
        [np.zeros(size, np.uint8), out, *map(np.int32, numbers), np.int32(STEPS)],
        device="h200", timing=True, caches=caches, threads=1, places=places(case, caches, size),
        shared_bytes=pieces * stages * case["warps"] * 512,
    )  # fmt: skip
    return float(out.mean())


def both(number):
    """Return the cycles of a case, cold and warm."""
    return tuple(timed(CASES[EVERY * number], caches) for caches in ("cold", "warm"))


@cache
def all_timed():
    return [
        (case, *cycles) for case, cycles in zip(CASES[::EVERY], side_by_side(both, len(CASES[::EVERY])), strict=True)
    ]


def test_every_case_was_measured():
    assert len(CASES) == 1608
    assert sum(case["own"] == 0 for case in CASES) == 600


def test_dram_adds_as_much_for_many_warps_that_share_rows():
    """On the chip; rows of 128 and 512 bytes, a step's next to those before, one copy a step."""
    for row in (128, 512):
        adds = {
            warps: median(
                case["read"] - case["none"]
                for case in CASES
                if (case["own"], case["kernel"], case["row"], case["warps"]) == (0, "cg_1_1", row, warps)
            )
            for warps in (1, 2, 4, 8, 16)
        }
        assert max(adds.values()) < 1.12 * min(adds.values())


@pytest.mark.parametrize(
    ("shares", "warps", "cold", "warm", "added"),
    [(True, 1, 0.052, 0.045, 0.95), (True, 2, 0.062, 0.03, 0.95), (True, 4, 0.055, 0.035, 0.95),
     (True, 8, 0.075, 0.06, 0.94), (True, 16, 0.075, 0.07, 0.9), (False, 1, 0.055, 0.055, 0.98),
     (False, 8, 0.065, 0.055, 1.04), (False, 32, 0.105, 0.07, 1.09)],  # until 2026-12-01 1.22; 0.05 and 0.06 first
)  # fmt: skip
def test_how_far_off_the_clock_is(shares, warps, cold, warm, added):
    found = [one for one in all_timed() if (one[0]["own"] == 0) == shares and one[0]["warps"] == warps]
    assert len(found) > 20
    assert mean(abs(here / case["read"] - 1) for case, here, _ in found) < cold
    assert mean(abs(here / case["none"] - 1) for case, _, here in found) < warm
    more = [(c - w) / (case["read"] - case["none"]) for case, c, w in found if case["read"] > 1.1 * case["none"]]
    assert median(more) == pytest.approx(added, abs=0.03)
