"""The pipes of a sub-core: each takes an instruction, then none for the interval of that instruction.

Where the FMA pipe is two halves, each takes a warp in two cycles: f32 goes to the heavy half while the light one is
busy, what multiplies integers or halves only to the heavy one.
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Int, Record
from simtc.machine.types import int64, void
from simtc.results.stall import Stall
from simtc.timing.constants import Pipe
from simtc.timing.operation import OPERATION
from simtc.timing.unit import SUB, Unit, compiled

__all__ = ["UNIT", "free_at", "occupy"]

UNIT = Unit(
    name="pipes",
    sub=(
        ("free", np.int64, (Pipe.COUNT,)),  # when each pipe takes its next instruction
        ("busy", np.int64, (Pipe.COUNT,)),  # cycles each pipe was occupied
    ),
    stalls=(Stall.math_pipe_throttle,),
)


@compiled(int64, SUB, OPERATION)
def free_at(sub: Record, op: Record) -> Int:
    """Return when the pipe of an instruction takes it; matrix instructions wait for the register port, too."""
    free = sub.free[op.pipe]
    if op.either:
        return min(free, sub.free[Pipe.FMA_HEAVY])
    return max(free, sub.port_free) if op.pipe == Pipe.TENSOR else free


@compiled(void, SUB, OPERATION, int64)
def occupy(sub: Record, op: Record, now: Int) -> None:
    """Occupy the pipe of an instruction that issues."""
    pipe = int64(op.pipe)
    if op.either and sub.free[pipe] > now:
        pipe = int64(Pipe.FMA_HEAVY)
    if pipe != Pipe.NONE:
        sub.free[pipe] = now + op.interval
        sub.busy[pipe] += op.interval
