"""Rows that all SMs read past L1, on an H200 (data/same_rows.csv): by LDGSTS into a ring, and by LDG.

Up to 33 SMs take as long as one. All 132 take up to four times as long on the chip, and hardly longer here: their
requests for a line come in step here, so that GPCs coalesce them, and lines are spread over the slices as if by chance.
"""

from __future__ import annotations

import csv
from pathlib import Path
from statistics import mean

import numpy as np

import simtc

DATA = Path(__file__).parent / "data"
STEPS = (8, 24)


def errors(chosen, each=1):
    kernels, found = simtc.load(DATA / "same_rows.sass"), []
    with (DATA / "same_rows.csv").open(encoding="utf-8") as rows:
        for number, case in enumerate(csv.DictReader(rows)):
            one = {name: int(value) for name, value in case.items() if name not in ("how", "cycles")}
            if number // 3 % each or not chosen(one):
                continue
            data, took = np.zeros(one["warps"] * 65536 + 256 * one["stride"] + 1056, np.uint8), []
            for steps in STEPS:
                times = np.zeros(one["blocks"], np.uint32)
                simtc.launch(
                    kernels[case["how"]], one["blocks"], 32 * one["warps"],
                    [data, times, np.int32(steps), np.int32(one["stride"]), np.int32(one["shift"])],
                    device="h200", timing=True, caches="warm", fidelity="full",
                    shared_bytes=0 if case["how"] == "load" else 8192 * one["warps"],
                )  # fmt: skip
                took.append(float(times.mean()))
            found.append((took[1] - took[0]) / (STEPS[1] - STEPS[0]) / float(case["cycles"]) - 1)
    return found


def test_one_sm():
    found = errors(lambda one: one["blocks"] == 1)
    assert len(found) == 72
    assert mean(map(abs, found)) < 0.05


def test_33_sms():
    found = errors(lambda one: one["blocks"] == 33)
    assert len(found) == 72
    assert mean(map(abs, found)) < 0.06


def test_132_sms_are_too_quick():
    found = errors(lambda one: one["blocks"] == 132, each=3)  # all 72 take two minutes
    assert len(found) == 24
    assert mean(map(abs, found)) < 0.21
    assert max(found) < 0.18
