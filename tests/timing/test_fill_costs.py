"""LDS beside loads and copies that L2 answers: what the data stage takes for their lines (data/fill_costs.csv).

Lines whose words lie in other banks pass together: 16 rows of 32 bytes, 288 bytes apart, cost 6 cycles, and 14 at 128
bytes. Until 2026-11-27 the clock had 15 for both. Here they cost 10, as a line that passes with others takes as long
as with more loads on their way and strides of other kinds (test_stage_costs.py). Of an H100 the LDS
differ by 0.4 % in the mean and 1.6 at most, the loads by 1.4 and 2.5 (seen once, not kept).
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from simtc.arch import device
from tests.timing.measured import cases_of, code_of

CASES, CODE = cases_of("fill_costs"), code_of("fill_costs")
LASTS, MEASURED, BYTES = 20_000, 100_000, 1 << 19  # cycles here and on the chip; what a warp loads
WARPS = 16


@cache
def executed(number):
    """Return how many LDS are executed in a thousand cycles, and how many loads."""
    case = CASES[number]
    name, row, stride = case["kernel"], int(case["row"]), int(case["stride"])
    size, name = (0, "ldg_4") if name == "none" else (BYTES, name)
    step = 32 * int(name.rsplit("_", 1)[1]) // row * stride
    span = max(size - 2 * step, 0) // (2 * step) * (2 * step)
    out, data = np.zeros(80, np.uint32), np.zeros(8 * BYTES, np.uint8)
    numbers = (np.int32(value) for value in (row, stride, span, size, LASTS))
    simtc.launch(CODE[name], 1, 32 * WARPS, [out, data, *numbers], device=device("h200"), timing=True, caches="cold")
    return 1e3 * out[:8].sum() / LASTS, 1e3 * out[8:16].sum() / LASTS


def off(kernel):
    """Return how far off the LDS beside loads of a kind are, and these loads."""
    chosen = [number for number, case in enumerate(CASES) if case["kernel"].startswith(kernel)]
    found = [(executed(number), CASES[number]) for number in chosen]
    return tuple(
        [ours[which] / (1e3 * float(case[column]) / MEASURED) - 1 for ours, case in found]
        for which, column in enumerate(("reads", "loads"))
    )


def cost(number):
    """Return for how many cycles of LDS a load stands, on the chip and here."""
    case, alone, (reads, loads) = CASES[number], CASES[0], executed(number)
    chip = 4 * (float(alone["reads"]) - float(case["reads"])) / float(case["loads"])
    return chip, 4 * (executed(0)[0] - reads) / loads


@pytest.mark.parametrize(
    ("kernel", "count", "reads", "loads"),
    [("ldg", 43, 0.09, 0.085), ("copy_ca", 43, 0.085, 0.134), ("copy_cg", 16, 0.15, 0.07)],
)
def test_instructions_beside_one_another(kernel, count, reads, loads):
    found = off(kernel)
    assert len(found[0]) == count
    for each, limit in zip(found, (reads, loads), strict=True):
        assert mean(map(abs, each)) < limit, each


def test_lines_in_other_banks_pass_together():
    """Half as many cycles at most on the chip, two thirds here; where all lie in the same banks, one a line or so."""
    number = {(case["kernel"], case["row"], case["stride"]): i for i, case in enumerate(CASES)}
    for kernel, row, apart in (("ldg_16", "32", "288"), ("ldg_8", "16", "272"), ("copy_ca_8", "16", "272")):
        together, alone = cost(number[kernel, row, apart]), cost(number[kernel, row, "128"])
        for few, many, share in zip(together, alone, (0.5, 0.67), strict=True):
            assert few < share * many
            assert 13 < many < 17
