"""Operands: the register banks and the port that arithmetic, memory and matrix instructions of a sub-core share.

How often an instruction reads one bank twice is known from its registers: tables.py counts it.
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Int, Record
from simtc.machine.types import int64, void
from simtc.timing.constants import Kind, Pipe
from simtc.timing.operation import OPERATION
from simtc.timing.unit import SUB, Unit, compiled
from simtc.timing.units.tensor import beside_tensor, claim

__all__ = ["UNIT", "read_operands"]

UNIT = Unit(
    name="operands",
    sub=(
        ("dispatch_free", np.int64),  # when the operands of what issued last have been read
        ("port_free", np.int64),  # when the register port has served what issued so far
        ("late", np.int64),  # cycles that what issued last waits for its operands
    ),
)


@compiled(void, SUB, OPERATION, int64)
def read_operands(sub: Record, op: Record, now: Int) -> None:
    """Read the operands of an instruction that issues: a register more from one bank is a cycle more."""
    sub.late = 0
    sub.dispatch_free = now + 1 + op.conflicts
    if op.pipe == Pipe.TENSOR:
        sub.port_free = now + op.tokens
        claim(sub, op, now)
    elif op.tokens > 0:
        sub.port_free = max(sub.port_free, now) + op.tokens
        if sub.tensor_until > now:
            sub.tensor_until += op.tokens
            if op.kind != Kind.MEMORY:
                sub.late = beside_tensor(sub, sub.port_wait, now)
