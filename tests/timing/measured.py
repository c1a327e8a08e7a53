"""What tests of the clock share: tables and listings beside them, NAME.csv and NAME.sass, a board, two processes."""

from __future__ import annotations

import csv
from dataclasses import replace
from functools import cache
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

import simtc
from simtc.arch import Device, device

__all__ = [
    "APART",
    "behind",
    "cases_of",
    "code_of",
    "numbers_of",
    "offsets",
    "pairs_by_turns",
    "parity",
    "side_by_side",
    "took",
]

APART = replace(device("h200"), first_pairs=(0, 0, 1, 0))  # the third of the first pairs is near the other half of L2

_DATA = Path(__file__).parent / "data"


def cases_of(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a table."""
    with (_DATA / f"{name}.csv").open(encoding="utf-8") as rows:
        return tuple(csv.DictReader(rows))


def numbers_of(name: str) -> list[dict[str, Any]]:
    """Return the rows of a table of integers, and of names of kernels."""
    return [
        {column: value if column == "kernel" else int(value) for column, value in row.items()} for row in cases_of(name)
    ]


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


@cache
def _tag_sets():
    return code_of("tag_sets")


def took(name, warps, places, held=1, board="h200"):
    """Return the cycles of a kernel of data/tag_sets.cu, from the first warp's beginning until all has come.

    Each lane's bytes of each instruction begin at these places of the data, which lie at a multiple of 16 MiB.
    """
    times, room = np.zeros(2 * warps, np.uint32), (int(places.max()) // (1 << 19) + 1) << 19
    args = [times, places.ravel().astype(np.uint32), np.zeros(room, np.uint8), np.int32(held)]
    shared = 32 * warps * int(name.split("_")[1]) if name.startswith("copy") else 0
    simtc.launch(
        _tag_sets()[name], 1, 32 * warps, args, device=board, timing=True, caches="warm",
        places=(2 << 20, 4 << 20, 0x160000000), shared_bytes=shared,
    )  # fmt: skip
    first, last = times.reshape(-1, 2).T.astype(int)
    return int(last.max() - first.min())


def parity(numbers, bits):
    """Return 1 for each of an array's numbers of which an odd number of these bits are set."""
    out = np.zeros_like(numbers)
    for bit in range(40):
        if bits >> bit & 1:
            out ^= numbers >> bit & 1
    return out


def behind(kernels, case, room=0):
    """Return what the first warp and the last one say of what comes behind their copies (data/behind.cuh).

    These land so many bytes into shared memory.
    """
    warps, row, stride, pitch = (int(case[key]) for key in ("warps", "row", "stride", "pitch"))
    cycles, copies = np.zeros((warps, 5), np.uint32), int(case["kernel"].rsplit("_", 1)[1])
    simtc.launch(
        kernels[case["kernel"]], 1, 32 * warps,
        [np.zeros(24 << 20, np.uint8), cycles, *map(np.int32, (row, stride, pitch))],
        device="h200", timing=True, caches="warm", shared_bytes=room + warps * copies * 512 // row * pitch,
    )  # fmt: skip
    return cycles[0].tolist(), cycles[-1].tolist()


def side_by_side(function, count):
    """Return what a module's function makes of each number below a count, in two processes."""
    with get_context("fork").Pool(2) as pool:
        return tuple(pool.map(function, range(count)))
