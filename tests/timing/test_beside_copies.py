"""What warps read with LDS, or exchange, beside copies past L1, by how many copies there are (data/beside_copies.csv).

336 kinds of loops on one SM of an H200, in which each of four, eight or 16 warps asks for none to eight copies of 512
bytes a step. No constant is from here, but they were in view. Loops without copies are right. Until 2026-11-30 SHFL
and LDS passed copies that wait at the tags, and came too soon: 5.9 % off in the mean, 4.6 now. LDS in eight passes
beside copies of 32 pieces still come too late. Until 2026-12-01, when warps left barriers one by one, the means of four
kinds were 1.3 to 2.4 points lower.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of, side_by_side

CASES, CODE = cases_of("beside_copies"), code_of("beside_copies")
STEPS, ROOM = 24, 200 << 10  # and bytes of shared memory


def step_cycles(number):
    """Return how long a step takes, from the first warp's beginning to the last one's end."""
    case = CASES[number]
    warps, row, stride, pitch, ways = (int(case[key]) for key in ("warps", "row", "stride", "pitch", "ways"))
    copied = warps * 512 // row * int(case["kernel"].split("_")[1]) * stride
    out, data = np.zeros(256, np.uint32), np.zeros(copied * (STEPS + 4) + 4096, np.uint8)
    numbers = (np.int32(value) for value in (row, stride, pitch, ways, STEPS))
    simtc.launch(CODE[case["kernel"]], 1, 32 * warps, [out, data, *numbers], device="h200", timing=True, caches="warm",
                 shared_bytes=ROOM)  # fmt: skip
    begun, ended = out[: 2 * warps].reshape(warps, 2).astype(np.int64).T
    return float(ended.max() - begun.min()) / STEPS


@cache
def all_off():
    """Return how far off each case is."""
    found = side_by_side(step_cycles, len(CASES))
    return [cycles / float(case["cycles"]) - 1 for cycles, case in zip(found, CASES, strict=True)]


def off(kind, ways, chosen):
    """Return how far off the cases of a kind are of which a number of copies is chosen."""
    return [
        error
        for error, case in zip(all_off(), CASES, strict=True)
        if case["kernel"].split("_")[0] == kind and case["ways"] == ways and chosen(int(case["kernel"].split("_")[1]))
    ]


@pytest.mark.parametrize(
    ("kind", "ways", "cases", "most", "bias"),
    [("none", "1", 53, 0.045, -0.03), ("lds4", "1", 53, 0.06, -0.03), ("lds4", "2", 53, 0.055, -0.015),
     ("lds4", "8", 53, 0.045, 0.03), ("lds16", "1", 53, 0.05, 0.01), ("shfl", "1", 53, 0.055, -0.03)],
)  # fmt: skip
def test_beside_copies(kind, ways, cases, most, bias):
    found = off(kind, ways, lambda copies: copies > 0)
    assert len(found) == cases
    assert mean(map(abs, found)) < most
    assert mean(found) == pytest.approx(bias, abs=0.01)


@pytest.mark.parametrize(("kind", "ways"), [("none", "1"), ("lds4", "1"), ("lds4", "2"), ("lds4", "8"), ("lds16", "1"),
                                            ("shfl", "1")])  # fmt: skip
def test_without_copies(kind, ways):
    found = off(kind, ways, lambda copies: copies == 0)
    assert len(found) == 3
    assert max(map(abs, found)) < (0.09 if kind == "none" else 0.06)  # a step without anything takes 55 cycles


def test_every_case_was_measured():
    assert len(CASES) == 336
