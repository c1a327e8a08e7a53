"""How long warps wait for rows that L2 has, on two H200s (data/copy_waits.{csv,cu}), and here.

Groups of LDGSTS of one to 16 warps wait as long here as there, and loops of loads and stores do, too. Of 32 warps,
those with two copies each through L1, and two loads, are 4 to 8 % quicker here, from five lines an instruction on. What
is not understood: rows of 16 bytes, 32 lines an instruction, take 40 cycles there and 33 here (see clock.md), and
launches whose lines are more than a small L1 has places (256 lines beside 228 KB) are 20 % too slow here.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from tests.timing.measured import cases_of, code_of, side_by_side

ROWS, CODE = cases_of("copy_waits"), code_of("copy_waits")
WIDE = (64, 128, 256, 512)  # bytes of a row
PATHS = {"0": "loads", "1": "through L1", "2": "past L1"}


def off(number):
    """Return how much longer the rounds of a launch take here, and until the first and the last warp have waited."""
    row = ROWS[number]
    warps, wide, stride = int(row["warps"]), int(row["row"]), int(row["stride"])
    out, own = np.zeros((warps, 6, 5), np.uint32), 512 // wide * stride
    args = [np.zeros(24 << 20, np.uint8), out, *map(np.int32, (0, warps, wide, stride, own, own * warps))]
    simtc.launch(
        CODE[row["kernel"]], 1, 32 * warps, args, device="h200", timing=True, caches="warm", shared_bytes=32768,
    )  # fmt: skip
    stamps = out.astype(float)
    begins = stamps[:, :, 0].min(0)
    waited = stamps[:, 1:, 2] - begins[1:]
    here = {"period": np.diff(begins)[1:].mean(), "first": waited.min(0).mean(), "last": waited.max(0).mean()}
    return {field: value / float(row[field]) - 1 for field, value in here.items()}


@cache
def all_off():
    return side_by_side(off, len(ROWS))


def chosen(path, rows, warps):
    """Return the errors of the launches of a path, of rows of some lengths, of so many warps."""
    return [
        one for row, one in zip(ROWS, all_off(), strict=True)
        if PATHS[row["kernel"][3]] == path and int(row["row"]) in rows and warps[0] <= int(row["warps"]) <= warps[1]
    ]  # fmt: skip


@pytest.mark.parametrize(("path", "rows", "warps", "count", "limit", "bias"), [
    ("loads", WIDE, (1, 16), 80, 0.014, 0.006), ("loads", WIDE, (32, 32), 24, 0.035, 0.033),
    ("through L1", WIDE, (1, 16), 80, 0.014, 0.009), ("through L1", WIDE, (32, 32), 24, 0.04, 0.038),
    ("past L1", WIDE, (1, 16), 80, 0.01, 0.005), ("past L1", WIDE, (32, 32), 24, 0.015, 0.01),
    ("loads", (32,), (1, 32), 20, 0.02, 0.018), ("through L1", (32,), (1, 32), 20, 0.07, 0.045),
    ("past L1", (32,), (1, 32), 20, 0.025, 0.02), ("loads", (16,), (1, 32), 12, 0.075, 0.02),
    ("through L1", (16,), (1, 32), 12, 0.1, 0.055), ("past L1", (16,), (1, 32), 12, 0.03, 0.02),
])  # fmt: skip
def test_how_far_off_waits_are(path, rows, warps, count, limit, bias):
    found = [one["period"] for one in chosen(path, rows, warps)]
    assert len(found) == count
    assert mean(map(abs, found)) < limit
    assert abs(mean(found)) < bias


@pytest.mark.parametrize(("path", "warps", "first", "last"), [
    ("loads", (1, 16), 0.036, 0.016), ("loads", (32, 32), 0.1, 0.06),
    ("through L1", (1, 16), 0.048, 0.015), ("through L1", (32, 32), 0.14, 0.064),
    ("past L1", (1, 16), 0.057, 0.011), ("past L1", (32, 32), 0.072, 0.012),
])  # fmt: skip
def test_how_far_off_the_first_and_the_last_warp_are(path, warps, first, last):
    """The last one's wait is what a loop takes; the first one's hangs on how its lines mix with those of others."""
    found = chosen(path, WIDE, warps)
    assert len(found) == (80 if warps == (1, 16) else 24)
    assert mean(abs(one["first"]) for one in found) < first
    assert mean(abs(one["last"]) for one in found) < last
