"""Barriers whose number is in a register: they pass loads of shared memory that wait in their sub-core's queue.

Behind anything else, stores first of all, they wait for their turn in that queue.
"""

from __future__ import annotations

from simtc.jit import Arrays, Int, Record
from simtc.machine.types import int64, void
from simtc.timing.constants import Access
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, SUB, WARP, compiled
from simtc.timing.units.barrier import send
from simtc.timing.units.events import come_to, lower_board
from simtc.timing.units.lsu import take_entry
from simtc.timing.units.memory_queue import QUEUE

__all__ = ["push_barrier"]


@compiled(int64, CLOCK, SUB)
def _has_only_loads(ck: Arrays, sub: Record) -> Int:
    """Tell whether all that waits in a sub-core's queue loads from shared memory."""
    for i in range(sub.count):
        if ck.ops[sub.queue[(sub.head + i) % QUEUE].instruction].access != Access.SHARED_LOAD:
            return 0
    return 1


@compiled(void, CLOCK, SM, SUB, WARP, OPERATION, int64, int64)
def push_barrier(ck: Arrays, sm: Record, sub: Record, warp: Record, op: Record, w: Int, now: Int) -> None:
    """Have a warp come to a barrier that reads registers: when these have been read, or when it leaves the queue."""
    send(warp)
    if _has_only_loads(ck, sub):
        come_to(sm, now + 1 + op.operand_read, w)
        if op.read_barrier >= 0:
            lower_board(sm, now + op.war, w, op.read_barrier)
        return
    one = sub.queue[(sub.head + sub.count) % QUEUE]
    one.warp, one.instruction, one.sub, one.pushed = w, warp.instruction, sub.index, now
    one.wavefronts, one.lines, one.passes, one.sectors = 0, 0, 0, 0
    take_entry(sm, sub, now)
