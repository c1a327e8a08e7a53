"""Block barriers that not every thread of a warp comes to together, for the values and in the clock.

What is due is what PTX says: a thread waits for all threads of its warp that have not exited, a warp counts 32 threads
once they have come, and a thread whose predicate is off has not. What compilers make of it is in data/control.cu.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from simtc.errors import BadInputError, KernelFaultError
from simtc.isa import ControlCode, Kernel, Parameter
from simtc.run.launch import launch
from simtc.sass import load, parse_instruction

DEVICES = {75: "t4", 80: "a100_sxm", 90: "h200"}
THREAD = np.arange(64)
WAYS = pytest.mark.parametrize("timing", [False, True], ids=["values", "clock"])
CHIPS = pytest.mark.parametrize("sm", DEVICES)


def run(sm, name, threads, *, timing):
    program = load(Path(__file__).with_name("data") / f"control_sm{sm}.sass")
    out = np.zeros(64, np.int32)
    launch(program[name], 1, threads, [out], device=DEVICES[sm], timing=timing)
    return out


def listed(*lines):
    code = [parse_instruction(text, address=16 * place) for place, text in enumerate(lines)]
    slow = tuple(replace(i, control=ControlCode(stall=15)) for i in code)  # nothing is read before it is ready
    return Kernel(name="k", sm=75, instructions=slow, parameters=(Parameter(offset=0, size=8),))


@WAYS
@CHIPS
def test_arrival_of_no_thread_is_none(sm, timing):
    """Warps 1 and 2 step over BAR.ARV with their predicate off; warp 3 reads what warp 0 stored before it arrived."""
    assert np.array_equal(run(sm, "arrive", 128, timing=timing)[:32], 7 * np.arange(32) + 1)


@WAYS
@CHIPS
def test_two_halves_of_a_warp_arrive_once(sm, timing):
    late = np.arange(32) >= 16
    assert np.array_equal(run(sm, "half_arrives", 64, timing=timing)[:32], 7 * np.arange(32) + 1 + late)


@WAYS
@pytest.mark.parametrize(("count", "completes"), [("0x40", True), ("0x60", False)])
def test_arrivals_are_counted_per_warp(count, completes, timing):
    """The halves of warp 0 part before they arrive, and are not two warps: of 96 threads, 32 never come."""
    kernel = listed(
        "S2R R0, SR_TID.X", "ISETP.GE.U32.AND P0, PT, R0, 0x20, PT", "ISETP.GE.U32.AND P1, PT, R0, 0x10, PT",
        "@P0 BRA `(0x80)", "@P1 BRA `(0x70)", f"BAR.ARV 0x1, {count}", "EXIT", "BRA `(0x50)",
        f"BAR.SYNC 0x1, {count}", "EXIT",
    )  # fmt: skip
    if completes:
        assert launch(kernel, 1, 64, [THREAD], timing=timing).instructions == 5 + 1 + 2 + 1 + 4 + 2
        return
    says = r"can never complete: k at 0x0080 BAR.SYNC 0x1, 0x60, .*warp 1, lanes 0-31 wait"
    with pytest.raises(KernelFaultError, match=says):
        launch(kernel, 1, 64, [THREAD], timing=timing)


@WAYS
@CHIPS
def test_half_a_warp_waits_for_the_other_to_exit(sm, timing):
    assert np.array_equal(run(sm, "half_waits", 64, timing=timing), THREAD + 1)
    due = np.where(THREAD % 32 < 16, (THREAD ^ 32) + 1, 0)
    assert np.array_equal(run(sm, "half_exits", 64, timing=timing), due)


@WAYS
@CHIPS
def test_barriers_in_both_branches(sm, timing):
    out = run(sm, "both_branches", 64, timing=timing)
    lower = THREAD % 32 < 16
    due = np.where(lower, 2, 3) * ((THREAD ^ 33) + 1)
    # nvcc keeps an address in a uniform register, which sm_90's branches, apart against its rules, set one by one
    where = ~lower if sm == 90 else lower | ~lower
    assert np.array_equal(out[where], due[where])


@WAYS
@pytest.mark.parametrize("sm", [80, 90])
def test_a_count_over_both_branches(sm, timing):
    assert np.array_equal(run(sm, "counted", 64, timing=timing), np.where(THREAD % 32 < 16, 32, 132))


@WAYS
@CHIPS
def test_halves_of_a_warp_at_two_barriers(sm, timing):
    with pytest.raises(KernelFaultError, match=r"a barrier that can never complete: both_names at .* lanes 0-31 wait"):
        run(sm, "both_names", 64, timing=timing)


@WAYS
def test_warps_that_wait_for_ever(timing):
    kernel = listed("S2R R0, SR_TID.X", "ISETP.GE.U32.AND P0, PT, R0, 0x20, PT", "@P0 BAR.SYNC 0x3, 0x40", "EXIT")
    says = r"can never complete: k at 0x0020 @P0 BAR.SYNC 0x3, 0x40, block \(0, 0, 0\), warp 1, lanes 0-31 wait there"
    with pytest.raises(KernelFaultError, match=says):
        launch(kernel, 1, 64, [THREAD], timing=timing)


def test_the_count_of_threads_in_a_register():
    """Beside a barrier's number the register is the count; one register for both holds the number in its low bits."""
    for lines in (
        ("MOV R2, 0x20", "BAR.SYNC 0x1, R2", "EXIT"),
        ("MOV R2, 0x200001", "BAR.SYNC R2, R2", "EXIT"),
    ):
        kernel = listed("S2R R0, SR_TID.X", "ISETP.LT.U32.AND P0, PT, R0, 0x20, PT", "@P0 BRA `(0x40)", "BRA `(0x30)",
                        *lines)  # fmt: skip
        with pytest.raises(KernelFaultError, match="instruction limit reached: k at 0x0030"):  # warp 0 has ended
            launch(kernel, 1, 64, [THREAD], instruction_limit=1000)


@pytest.mark.parametrize("operands", ["0x10", "-0x1", "0x1, 0x1000", "0x1, -0x1"])
def test_there_are_16_barriers_of_4095_threads(operands):
    with pytest.raises(BadInputError, match=r"at 0x0000: BAR.SYNC .*there are 16 barriers|at most 4095 threads"):
        launch(listed(f"BAR.SYNC {operands}", "EXIT"), 1, 32, [THREAD])
