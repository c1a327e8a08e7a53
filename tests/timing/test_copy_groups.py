"""LDGSTS through L1 of lines that it holds, by how many a group has, on an H200 (data/copy_groups.csv), and here.

Of 16 warps a copy takes 2.6, 3.6, 5, 9.8 and 19 cycles on the chip whose lanes need one, two, four, eight and 16
passes, and a group three cycles and half a cycle for each pass. One warp's copies follow each other in twice their
passes; those of several warps pass beside each other.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of, side_by_side

CASES, CODE = cases_of("copy_groups"), code_of("copy_groups")
STAGES, ROUNDS, ALL = 3, 48, 32  # stages of a ring; copies of a warp; those of one group, which has none
EVERY = 3  # of the cases, one in so many is executed here


def kind(case):
    """Return the bytes of a lane and the copies of a group."""
    return tuple(map(int, case["kernel"].split("_")[1:]))


def per_copy(case, cycles):
    return cycles / (int(case["warps"]) * (ALL if kind(case)[1] == ALL else ROUNDS))


def timed(number):
    """Return the cycles of a case."""
    case = CASES[EVERY * number]
    (width, group), warps = kind(case), int(case["warps"])
    row, stride, pitch = (int(case[key]) for key in ("row", "stride", "pitch"))
    stages, rounds = (1, 1) if group == ALL else (STAGES, ROUNDS // group)
    out = np.zeros((32, 2), np.uint32)
    simtc.launch(
        CODE[case["kernel"]], 1, 32 * warps,
        [np.zeros(1 << 20, np.uint8), out, *map(np.int32, (row, stride, pitch, rounds))], device="h200", timing=True,
        caches="warm", shared_bytes=max(warps * stages * group * 32 * width // row * pitch, 1024),
    )  # fmt: skip
    begun, ended = out[:warps].astype(np.int64).T
    return float(ended.max() - begun.min())


@cache
def all_off():
    found = side_by_side(timed, len(CASES[::EVERY]))
    return [(case, cycles / int(case["cycles"]) - 1) for case, cycles in zip(CASES[::EVERY], found, strict=True)]


def measured(group, row, warps, width=4):
    """Return the chip's cycles of a copy of rows a KiB apart."""
    wanted = (f"hit_{width}_{group}", str(warps), str(row), "1024")
    return next(
        per_copy(case, int(case["cycles"]))
        for case in CASES
        if (case["kernel"], case["warps"], case["row"], case["stride"]) == wanted
    )


def test_every_case_was_measured():
    assert len(CASES) == 1014


def test_what_a_copy_and_a_group_take_on_the_chip():
    for row, copy, more in ((128, 2.6, 3), (64, 3.6, 3.6), (32, 5.0, 4.8), (16, 9.8, 5.8)):
        for group in (1, 2, 4, 8):
            assert measured(group, row, 16) == pytest.approx(copy + more / group, rel=0.09)


def test_copies_of_one_warp_follow_each_other_on_the_chip():
    for row, passes in ((32, 16), (16, 32)):
        assert measured(ALL, row, 1, width=16) == pytest.approx(2 * passes + 3.7, abs=0.2)
        assert measured(ALL, row, 4, width=16) == pytest.approx(passes + 1.4, abs=0.1)


@pytest.mark.parametrize(("group", "off"), [(1, 0.08), (2, 0.095), (4, 0.085), (8, 0.075), (32, 0.085)])
def test_how_far_off_the_clock_is(group, off):
    found = [abs(error) for case, error in all_off() if kind(case)[1] == group]
    assert len(found) > 60
    assert mean(found) < off
