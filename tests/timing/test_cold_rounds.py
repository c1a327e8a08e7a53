"""Rounds of loads that DRAM answers, on an H200 beside its profiler and on an H100 (data/cold_rounds.csv).

On the chip, parts of DRAM are refreshed by turns: of one line few meet a refresh, of 64 that lie apart one does nearly
every time, which takes up to 550 cycles. The clock spreads what is opened evenly over a period. The H200's constants of
DRAM were chosen by these rounds, of the H100's only how long a refresh is.
"""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path
from statistics import mean

import numpy as np
import pytest

import simtc
from simtc.arch import device

DATA = Path(__file__).parent / "data"


@cache
def cases():
    with (DATA / "cold_rounds.csv").open(encoding="utf-8") as rows:
        return tuple({name: float(value or 0) for name, value in case.items()} for case in csv.DictReader(rows))


def cycles(case, board):
    """Return what a round takes in the mean of all blocks."""
    number = {name: int(value) for name, value in case.items()}
    rounds, warps, blocks = number["rounds"], number["warps"], number["blocks"]
    block = number["apart"] * warps + number["step"] * rounds + 128
    out = np.zeros(blocks, np.uint32)
    counts = (np.int32(number[name]) for name in ("rounds", "lines", "stride", "apart", "step"))
    simtc.launch(
        simtc.load(DATA / "cold_rounds.sass")["cold"], blocks, 32 * warps,
        [out, np.zeros(block * blocks + 8192, np.uint8), *counts, np.int64(block)],
        device=board, timing=True, caches="cold", fidelity="full",
    )  # fmt: skip
    return out.mean() / rounds


@pytest.mark.parametrize(
    ("board", "column", "count", "limit"), [("h200", "h200_profiled", 45, 0.04), ("h100_sxm", "h100", 67, 0.05)]
)
def test_rounds_of_one_sm(board, column, count, limit):
    small = [case for case in cases() if case["blocks"] == 1 and case["step"] * case["rounds"] < 1e8 and case[column]]
    found = [cycles(case, device(board)) / case[column] - 1 for case in small]
    assert len(found) == count
    assert mean(map(abs, found)) < limit
    assert max(map(abs, found)) < 0.17
    assert abs(mean(found)) < limit
