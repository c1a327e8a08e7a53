"""Loads and copies through L1 of lines of one, two or all four sets of its tags, on an H200 (data/tag_sets.{csv,cu}).

An instruction's rows are of lines a number of lines apart, or, for each group of lanes that is served together, of so
many lines of each set, as if by chance; `turns` says whether these counts go to the next set with each group. The
launch that was measured had its table from `table`, too, and its data began at a multiple of 16 MiB.
"""

from __future__ import annotations

from statistics import mean

import numpy as np
import pytest

from simtc.arch import device
from simtc.arch.altered import altered
from tests.timing.measured import cases_of, parity, side_by_side, took

ROWS = cases_of("tag_sets")
LOADS = 16  # of each warp
POOL = 128  # lines of each set that L1 holds
LINES = np.arange(1 << 16)
BITS = [int(device("h200").constants[f"clock.places.bit_{bit}"].value) for bit in range(2)]
SETS = sum(parity(LINES * 128, bits) << bit for bit, bits in enumerate(BITS))


def width_of(row):
    return int(row["kernel"].split("_")[1])


def lines_by_set(row, group):
    """Return the lines of each group of lanes, of so many of each set."""
    counts, held = [int(count) for count in row["counts"].split("/")], int(row["held"])
    chance = np.random.default_rng(int(row["number"]))
    some = [chance.permutation(LINES[own == SETS][: POOL if held else None]) for own in range(4)]
    found, taken = [], [0] * 4
    for k in range(int(row["warps"]) * LOADS * 32 // group):
        lines = []
        for own in range(4):
            count = counts[(own + int(row["turns"]) * k) % 4]
            at = chance.integers(POOL - count + 1) if held else taken[own]
            lines.append(some[own][at : at + count])
            taken[own] += count
        found.append(chance.permutation(np.concatenate(lines)))
    return np.concatenate(found)


def table(row):
    """Return where each lane's bytes of each instruction begin."""
    lanes, width, lane = int(row["lanes"]), width_of(row), np.arange(32)
    if row["apart"]:
        found = np.arange(int(row["warps"]) * LOADS * 32 // lanes) * int(row["apart"]) % len(LINES)
    else:
        found = lines_by_set(row, 128 // width if width > 4 else 32)
    return (found.reshape(-1, 32 // lanes)[:, lane // lanes] * 128 + lane * width % 128).astype(np.uint32)


def simulated(row, board="h200"):
    """Return the cycles from the first instruction until all have come."""
    return took(row["kernel"], int(row["warps"]), table(row), int(row["held"]), board)


def error(number):
    return simulated(ROWS[number]) / int(ROWS[number]["cycles"]) - 1


@pytest.fixture(scope="module")
def errors():
    return side_by_side(error, len(ROWS))


def off(errors, kind, held, warps):
    return [
        abs(error) for row, error in zip(ROWS, errors, strict=True)
        if (row["kernel"].split("_")[0], row["held"], row["warps"]) == (kind, str(held), str(warps))
    ]  # fmt: skip


@pytest.mark.parametrize(("kind", "held", "warps", "rows", "average", "worst"), [
    ("load", 1, 1, 82, 0.095, 0.53), ("load", 1, 8, 80, 0.08, 0.415), ("load", 1, 32, 67, 0.025, 0.16),
    ("load", 0, 1, 82, 0.025, 0.18), ("load", 0, 8, 82, 0.035, 0.27), ("load", 0, 32, 82, 0.02, 0.08),
    ("copy", 1, 1, 68, 0.15, 0.35), ("copy", 1, 8, 67, 0.1, 0.23), ("copy", 1, 32, 61, 0.095, 0.23),
    ("copy", 0, 1, 68, 0.035, 0.15), ("copy", 0, 8, 68, 0.04, 0.16), ("copy", 0, 32, 68, 0.065, 0.2),
])  # fmt: skip
def test_sets_of_tags(errors, kind, held, warps, rows, average, worst):
    found = off(errors, kind, held, warps)
    assert len(found) == rows
    assert mean(found) < average
    assert max(found) < worst


@pytest.mark.parametrize("held", [0, 1])
def test_without_sets_lines_of_one_would_be_far_too_quick(held):
    rows = [row for row in ROWS if row["counts"] == "32/0/0/0" and row["held"] == str(held) and row["warps"] == "32"]
    board = altered(device("h200"), "clock.places.tag_cycles", 0.0)
    assert len(rows) == 2
    assert mean(simulated(row, board) / int(row["cycles"]) - 1 for row in rows) < (-0.7 if held else -0.4)
