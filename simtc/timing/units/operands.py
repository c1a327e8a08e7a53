"""Operands: the register banks and the port that arithmetic, memory and matrix instructions of a sub-core share.

How often an instruction reads each bank is known from its registers: banks.py counts it, with the operands that are
kept for `reuse` and without them. The sub-core keeps them for the warp that issues: another one takes their place. On
Hopper two instructions have theirs read at once: the banks begin with one when the last but one before it is
dispatched, and it is dispatched when all its operands are there. Elsewhere the banks are read from dispatch on.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simtc.jit import Arrays, Int, Record
from simtc.machine.types import int64, void
from simtc.timing.constants import Kind, Pipe
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SUB, Parameters, Unit, compiled, constant
from simtc.timing.units.tensor import beside_tensor, claim

__all__ = ["UNIT", "Operands", "read_operands"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operands(Parameters):
    """What a board says of reading registers."""

    reads_ahead: float = constant("issue.reads_ahead")
    source_read_cycles: float = constant("issue.source_read_cycles")


UNIT = Unit(
    name="operands",
    parameters=Operands,
    sub=(
        ("dispatch_free", np.int64),  # when the operands of what issued last have been read
        ("even_last", np.int64),  # the last cycle in which the even bank is read for what issued so far
        ("odd_last", np.int64),
        ("dispatched", np.int64),  # when what issued last was dispatched
        ("dispatched_before", np.int64),  # and what issued before that
        ("port_free", np.int64),  # when the register port has served what issued so far
        ("half_read", np.int64),  # the cycle right behind the last HFMA2.MMA
        ("late", np.int64),  # cycles that what issued last waits for its operands
    ),
)


@compiled(int64, CLOCK, SUB, OPERATION, int64, int64)
def _read_banks(ck: Arrays, sub: Record, op: Record, w: Int, now: Int) -> Int:
    """Read the registers of an instruction that issues; return how long it waits for them."""
    same = sub.last == w
    even, odd = int64(op.even if same else op.lost_even), int64(op.odd if same else op.lost_odd)
    if not ck.chip.operands.reads_ahead:
        return max(even, odd, 1) - 1
    if even + odd == 0:
        return 0
    dispatched, start = now, sub.dispatched if op.second_pass else sub.dispatched_before + 1
    if even:
        sub.even_last = max(sub.even_last, start) + even
        dispatched = max(dispatched, sub.even_last)
    if odd:
        sub.odd_last = max(sub.odd_last, start) + odd
        dispatched = max(dispatched, sub.odd_last)
    sub.dispatched_before, sub.dispatched = sub.dispatched, dispatched + op.second_pass
    return dispatched - now


@compiled(void, CLOCK, SUB, OPERATION, int64, int64)
def read_operands(ck: Arrays, sub: Record, op: Record, w: Int, now: Int) -> None:
    """Read the operands of an instruction that issues: it is dispatched when the banks have them in its window."""
    waits = _read_banks(ck, sub, op, w, now) + op.second_pass
    sub.dispatch_free = now + 1 + waits
    if op.pipe == Pipe.FP16:
        sub.half_read = now + 1
    elif op.behind_half and sub.half_read == now:
        sub.dispatch_free += op.behind_half
    sub.late = waits if ck.chip.operands.reads_ahead else int64(0)
    if op.pipe == Pipe.TENSOR:
        sub.port_free = now + op.tokens
        claim(sub, op, now)
    elif op.tokens > 0:
        sub.port_free = max(sub.port_free, now) + op.tokens
        if sub.tensor_until > now:
            sub.tensor_until += op.tokens
            if op.kind != Kind.MEMORY:
                sub.late += beside_tensor(sub, sub.port_wait, now)
