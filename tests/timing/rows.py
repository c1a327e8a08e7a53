"""Rows that warps load or copy step by step: launches of data/cold_rows.cu, as two tables say how long they take."""

from __future__ import annotations

from functools import cache

import numpy as np

import simtc
from simtc.arch import device
from tests.timing.measured import code_of, numbers_of, offsets

__all__ = ["errors", "places", "timed"]

STEPS, FIRST = 24, 2  # those before are the first ones of a launch
WIDTHS = (16, 16, 4, 8, 16, 16)  # of LDG.128, LDG.128 past L1, LDG.32, LDGSTS.64, LDGSTS.128 and that past L1
COPIES = (3, 4, 5)
PAGE = 2 << 20
FRONT = {"cold": 528 << 20, "warm": 16 << 20}  # what lies before the rows; a process's first array of 8 GiB has 528 MiB
KEPT = {"cold": ~0, "warm": PAGE - 1}  # bits of `at` that count: a warm launch copies what lies before its rows as well


@cache
def _kernels():
    return code_of("cold_rows")


def places(case, caches, size):
    """Return where the rows of a case lie, which are so many bytes, and what lies behind them."""
    at = FRONT[caches] + (case["at"] & KEPT[caches])
    return at, (at + size + 2 * PAGE) & -PAGE


def timed(one, board, caches):
    """Return the cycles of all steps but the first, in the mean of all warps."""
    blocks, warps, kind = one["blocks"], one["warps"], one["kind"]
    copied = one["pieces"] * one["stages"] * warps * 512 if kind in COPIES else 0
    out = np.zeros((blocks, warps * (STEPS + 1) + 1), np.uint32)  # the last one is the SM's number
    last = one["own"] * warps + one["next"] * (STEPS + 2) + one["piece"] * one["pieces"] + one["stride"] * 32
    rows = np.zeros(last + one["block"] * (blocks - 1) + 4096, np.uint8)
    numbers = (one[name] for name in ("next", "piece", "own", "block"))
    simtc.launch(
        _kernels()[f"rows_{kind}_{one['pieces']}_{one['stages']}"], blocks, 32 * warps,
        [out, rows, np.int32(STEPS),
         offsets(WIDTHS[kind], one["row"].bit_length() - 1, one["stride"]), *map(np.int32, numbers)],
        device=board, timing=True, caches=caches, threads=1, places=(PAGE, *places(one, caches, rows.size)),
        shared_bytes=(warps * (STEPS + 1) * 4 + 127) // 128 * 128 + copied,
    )  # fmt: skip
    clocks = out[:, :-1].reshape(blocks, warps, STEPS + 1)
    return (clocks[:, :, -1] - clocks[:, :, FIRST]).mean()


def errors(board, table, chosen=lambda _: True):
    """Return by how much a board's clock is off the chip, of the rows of a table that are chosen."""
    caches, chip = table.removesuffix("_rows"), f"{board[:4]}_cycles"
    return [timed(one, device(board), caches) / one[chip] - 1 for one in filter(chosen, numbers_of(table))]
