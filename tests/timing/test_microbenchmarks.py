"""Every calibration microbenchmark in the clock, beside what an H200's own clock said."""

from __future__ import annotations

import tomllib
from pathlib import Path
from statistics import mean

import pytest

from simtc.resources import folder
from simtc.validate.capture import read_capture
from simtc.validate.compare import replay

NEAR = 0.03
APART = {  # groups that have a limit of their own to the mean error
    "atomics": 0.079, "narrow": 0.055, "crowd": 0.046, "fences": 0.048, "ports_of_sms": 0.082, "code": 0.095,
    "runs": 0.154, "turns": 0.049, "wide": 0.062, "mixes": 0.043, "long_copies": 0.136,
    "streams": 0.108, "counters": 0.075, "bins": 0.1, "hits": 0.15, "fences_alone": 0.102, "banks": 0.11,
    "gates": 0.046, "beside": 0.05, "strides": 0.058, "swaps": 0.016,
}  # fmt: skip
ROOM = 0.005  # that a listed case may be further off than the list says; validate/microbench/misses.py writes it anew
MISSES = tomllib.loads((Path(__file__).parent / "microbench_misses.toml").read_text(encoding="utf-8"))


@pytest.mark.slow
def test_a_microbenchmark_is_within_three_percent_or_listed():
    found = replay(read_capture(folder("validate") / "captures" / "h200" / "microbench-pycuda.json"))
    errors = {point.case: point.predicted / point.measured - 1 for case in found.cases for point in case.points}
    assert len(errors) > 500
    apart = {kernel: group for group in APART for kernel in MISSES[group]["kernels"]}
    for group, limit in (("others", 0.045), *APART.items()):
        own = [abs(error) for name, error in errors.items() if apart.get(name.split("/")[0], "others") == group]
        assert mean(own) < limit, group
    off = MISSES["off"]
    reasons = {kernel for name, group in MISSES.items() if name != "off" for kernel in group["kernels"]}
    for name, error in errors.items():
        assert abs(error) < abs(off.get(name, 0)) / 100 + (ROOM if name in off else NEAR), name
    assert {name.split("/")[0] for name in off} == reasons, "a reason for each, and none too many"
    assert set(off) <= set(errors)
