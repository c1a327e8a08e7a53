"""Rows that an SM stores beside an H200's own clock (data/store_lines.csv, store_lines.cu; L2 warm, 1980 MHz).

Stores whose rows are 32 bytes of each line wait for places in L1; other stores have those before they have left.
"""

from __future__ import annotations

from statistics import mean

import numpy as np
import pytest

import simtc
from simtc.arch import device
from simtc.arch.altered import altered
from tests.timing.measured import code_of, numbers_of, side_by_side

ROWS, CODE = numbers_of("store_lines"), code_of("store_lines")
SECTOR = 32


def simulated(one, board="h200"):
    """Return the cycles from the first store until the last one has left its warp."""
    warps, pieces = one["warps"], 32 // one["lanes"]
    times = np.zeros(2 * warps, np.uint32)
    data = np.zeros(warps * one["apart"] + 16 * pieces * one["gap"], np.uint8)
    others = np.zeros(warps * max(one["reads"], 1) * 32 * 128, np.uint8)
    numbers = [np.int32(one[name]) for name in ("lanes", "gap", "apart", "stores", "reads")]
    simtc.launch(
        CODE[f"lines_{one['bytes']}"], 1, 32 * warps, [times, data, others, *numbers],
        device=board, timing=True, caches="warm", shared_bytes=1024 * one["shared_kb"],
    )  # fmt: skip
    first, last = times.reshape(-1, 2).T.astype(int)
    return int(last.max() - first.min())


def error(number):
    return simulated(ROWS[number]) / ROWS[number]["cycles"] - 1


@pytest.fixture(scope="module")
def errors():
    return side_by_side(error, len(ROWS))


def chosen(errors, that):
    return [error for one, error in zip(ROWS, errors, strict=True) if that(one)]


def is_lone(one):
    return one["lanes"] * one["bytes"] == SECTOR and one["gap"] >= 128


@pytest.mark.parametrize(
    ("that", "count", "average", "worst"),
    [
        (lambda one: is_lone(one) and one["stores"] == 16 and not one["reads"], 177, 0.065, 0.26),
        (
            lambda one: is_lone(one) and one["stores"] == 8,
            105,
            0.09,
            0.37,
        ),  # the last ones wait where it is not seen here
        (lambda one: is_lone(one) and one["reads"], 42, 0.145, 0.29),  # places of loaded lines cost more than here
        (lambda one: not is_lone(one), 84, 0.06, 0.12),
    ],
    ids=["lone sectors", "few of them", "after loads", "other rows"],
)
def test_rows_of_every_shape(errors, that, count, average, worst):
    found = chosen(errors, that)
    assert len(found) == count
    assert mean(map(abs, found)) < average
    assert max(map(abs, found)) < worst


def test_without_places_lone_sectors_would_be_a_quarter_too_quick():
    rows = [
        one for one in ROWS if is_lone(one) and one["stores"] == 16 and one["shared_kb"] == 110 and one["warps"] > 8
    ]
    board = altered(device("h200"), "clock.store_lines.bank_cycles", 0.0)
    assert mean(simulated(one, board) / one["cycles"] - 1 for one in rows) < -0.24
