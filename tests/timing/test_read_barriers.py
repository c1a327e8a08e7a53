"""Loads and stores of shared memory between barriers, on an H200 (data/{read,store}_barriers.{csv,cu}), and here.

A barrier whose number is in a register does not wait behind LDS in its sub-core's queue: eight LDS of 32 warps leave
that one a cycle, and the barrier opens soon after the last warp has issued. Until 2026-12-01 it waited here: loops of
four and eight LDS took 7.6 and 5.7 % longer than there. Of two LDS and more, warps that are there issue theirs first
on the chip, and others begin then; so the last of 32 begins later there, and all are done sooner. Behind STS it waits
there, too; how STS.128 of 16 warps and more, and such barriers, follow one another is not understood.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of, side_by_side

STAMPS = {"read_barriers": 4, "store_barriers": 3}  # of a round
CODE = {name: code_of(name) for name in STAMPS}
ROWS = [(name, row) for name in STAMPS for row in cases_of(name)]
FIELDS = ("issued", "opens", "period")


def off(number):
    """Return by field how many cycles a launch takes more here."""
    name, row = ROWS[number]
    warps = int(row["warps"])
    out = np.zeros((warps, 5, STAMPS[name]), np.uint32)
    args = [out, np.int32(0), np.int32(warps)]
    simtc.launch(CODE[name][row["kernel"]], 1, 32 * warps, args, device="h200", timing=True, caches="warm")
    stamps = out.astype(float)
    begins = stamps[:, :, 0].min(0)
    issued, opens = stamps[:, 1:, 1].max(0) - begins[1:], stamps[:, 1:, 2].min(0) - begins[1:]
    here = (issued.mean(), opens.mean(), np.diff(begins).mean())
    return [value - float(row[field]) for value, field in zip(here, FIELDS, strict=True)]


@cache
def all_off():
    return side_by_side(off, len(ROWS))


@pytest.mark.parametrize(("kernel", "register", "code"), [
    ("bl_0", (0.8, 0.8, 0.004), (4.5, 0.5, 0.006)), ("bl_1", (2.1, 5.2, 0.009), (2.1, 3.6, 0.024)),
    ("bl_2", (2, 5.5, 0.014), (3.2, 6.2, 0.056)), ("bl_4", (2.2, 3.8, 0.019), (2.4, 5.5, 0.046)),
    ("bl_8", (0.8, 3, 0.012), (0.5, 1.8, 0.007)), ("sts4_1", (5, 5.7, 0.028), (3, 4, 0.028)),
    ("sts4_2", (1.6, 3, 0.016), (4.5, 6, 0.046)), ("sts4_4", (3.5, 2, 0.007), (2.7, 5.5, 0.036)),
    ("sts16_1", (11, 16.5, 0.065), (8, 4, 0.027)), ("sts16_2", (21.5, 13, 0.065), (19, 15.5, 0.047)),
    ("sts16_4", (41, 19, 0.08), (12, 11.6, 0.067)), ("lds16_1", (2.3, 2.4, 0.016), (3, 4.3, 0.04)),
    ("lds16_2", (7.2, 2.4, 0.02), (3.5, 3.6, 0.031)), ("lds16_4", (6.5, 7, 0.017), (4.3, 4.5, 0.019)),
    ("ldsm4_1", (2.3, 2.4, 0.015), (3.6, 4.5, 0.04)), ("ldsm4_2", (8.2, 2.4, 0.022), (3.2, 3.1, 0.042)),
    ("ldsm4_4", (11, 8.5, 0.022), (4.5, 4.2, 0.027)),
])  # fmt: skip
def test_how_far_off_what_is_between_barriers_is(kernel, register, code):
    """The mean of one to 32 warps, in cycles the first two, of the whole the last one."""
    for where, (issued, opens, period) in enumerate((register, code)):
        found = [(row, all_off()[i]) for i, (_, row) in enumerate(ROWS) if row["kernel"] == f"{kernel}_{where}"]
        assert len(found) == 7
        assert mean(abs(one[0]) for _, one in found) < issued
        assert mean(abs(one[1]) for _, one in found) < opens
        assert mean(abs(one[2]) / float(row["period"]) for row, one in found) < period
