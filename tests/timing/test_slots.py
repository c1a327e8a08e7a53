"""What the warps of a sub-core take from each other, one microbenchmark a mechanism, beside what an H200 said."""

from __future__ import annotations

from functools import cache

import pytest

from simtc.arch import device
from simtc.reproduce.microbenchmark import cycles, line
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
        (
            "reuse_6/1x32/8/warm",
            0.025,
        ),  # a cycle an iteration: ISETP between FFMA, and a bank that is read twice behind it
        ("reuse_2/1x1024/8/warm", 0.14),  # what was kept is lost to another warp, here more often
        ("hi_x4/1x32/8/warm", 0.0),  # a second pass
        ("wide_x4/1x32/8/warm", 0.0),
        ("product_u64/1x32/8/warm", 0.0),
        ("called_leaves/1x32/8/warm", 0.01),
        ("called_leaves/1x1024/8/warm", 0.03),  # one unit of the SM for RET
        ("mufu_sts/1x512/8/warm", 0.05),  # who waits for XU waits to issue
        ("mufu_shfl/1x1024/8/warm", 0.145),  # eight warps of a sub-core wait for both, here in another order
        ("mix_fma_imad/1x256/8/warm", 0.04),  # FFMA does not wait for IMAD
        ("mix_half/1x1024/8/warm", 0.04),  # HFMA2.MMA does not wait for HFMA2
        ("mix_half_shf/1x128/8/warm", 0.015),  # what is behind HFMA2.MMA: a cycle
        ("mix_runs/1x128/8/warm", 0.015),
        ("far_512/1x32/1,0/cold", 0.0),  # code that the launch before left there
        ("far_512/1x32/1,1/cold", 0.0),
        ("chase/132x32/64,224/warm", 0.01),  # as far from L2 as SMs are in the mean
        ("load_128_x4/132x256/16,132/cold", 0.05),  # channels of DRAM, one of which has most to do
        ("chase/132x32/64,224/cold", 0.025),  # what comes from DRAM comes when a near SM would have it
    ],
)
def test_a_mechanism_takes_what_the_chip_takes(name, near):
    predicted = found()[name].predict().values["cycles"]
    assert predicted == pytest.approx(measured()[name], rel=near, abs=0.5)


def test_a_dmma_reads_the_last_of_its_sources_in_its_last_pass():
    def waits(shape):
        code = [line(f"DMMA.{shape} R8, R16, R32, R8", read=1, stall=1), line("NOP", wait=(1,))]
        return cycles(device("h200"), code)

    interval = device("h200").sm.tensor["DMMA.16816"].issue_interval_cycles
    assert waits("16x8x16") - waits("8x8x4") == interval - 16  # 51 cycles, as sampled program counters say: 47 to 51


def test_what_follows_a_taken_branch_waits_for_its_stall_count(monkeypatch):
    monkeypatch.setenv("SIMTC_HAZARDS", "error")
    assert found()["store_halves/1x128/8,0/warm"].predict().values["cycles"] > 0
