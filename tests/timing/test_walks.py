"""Loads of one SM's warps that walk along rows, on an H200 and an H100 (data/walks.csv; 40 steps, L2 warm).

288 walks of one warp are a grid, the others are drawn by lot: loads of 1 to 32 lines that L1 holds, in part or not.
The way back of loads that L1 holds, and what those take that it holds in part, were found here: this is no exam.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from simtc import arch
from tests.timing.measured import code_of, numbers_of, offsets

STEPS, ROOM = 40, 44  # steps that count, and those that the arrays have room for


@cache
def kernels():
    return code_of("walks")


def timed(one, board):
    times = np.zeros((one["warps"], STEPS + 1), np.uint32)
    far = one["own"] * one["warps"] + one["piece"] * one["loads"] + one["stride"] * 32 + one["next"] * ROOM
    numbers = (one[name] for name in ("next", "piece", "own"))
    simtc.launch(
        kernels()[f"walk_{one['width']}_{one['loads']}"], 1, 32 * one["warps"],
        [times, np.zeros(far + 4096, np.uint8), np.int32(STEPS),
         offsets(one["width"], one["row_log"], one["stride"]), *map(np.int32, numbers)],
        device=board, timing=True, shared_bytes=one["warps"] * (STEPS + 1) * 4, caches="warm",
    )  # fmt: skip
    return int(times[:, -1].max()) - int(times[:, 0].min())


def errors(name, chosen):
    board = arch.device(name)
    return [timed(one, board) / one[f"{name[:4]}_cycles"] - 1 for one in filter(chosen, numbers_of("walks"))]


def test_what_l1_holds_comes_back_a_wavefront_in_two_cycles():
    found = errors("h200", lambda one: one["next"] == 0 and one["warps"] == 1)
    assert len(found) == 72
    assert mean(map(abs, found)) < 0.025
    assert max(map(abs, found)) < 0.08


@pytest.mark.parametrize(("board", "most"), [("h200", 0.033), ("h100_sxm", 0.026)])
def test_all_walks(board, most):
    found = errors(board, lambda _: True)
    assert len(found) == 908
    assert mean(map(abs, found)) < most
    assert sum(abs(error) > 0.2 for error in found) <= 5
