"""Loads of what L1 holds, of lines of one, two or four banks of its tags, on an H200 (data/tag_banks.{csv,cu}).

A load's row is of lines a number of lines apart, or of so many lines of each bank as if by chance. The table of the
launch that was measured was made by `table`, and its data began at a multiple of 512 KiB.
"""

from __future__ import annotations

from statistics import mean

import numpy as np
import pytest

import simtc
from simtc.arch import device
from simtc.arch.altered import altered
from tests.timing.measured import cases_of, code_of, parity, side_by_side

ROWS, CODE = cases_of("tag_banks"), code_of("tag_banks")
LOADS = 16  # of each warp
PLACES = (2 << 20, 4 << 20, 0x160000000)
LINES = np.arange(1 << 12)
BITS = [int(device("h200").constants[f"clock.places.bit_{bit}"].value) for bit in range(2)]
BANKS = sum(parity(LINES * 128, bits) << bit for bit, bits in enumerate(BITS))


def table(warps, lanes, apart, counts):
    """Return the lines of each load."""
    rows = 32 // lanes
    if apart:
        found = np.arange(LOADS * warps * rows) % (1024 // apart // rows * rows or rows) * apart
    else:
        chance = np.random.default_rng(warps)
        some = [LINES[bank == BANKS][:128] for bank in range(4)]
        found = np.array([
            chance.permutation(np.concatenate([
                chance.choice(lines, count, replace=False) for lines, count in zip(some, counts, strict=True)
            ]))
            for _ in range(LOADS * warps)
        ])  # fmt: skip
    whole = np.zeros((LOADS * warps, 32), np.uint32)
    whole[:, :rows] = found.reshape(-1, rows)
    return whole


def simulated(row, board="h200"):
    """Return the cycles from the first load until all have come."""
    warps, lanes, apart = (int(row[name]) for name in ("warps", "lanes", "apart"))
    counts = [int(count) for count in row["counts"].split("/") if count]
    times = np.zeros(2 * warps, np.uint32)
    args = [times, table(warps, lanes, apart, counts), np.zeros(1 << 20, np.uint8), np.int32(lanes)]
    simtc.launch(CODE["held"], 1, 32 * warps, args, device=board, timing=True, caches="warm", places=PLACES)
    first, last = times.reshape(-1, 2).T.astype(int)
    return int(last.max() - first.min())


def error(number):
    return simulated(ROWS[number]) / int(ROWS[number]["cycles"]) - 1


@pytest.fixture(scope="module")
def errors():
    return side_by_side(error, len(ROWS))


@pytest.mark.parametrize(("warps", "average", "worst"), [
    (1, 0.15, 0.6), (4, 0.14, 0.3), (8, 0.075, 0.25), (16, 0.08, 0.33), (32, 0.085, 0.42),
])  # fmt: skip
def test_loads_that_l1_holds(errors, warps, average, worst):
    found = [error for row, error in zip(ROWS, errors, strict=True) if int(row["warps"]) == warps]
    assert len(found) == 67
    assert mean(map(abs, found)) < average
    assert max(map(abs, found)) < worst


def test_without_banks_lines_of_one_would_be_far_too_quick():
    rows = [row for row in ROWS if row["counts"] in ("32/0/0/0", "16/0/0/0") and int(row["warps"]) > 8]
    board = altered(device("h200"), "clock.l1.bank_cycles", 0.0)
    assert mean(simulated(row, board) / int(row["cycles"]) - 1 for row in rows) < -0.7
