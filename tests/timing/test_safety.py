"""No shipped kernel reads a fixed-latency result early; a wrong latency is caught."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

from simtc.arch import device
from simtc.errors import SimtcError
from simtc.gemm.shipped import shipped, shipped_names
from simtc.run.launch import launch
from simtc.run.solve import operands, solve
from tests.timing.micro import kernel, line

BOARDS = {70: "v100_sxm2", 75: "t4", 80: "a100_sxm", 90: "h200"}


def least(name):
    """The smallest problem that goes round a kernel's loop more than once."""
    one = shipped(name)
    m, n, k = (max(step, block) for step, block in zip(one.multiple, one.block, strict=True))
    return m, n, 3 * k


@pytest.mark.parametrize(("name", "sm"), [(name, sm) for name in shipped_names() for sm in shipped(name).sms])
def test_no_shipped_kernel_reads_a_result_early(name, sm):
    one, (m, n, k) = shipped(name), least(name)
    solve(one, device(BOARDS[sm]), operands(one, m, n, k), m=m, n=n, k=k, alpha=2.0, beta=1.0, timing=True)


def planted(pipe, **latencies):
    """A T4 whose pipe takes longer."""
    chip = device("t4")
    if pipe is None:
        pipes = dataclasses.replace(chip.sm.pipes, **latencies)
    else:
        slow = dataclasses.replace(getattr(chip.sm.pipes, pipe), **latencies)
        pipes = dataclasses.replace(chip.sm.pipes, **{pipe: slow})
    return dataclasses.replace(chip, cycle_level=dataclasses.replace(chip.sm, pipes=pipes))


@pytest.mark.parametrize(
    ("name", "pipe", "latency", "cycles"),
    [
        ("wmma_tiled", "alu", "safe_same_cycles", 5),
        ("wmma_tiled", "alu", "safe_cross_cycles", 6),
        ("wmma_tiled", "alu", "safe_memory_cycles", 9),
        ("wmma_ragged", "imad", "safe_same_cycles", 5),
        ("wmma_ragged", "imad", "safe_memory_cycles", 9),
        ("wmma_tiled", "imad_wide", "safe_same_cycles", 3),
        ("mma_m16n8k8_f32", "fma", "safe_memory_cycles", 9),
        ("mma_m16n8k8_f32", "uniform", "safe_cross_cycles", 7),
        ("wmma_tiled", None, "safe_predicate_cycles", 13),
    ],
)
def test_a_latency_that_is_one_cycle_too_long_is_caught(name, pipe, latency, cycles):
    """Compiled code keeps exactly the distances of the table: one cycle more, and some read of it is too early."""
    one, (m, n, k) = shipped(name), least(name)
    with pytest.raises(SimtcError, match="before it is ready, the worst 1 cycles early"):
        solve(one, planted(pipe, **{latency: cycles}), operands(one, m, n, k), m=m, n=n, k=k, timing=True)


@pytest.mark.parametrize(
    ("reader", "distance"),
    [
        ("@P0 IADD3 R8, R4, R5, RZ", {"v100_pcie": 12, "t4": 12, "a100_sxm": 13, "h200": 13}),
        ("@P0 EXIT", {"v100_pcie": 12, "t4": 12, "a100_sxm": 13, "h200": 13}),
        ("SEL R8, R4, R5, P0", dict.fromkeys(BOARDS.values(), 4)),
        ("IMAD.X R8, R4, R5, R4, P0", dict.fromkeys(BOARDS.values(), 5)),
    ],
)
def test_predicates_are_read_early_as_guards_and_late_as_operands(reader, distance):
    for board, cycles in distance.items():
        chip = device(board)

        def run(stall, chip=chip):
            body = [line("ISETP.GE.AND P0, PT, R4, R5, PT", stall=stall), line(reader, stall=5)]
            one = kernel("reads", int(chip.sm_name.removeprefix("sm_")), body)
            launch(one, 1, 32, [np.zeros(64, np.int32)], device=chip, timing=True)

        run(cycles)
        with pytest.raises(SimtcError, match="the worst 1 cycles early"):
            run(cycles - 1)
