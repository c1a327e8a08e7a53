"""The pipes of a sub-core: each takes an instruction, then none for the interval of that instruction."""

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
    return max(free, sub.port_free) if op.pipe == Pipe.TENSOR else free


@compiled(void, SUB, OPERATION, int64)
def occupy(sub: Record, op: Record, now: Int) -> None:
    """Occupy the pipe of an instruction that issues."""
    if op.pipe != Pipe.NONE:
        sub.free[op.pipe] = now + op.interval
        sub.busy[op.pipe] += op.interval
