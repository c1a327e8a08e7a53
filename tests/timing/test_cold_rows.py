"""Loads and copies of rows that DRAM answers, by up to 18 SMs, on an H200 and an H100 (data/cold_rows.csv; 24 steps).

Kinds, rows, pieces, stages, warps and blocks are drawn by lot: the first 160 of the 247 with up to 8 warps and 18
blocks that were measured (420 in all). `at` is where the rows lie, behind the first 528 MiB of the chip's memory, as a
process's first array of 8 GiB does. Cycles are the medians of four launches, of steps 2 to 23, in the mean of all
warps. That copies share the places of lines on their way was found here: this is no exam.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from simtc import arch
from tests.timing.measured import code_of, numbers_of, offsets

STEPS, FIRST = 24, 2  # those before are the first ones of a launch
WIDTHS = (16, 16, 4, 8, 16, 16)  # of LDG.128, LDG.128 past L1, LDG.32, LDGSTS.64, LDGSTS.128 and that past L1
COPIES = (3, 4, 5)


@cache
def kernels():
    return code_of("cold_rows")


def timed(one, board):
    blocks, warps, kind = one["blocks"], one["warps"], one["kind"]
    copied = one["pieces"] * one["stages"] * warps * 512 if kind in COPIES else 0
    out = np.zeros((blocks, warps * (STEPS + 1) + 1), np.uint32)  # the last one is the SM's number
    last = one["own"] * warps + one["next"] * (STEPS + 2) + one["piece"] * one["pieces"] + one["stride"] * 32
    numbers = (one[name] for name in ("next", "piece", "own", "block"))
    simtc.launch(
        kernels()[f"rows_{kind}_{one['pieces']}_{one['stages']}"], blocks, 32 * warps,
        [out, np.zeros(last + one["block"] * (blocks - 1) + 4096, np.uint8), np.int32(STEPS),
         offsets(WIDTHS[kind], one["row"].bit_length() - 1, one["stride"]), *map(np.int32, numbers)],
        device=board, timing=True, caches="cold", threads=1, places=(2 << 20, (528 << 20) + one["at"], 12 << 30),
        shared_bytes=(warps * (STEPS + 1) * 4 + 127) // 128 * 128 + copied,
    )  # fmt: skip
    clocks = out[:, :-1].reshape(blocks, warps, STEPS + 1)
    return (clocks[:, :, -1] - clocks[:, :, FIRST]).mean()


def errors(name, chosen):
    board = arch.device(name)
    return [timed(one, board) / one[f"{name[:4]}_cycles"] - 1 for one in filter(chosen, numbers_of("cold_rows"))]


@pytest.mark.parametrize(("board", "most", "beyond"), [("h200", 0.042, 3), ("h100_sxm", 0.043, 4)])
def test_all_rows(board, most, beyond):
    found = errors(board, lambda _: True)
    assert len(found) == 160
    assert mean(map(abs, found)) < most
    assert sum(abs(error) > 0.15 for error in found) <= beyond


def test_copies_share_the_places_of_lines_on_their_way():
    """Copies of pieces of one line, in several stages: up to 158 % too slow where each had a place of its own."""

    def shares(one):
        return one["kind"] in (3, 4) and one["pieces"] > 1 and one["stages"] > 1 and one["piece"] < 128

    found = errors("h200", shares)
    assert len(found) == 6
    assert max(map(abs, found)) < 0.17
