"""The ways to L2 on which an SM's atomics wait: a queue for each stack of memory, behind it one for each slice.

What goes to a slice waits for all atomics that the SM has sent there; what goes to another one of the same stack, for
many of them; what goes elsewhere passes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simtc.jit import Arrays, Int, Record
from simtc.machine.types import int64, void
from simtc.timing.constants import Access
from simtc.timing.unit import CLOCK, SM, Parameters, Unit, compiled, constant
from simtc.timing.units.atomics import atomic_unit
from simtc.timing.units.l1 import WAITING
from simtc.timing.units.memory_queue import QUEUED, QUEUED_FIELDS, flits_of
from simtc.timing.units.slices import stack_of

__all__ = ["UNIT", "Ways", "find_ways", "is_held", "nth", "passes"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Ways(Parameters):
    """What a board says of these queues."""

    slice_flits: float = constant("clock.ways.slice_flits")  # of atomics, that hold up no other slice of their stack


UNIT = Unit(
    name="ways",
    parameters=Ways,
    sm=(
        ("waiting", np.int64),
        ("waiting_head", np.int64),
        ("waiting_queue", QUEUED_FIELDS, (WAITING,)),
    ),
)


@compiled(void, CLOCK, QUEUED)
def find_ways(ck: Arrays, one: Record) -> None:
    """Note to which slices an instruction's sectors go, and on which ways: as those of the other half of L2."""
    of_half, one.ways, one.slices = max(ck.atomic_units.size // 2, 1), 0, 0
    for k in range(one.sectors):
        number = atomic_unit(ck, one.list[k]) % of_half
        one.ways |= int64(1) << stack_of(ck, number, of_half)
        one.slices |= int64(1) << number


@compiled(QUEUED, SM, int64)
def nth(sm: Record, n: Int) -> Record:
    """Return what waits behind n others."""
    return sm.waiting_queue[(sm.waiting_head + n) % WAITING]


@compiled(int64, CLOCK, SM, QUEUED, int64)
def _is_behind_held(ck: Arrays, sm: Record, group: Record, n: Int) -> Int:
    """Tell whether one of the n instructions in front of a group of copies is a copy of its warp that is held."""
    for i in range(n):
        other = nth(sm, i)
        if other.warp == group.warp and other.ways and ck.ops[other.instruction].access == Access.COPY:
            return 1
    return 0


@compiled(int64, CLOCK, SM, QUEUED, int64)
def is_held(ck: Arrays, sm: Record, one: Record, n: Int) -> Int:
    """Tell whether an instruction waits for one of the n atomics in front of it: for its slice, or many on its way.

    A group of copies waits for those of its copies that do.
    """
    if ck.ops[one.instruction].access == Access.GROUP:
        return _is_behind_held(ck, sm, one, n)
    flits = int64(0)
    for i in range(n):
        other = nth(sm, i)
        op = ck.ops[other.instruction]
        if op.access == Access.ATOMIC:
            if other.slices & one.slices:
                return 1
            if other.ways & one.ways:
                flits += flits_of(op, other)
    return int64(flits > ck.chip.ways.slice_flits)


@compiled(int64, CLOCK, SM, QUEUED)
def passes(ck: Arrays, sm: Record, one: Record) -> Int:
    """Tell whether an instruction passes all that waits: none of it is its own warp's, or holds it."""
    for i in range(sm.waiting):
        if nth(sm, i).warp == one.warp:
            return 0
    find_ways(ck, one)
    return int64(not is_held(ck, sm, one, sm.waiting))
