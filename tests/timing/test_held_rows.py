"""Loads and copies of rows that L1 holds, from 32 warps of an H200 (data/held_rows.csv, kernels of tag_sets.cu).

Lane l's bytes are of row l % `rows` (`order` col) or l // (32 / `rows`) (row), in the columns that follow each other.
"""

from __future__ import annotations

from statistics import mean

import numpy as np
import pytest

from tests.timing.measured import cases_of, side_by_side, took

ROWS = cases_of("held_rows")
WARPS, LOADS = 32, 16


def places(row):
    """Return where each lane's bytes begin."""
    rows, width, lane = int(row["rows"]), int(row["kernel"].split("_")[1]), np.arange(32)
    of, column = (lane % rows, lane // rows) if row["order"] == "col" else (lane * rows // 32, lane % (32 // rows))
    return of * int(row["stride"]) + column * width


def error(number):
    row = ROWS[number]
    return took(row["kernel"], WARPS, np.tile(places(row), WARPS * LOADS)) / int(row["cycles"]) - 1


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
