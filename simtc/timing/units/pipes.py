"""The pipes of a sub-core: each takes an instruction, then none for the interval of that instruction.

The FMA pipe of Hopper has two halves of 16 lanes. FFMA goes to the half that the instruction before it did not take,
even if the other is free; IMAD goes to the heavy half; HFMA2 takes both.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simtc.jit import Arrays, Int, Record
from simtc.machine.types import int64, void
from simtc.results.stall import Stall
from simtc.timing.constants import Access, Halves, Pipe
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SUB, Parameters, Unit, compiled, constant

__all__ = ["UNIT", "free_at", "occupy"]

_ARITHMETIC = (Pipe.ALU, Pipe.FMA, Pipe.FMA_HEAVY, Pipe.FP16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pipes(Parameters):
    """What a board says of the pipes beside the rates of their instructions."""

    behind_special_cycles: float = constant("clock.pipes.behind_special_cycles")  # of the FMA pipe, from MUFU on
    wide_tensor_cycles: float = constant(  # of arithmetic, from HMMA on that writes four registers
        "clock.pipes.wide_tensor_cycles"
    )


UNIT = Unit(
    name="pipes",
    parameters=Pipes,
    sub=(
        ("free", np.int64, (Pipe.COUNT,)),  # when each pipe takes its next instruction
        ("busy", np.int64, (Pipe.COUNT,)),  # cycles each pipe was occupied
        ("heavy_last", np.int64),  # 1 where the heavy half of the FMA pipe was taken last
    ),
    stalls=(Stall.math_pipe_throttle,),
)


@compiled(int64, SUB, OPERATION)
def free_at(sub: Record, op: Record) -> Int:
    """Return when the pipe of an instruction takes it; matrix instructions wait for the register port, too."""
    if op.halves == Halves.OTHER:
        return int64(sub.free[Pipe.FMA] if sub.heavy_last else sub.free[Pipe.FMA_HEAVY])
    if op.halves == Halves.BOTH:
        return int64(max(sub.free[Pipe.FMA], sub.free[Pipe.FMA_HEAVY]))
    free = sub.free[op.pipe]
    return int64(max(free, sub.port_free) if op.pipe == Pipe.TENSOR else free)


@compiled(void, CLOCK, SUB, OPERATION, int64)
def occupy(ck: Arrays, sub: Record, op: Record, now: Int) -> None:
    """Occupy the pipe of an instruction that issues."""
    if op.access == Access.SPECIAL:
        behind = now + int64(ck.chip.pipes.behind_special_cycles)
        sub.free[Pipe.FMA] = max(sub.free[Pipe.FMA], behind)
        sub.free[Pipe.FMA_HEAVY] = max(sub.free[Pipe.FMA_HEAVY], behind)
    if op.is_wide:
        behind = now + int64(ck.chip.pipes.wide_tensor_cycles)
        for pipe in _ARITHMETIC:
            sub.free[pipe] = max(sub.free[pipe], behind)
    if op.pipe == Pipe.NONE:
        return
    sub.busy[op.pipe] += op.interval
    if op.halves == Halves.OTHER:
        half = Pipe.FMA if sub.heavy_last else Pipe.FMA_HEAVY
        sub.free[half], sub.heavy_last = now + 2 * op.interval, 1 - sub.heavy_last
        return
    sub.free[op.pipe] = now + op.interval
    if op.halves == Halves.HEAVY:
        sub.heavy_last = 1
    elif op.halves == Halves.BOTH:
        sub.free[Pipe.FMA] = now + op.interval
