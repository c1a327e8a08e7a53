"""LDGDEPBAR: a group of copies is there when the data stage has passed all that its warp copied before it."""

from __future__ import annotations

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, WARP, compiled
from simtc.timing.units.ldgsts import GROUPS, grouped_at
from simtc.timing.units.memory_queue import QUEUED
from simtc.timing.units.scoreboards import complete

__all__ = ["finish", "land"]


@compiled(void, CLOCK, SM, WARP, QUEUED, float64)
def finish(ck: Arrays, sm: Record, warp: Record, group: Record, done: Float) -> None:
    """Let a group be there that is itself there by `done`, or have it wait for copies that are still on their way."""
    if warp.landed >= group.copies or warp.groups == GROUPS:
        complete(sm, warp, ck.ops[group.instruction], int64(group.warp), grouped_at(warp, done))
        return
    one = warp.waiting[(warp.first_group + warp.groups) % GROUPS]
    one.copies, one.instruction = group.copies, group.instruction
    warp.groups += 1


@compiled(void, CLOCK, SM, OPERATION, int64, float64)
def land(ck: Arrays, sm: Record, op: Record, w: Int, done: Float) -> None:
    """Note that the data stage has passed a copy, and let the groups be there that waited for it."""
    warp = ck.warps[w]
    if warp.landed == warp.copied:  # of a block that ended without waiting for it
        return
    warp.landed += 1
    while warp.groups > 0 and warp.waiting[warp.first_group].copies <= warp.landed:
        complete(sm, warp, ck.ops[warp.waiting[warp.first_group].instruction], w, done + op.tail)
        warp.first_group = (warp.first_group + 1) % GROUPS
        warp.groups -= 1
