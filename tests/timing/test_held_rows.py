"""Loads and copies of rows that L1 holds, from 32 warps of an H200 (data/held_rows.csv, kernels of tag_sets.cu).

Lane l's bytes are of row l % `rows` (`order` col) or l // (32 / `rows`) (row), in the columns that follow each other.
"""

from __future__ import annotations

from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of, side_by_side

ROWS, CODE = cases_of("held_rows"), code_of("tag_sets")
WARPS, LOADS = 32, 16
PLACES = (2 << 20, 4 << 20, 0x160000000)


def places(row):
    """Return where each lane's bytes begin."""
    rows, width, lane = int(row["rows"]), int(row["kernel"].split("_")[1]), np.arange(32)
    of, column = (lane % rows, lane // rows) if row["order"] == "col" else (lane * rows // 32, lane % (32 // rows))
    return of * int(row["stride"]) + column * width


def error(number):
    row = ROWS[number]
    at, times, width = places(row), np.zeros(2 * WARPS, np.uint32), int(row["kernel"].split("_")[1])
    args = [times, np.tile(at, WARPS * LOADS).astype(np.uint32), np.zeros(1 << 19, np.uint8), np.int32(1)]
    shared = 32 * WARPS * width if row["kernel"].startswith("copy") else 0
    simtc.launch(
        CODE[row["kernel"]], 1, 32 * WARPS, args, device="h200", timing=True, caches="warm", places=PLACES,
        shared_bytes=shared,
    )  # fmt: skip
    first, last = times.reshape(-1, 2).T.astype(int)
    return int(last.max() - first.min()) / int(row["cycles"]) - 1


@pytest.fixture(scope="module")
def errors():
    return side_by_side(error, len(ROWS))


@pytest.mark.parametrize(("kernel", "average", "worst"), [
    ("load_4", 0.012, 0.05), ("load_8", 0.012, 0.06), ("load_16", 0.012, 0.05), ("copy_16", 0.06, 0.14),
])  # fmt: skip
def test_rows_that_l1_holds(errors, kernel, average, worst):
    """A line is looked up once for the whole warp: LDG.128 of 8 rows by columns takes 4 cycles, not 8."""
    found = [abs(error) for row, error in zip(ROWS, errors, strict=True) if row["kernel"] == kernel]
    assert len(found) == 136
    assert mean(found) < average
    assert max(found) < worst
