"""The tensor pipe's claim on registers: while a matrix instruction uses their ports, other accesses wait."""

from __future__ import annotations

import numpy as np

from simtc.jit import Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.operation import OPERATION
from simtc.timing.unit import SUB, Unit, compiled

__all__ = ["UNIT", "beside_tensor", "claim", "held_up"]

UNIT = Unit(
    name="tensor",
    sub=(
        ("tensor_until", np.int64),  # until when a matrix instruction uses the ports of the registers
        ("port_wait", np.float64),  # what each other access to registers waits meanwhile
        ("store_wait", np.float64),  # and each cycle in which what is stored is read
        ("stage_wait", np.float64),  # and the data stage for each wavefront that is loaded
        ("stage_debt", np.float64),  # the part of a cycle that it has still to wait
        ("port_debt", np.float64),  # likewise accesses to registers
    ),
)


@compiled(void, SUB, OPERATION, int64)
def claim(sub: Record, op: Record, now: Int) -> None:
    """Let a matrix instruction that issues use the ports."""
    sub.tensor_until = now + op.tokens
    sub.port_wait, sub.store_wait, sub.stage_wait = op.port_wait, op.store_wait, op.stage_wait


@compiled(int64, SUB, float64, int64)
def beside_tensor(sub: Record, cycles: Float, now: Int) -> Int:
    """Return how long accesses to registers wait for matrix instructions that use the ports, in whole cycles."""
    if sub.tensor_until <= now:
        return 0
    sub.port_debt += cycles
    waits = int64(sub.port_debt)
    sub.port_debt -= waits
    return waits


@compiled(int64, SUB, int64, int64)
def held_up(sub: Record, wavefronts: Int, now: Int) -> Int:
    """Return how long the data stage waits for registers that matrix instructions write, in whole cycles."""
    if sub.tensor_until <= now:
        return 0
    sub.stage_debt += wavefronts * sub.stage_wait
    waits = int64(sub.stage_debt)
    sub.stage_debt -= waits
    return waits
