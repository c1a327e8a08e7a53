"""LDS and STS beside loads and copies that L2 answers, where the data stage never rests (data/stage_costs.csv, H100s).

Of a load 256 bytes pass in a turn, four passes over the banks at most, or two lines that pass together with others:
between two LDG.128 of whole lines come two LDS. STS takes 0.4 cycles more behind each turn.

What the clock lacks: behind copies of 16 and 32 lines LDS waits less on the chip than here (half as many LDS here);
copies past L1 cost STS 6.5 cycles for 512 bytes, here 1.5; lines that a stride takes to slices of L2 out of order take
an SM up to 1.2 cycles each, here one; loads of 32 lines, more than L1 has room for, another tenth.
"""

from __future__ import annotations

from functools import cache
from statistics import mean

import numpy as np
import pytest

import simtc
from simtc.arch import device
from tests.timing.measured import cases_of, code_of, side_by_side

CASES, CODE = cases_of("stage_costs"), code_of("stage_costs")
LASTS, MEASURED, BYTES = 24_000, 100_000, 1 << 20  # cycles here and on the chip; what a warp loads
LOADERS, SHARED = 16, 4096 * 17  # warps that load; bytes of shared memory


def executed(number):
    """Return how many LDS or STS are executed in a thousand cycles, and how many loads."""
    case = CASES[number]
    name, row, stride, readers = case["kernel"], int(case["row"]), int(case["stride"]), int(case["readers"])
    size, name = (0, {"none": "ldg_16", "none_sts": "sts_ldg_16"}[name]) if "none" in name else (BYTES, name)
    step = 8 * 32 * int(name.rsplit("_", 1)[1]) // row * stride
    span = max(size - step, 0) // step * step
    out, data = np.zeros(80, np.uint32), np.zeros(max(LOADERS * size, 128), np.uint8)
    lasts = LASTS if readers else 4 * LASTS
    numbers = (np.int32(value) for value in (row, stride, span, size, readers, lasts))
    threads = 32 * (readers + LOADERS)
    simtc.launch(CODE[name], 1, threads, [out, data, *numbers], device=device("h100_sxm"), timing=True,
                 caches="cold", shared_bytes=SHARED)  # fmt: skip
    return 1e3 * out[:readers].sum() / lasts, 1e3 * out[readers : readers + LOADERS].sum() / lasts


@cache
def all_executed():
    return side_by_side(executed, len(CASES))


def off(chosen, column):
    """Return how far off the instructions of some cases are."""
    which = ("reads", "loads").index(column)
    return [
        all_executed()[number][which] / (1e3 * float(case[column]) / MEASURED) - 1
        for number, case in enumerate(CASES)
        if chosen(case)
    ]


@pytest.mark.parametrize(
    ("kernel", "readers", "count", "reads", "loads"),
    [
        ("none", "16", 1, 0.03, None),
        ("none_sts", "16", 1, 0.03, None),
        ("ldg_4", "16", 20, 0.06, 0.15),
        ("ldg_16", "16", 29, 0.14, 0.17),
        ("ldg_16", "0", 12, None, 0.1),
        ("copy_ca_16", "16", 29, 0.235, 0.16),  # 0.192 until 2026-11-30
        ("copy_cg_16", "16", 29, 0.275, 0.14),  # 0.26 until 2026-11-30
        ("copy_cg_16", "0", 12, None, 0.06),
        ("sts_ldg_16", "16", 29, 0.14, 0.19),
        ("sts_copy_cg_16", "16", 29, 0.34, 0.45),
    ],
)
def test_instructions_beside_one_another(kernel, readers, count, reads, loads):
    def chosen(case):
        return case["kernel"] == kernel and case["readers"] == readers

    for column, limit in (("reads", reads), ("loads", loads)):
        if limit is not None:
            found = off(chosen, column)
            assert len(found) == count
            assert mean(map(abs, found)) < limit, found


@pytest.mark.parametrize(("kernel", "few", "many"), [("ldg_16", 1.9, 2.25), ("sts_ldg_16", 2.1, 2.75)])
def test_a_load_of_whole_lines_has_its_turn_behind_two_others(kernel, few, many):
    """Whole lines, in the same banks or not: as many LDS or STS between loads on the chip and here."""
    for number, case in enumerate(CASES):
        whole = int(case["row"]) >= 128 and case["stride"] == case["row"]
        if case["kernel"] == kernel and case["readers"] == "16" and whole:
            reads, loads = all_executed()[number]
            for between in (reads / loads, float(case["reads"]) / float(case["loads"])):
                assert few < between < many, (case, between)
