"""What tests of the clock share: tables and listings beside them, NAME.csv and NAME.sass, a board, two processes."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import count
from multiprocessing import get_context
from pathlib import Path

import numpy as np

import simtc
from simtc.arch import Device, device

__all__ = ["APART", "cases_of", "code_of", "numbers_of", "offsets", "pairs_by_turns", "side_by_side"]

APART = replace(device("h200"), first_pairs=(0, 0, 1, 0))  # the third of the first pairs is near the other half of L2

_DATA = Path(__file__).parent / "data"


def cases_of(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a table."""
    with (_DATA / f"{name}.csv").open(encoding="utf-8") as rows:
        return tuple(csv.DictReader(rows))


def numbers_of(name: str) -> list[dict[str, int]]:
    """Return the rows of a table of integers."""
    return [{column: int(value) for column, value in row.items()} for row in cases_of(name)]


def pairs_by_turns(board: Device) -> list[tuple[int, int]]:
    """Return the GPC of each pair of SMs, as a chip numbers them, and which of its pairs it is; first pairs follow."""
    turns = ((gpc, pair) for pair in count() for gpc, size in enumerate(board.gpc_pairs) if pair < size)
    return [next(turns) for _ in range(sum(board.gpc_pairs))]


def offsets(width: int, row_log: int, apart: int) -> np.ndarray:
    """Return where each lane's bytes are that are `width`, along rows of 2 ** `row_log` bytes that lie `apart`."""
    place = np.arange(32) * width
    return ((place >> row_log) * apart + (place & (1 << row_log) - 1)).astype(np.int32)


def code_of(name: str):
    """Return the kernels of a listing."""
    return simtc.load(_DATA / f"{name}.sass")


def side_by_side(function, count):
    """Return what a module's function makes of each number below a count, in two processes."""
    with get_context("fork").Pool(2) as pool:
        return tuple(pool.map(function, range(count)))
