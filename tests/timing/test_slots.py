"""What the warps of a sub-core take from each other, one microbenchmark a mechanism, beside what an H200 said."""

from __future__ import annotations

from functools import cache

import pytest

from simtc.resources import folder
from simtc.validate.campaigns.microbench import MicroCase, cases
from simtc.validate.capture import read_capture
from simtc.validate.chip import Chip
from simtc.validate.validate import campaign_settings

CAPTURE = folder("validate") / "captures" / "h200" / "microbench-pycuda.json"


@cache
def found() -> dict[str, MicroCase]:
    every = cases(campaign_settings("microbench"), Chip(90, "NVIDIA H200"))
    return {case.name: case for case in every if isinstance(case, MicroCase)}


@cache
def measured() -> dict[str, float]:
    return {name: case.measured.get("cycles", 0.0) for name, case in read_capture(CAPTURE).cases.items()}


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("reuse_1/1x32/8/warm", 0.0),  # a bank read twice now and then costs nothing
        ("reuse_3/1x32/8/warm", 0.0),
        ("reuse_6/1x32/8/warm", 0.0),
        ("reuse_2/1x1024/8/warm", 0.03),  # what was kept is lost to another warp
        ("hi_x4/1x32/8/warm", 0.0),  # a second pass
        ("wide_x4/1x32/8/warm", 0.0),
        ("product_u64/1x32/8/warm", 0.0),
        ("called_leaves/1x32/8/warm", 0.01),
        ("called_leaves/1x1024/8/warm", 0.03),  # one unit of the SM for RET
        ("mufu_sts/1x512/8/warm", 0.05),  # XU behind the queue of memory instructions
        ("mix_fma_imad/1x256/8/warm", 0.04),  # FFMA does not wait for IMAD
        ("mix_half/1x1024/8/warm", 0.04),  # HFMA2.MMA does not wait for HFMA2
        ("mix_half_shf/1x128/8/warm", 0.015),  # what is behind HFMA2.MMA: a cycle
        ("mix_runs/1x128/8/warm", 0.015),
        ("far_512/1x32/1,0/cold", 0.0),  # code that the launch before left there
        ("far_512/1x32/1,1/cold", 0.0),
    ],
)
def test_a_mechanism_takes_what_the_chip_takes(name, near):
    predicted = found()[name].predict().values["cycles"]
    assert predicted == pytest.approx(measured()[name], rel=near, abs=0.5)


def test_what_follows_a_taken_branch_waits_for_its_stall_count(monkeypatch):
    monkeypatch.setenv("SIMTC_HAZARDS", "error")
    assert found()["store_halves/1x128/8,0/warm"].predict().values["cycles"] > 0
