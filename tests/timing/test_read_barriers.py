"""Loads of shared memory between barriers, on an H200 (data/read_barriers.{csv,cu}), and here.

A barrier whose number is in a register does not wait behind LDS in its sub-core's queue: eight LDS of 32 warps leave
that one a cycle, and the barrier opens soon after the last warp has issued. Until 2026-12-01 it waited here: loops of
four and eight LDS took 7.6 and 5.7 % longer than there. Of two LDS and more, warps that are there issue theirs before
others begin, on the chip; so the last of 32 begins later there, and all are done sooner.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of, side_by_side

ROWS, CODE = cases_of("read_barriers"), code_of("read_barriers")
FIELDS = ("issued", "opens", "period")


def off(number):
    """Return by field how many cycles a launch of the table takes more here."""
    row = ROWS[number]
    warps = int(row["warps"])
    out = np.zeros((warps, 5, 4), np.uint32)
    args = [out, np.int32(0), np.int32(warps)]
    simtc.launch(CODE[row["kernel"]], 1, 32 * warps, args, device="h200", timing=True, caches="warm")
    stamps = out.astype(float)
    begins = stamps[:, :, 0].min(0)
    issued, opens = stamps[:, 1:, 1].max(0) - begins[1:], stamps[:, 1:, 2].min(0) - begins[1:]
    here = (issued.mean(), opens.mean(), np.diff(begins).mean())
    return [value - float(row[field]) for value, field in zip(here, FIELDS, strict=True)]


@cache
def all_off():
    return side_by_side(off, len(ROWS))


@pytest.mark.parametrize(("loads", "where", "issued", "opens", "period"), [
    (0, "register", 0.8, 0.8, 0.004), (0, "code", 4.5, 0.5, 0.006), (1, "register", 2.1, 5.2, 0.009),
    (1, "code", 2.1, 3.6, 0.024), (2, "register", 2, 5.5, 0.014), (2, "code", 3.2, 6.2, 0.056),
    (4, "register", 2.2, 3.8, 0.019), (4, "code", 2.4, 5.5, 0.046), (8, "register", 0.8, 3, 0.012),
    (8, "code", 0.5, 1.8, 0.007),
])  # fmt: skip
def test_how_far_off_loads_between_barriers_are(loads, where, issued, opens, period):
    """The mean of one to 32 warps, in cycles the first two, of the whole the last one."""
    kernel = f"bl_{loads}_{int(where == 'code')}"
    found = [(row, all_off()[i]) for i, row in enumerate(ROWS) if row["kernel"] == kernel]
    assert len(found) == 7
    assert mean(abs(one[0]) for _, one in found) < issued
    assert mean(abs(one[1]) for _, one in found) < opens
    assert mean(abs(one[2]) / float(row["period"]) for row, one in found) < period
