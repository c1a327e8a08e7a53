"""Loads behind what DRAM answers, of the same warp and of others, on an H200 and an H100 (data/loads_in_order.csv).

A warp has what L2 sends it in the order in which it asked, be it by LDG, LDGSTS or an atomic with a result. LDGSTS of
lines that L1 holds waits as well.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from simtc.arch import device
from tests.timing.measured import cases_of, code_of

CASES, CODE = cases_of("loads_in_order"), code_of("loads_in_order")
ROUNDS = 32
BOARDS = {"H200": "h200", "H100": "h100_sxm"}
LOADS = ("ldg", "copy_ca", "copy_cg", "atom")


@cache
def cycles(board, first, then, other, delay):
    """Return what a round's load takes, behind what DRAM answers."""
    out, cold, hot = np.zeros(2, np.uint32), np.zeros(ROUNDS * 4096, np.uint8), np.zeros(ROUNDS * 512, np.uint8)
    simtc.launch(
        CODE[f"{first}__{then}"], 1, 160, [out, cold, hot, np.int32(other), np.int32(delay)],
        device=device(BOARDS[board]), timing=True, caches="cold",
    )  # fmt: skip
    return out[0] / ROUNDS


def off(board, keep):
    """Return how far off the loads are that are kept."""
    return [
        cycles(board, case["first"], case["then"], int(case["other"]), int(case["delay"])) / float(case["cycles"]) - 1
        for case in CASES
        if case["board"] == board and keep(case)
    ]


def waits(case):
    """Tell whether something comes no earlier than what its warp asked for before."""
    return case["first"] in LOADS and case["then"] not in ("ldg_l1", "lds") and case["other"] == "0"


@pytest.mark.parametrize(("board", "limit", "worst"), [("H200", 0.07, 0.17), ("H100", 0.045, 0.15)])
def test_a_warp_has_what_it_asks_for_in_order(board, limit, worst):
    found = off(board, waits)
    assert len(found) == 30
    assert mean(map(abs, found)) < limit, found  # of the H200 0.065 until 2026-12-01
    assert max(map(abs, found)) < worst, found


@pytest.mark.parametrize("board", BOARDS)
def test_nothing_else_waits(board):
    """Not loads that L1 or shared memory answers, nor other warps', nor any behind what only writes."""
    found = off(board, lambda case: not waits(case))
    assert len(found) == 86
    assert mean(map(abs, found)) < 0.04, found
    assert max(map(abs, found)) < 0.11, found


def test_what_waits_takes_far_longer_than_alone():
    """On the chip and here: a load that L2 answers, behind one that DRAM answers."""
    for board in BOARDS:
        chip = {(case["first"], case["then"], case["other"], case["delay"]): float(case["cycles"])
                for case in CASES if case["board"] == board}  # fmt: skip
        for first in LOADS:
            behind, alone = (first, "ldg_l2", "0", "20"), ("none", "ldg_l2", "0", "20")
            assert chip[behind] > 1.7 * chip[alone]
            assert cycles(board, *behind[:2], 0, 20) > 1.7 * cycles(board, *alone[:2], 0, 20)
