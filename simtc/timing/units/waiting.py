"""What waits in an SM for L2: atomics that L2 is too far behind to take, and behind them what else has to ask it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import LANES, Access
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, Parameters, Unit, compiled, constant
from simtc.timing.units.crossbar import AHEAD, send_atomic, takes_atomic
from simtc.timing.units.events import expect_turn
from simtc.timing.units.l1 import WAITING, ask, expect, finds, stage_cycles
from simtc.timing.units.ldgsts import grouped_at
from simtc.timing.units.memory_queue import QUEUED, QUEUED_FIELDS
from simtc.timing.units.scoreboards import complete
from simtc.timing.units.shared_memory import enqueue
from simtc.timing.units.write_combining import answered, joins_at

__all__ = ["UNIT", "Waiting", "misses", "take_turn"]

_FOLLOWS = (Access.ATOMIC, Access.GROUP, Access.GLOBAL_STORE)  # whatever waits


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(Parameters):
    """What a board says of the queue of atomics."""

    atomic_queue_entries: float = constant("l1.atomic_queue_entries", room=WAITING * LANES)


UNIT = Unit(
    name="waiting",
    parameters=Waiting,
    sm=(
        ("waiting", np.int64),
        ("waiting_head", np.int64),
        ("waiting_flits", np.int64),  # of the way up
        ("waiting_queue", QUEUED_FIELDS, (WAITING,)),
    ),
)


@compiled(int64, OPERATION, QUEUED)
def _flits(op: Record, one: Record) -> Int:
    """Return the flits of what waits: heads, and the sectors of atomics, but for lone words. Stores have other room."""
    if op.access in (Access.GROUP, Access.GLOBAL_STORE):
        return 0
    heads = one.meeting * one.lines
    alone = op.access != Access.ATOMIC or (not op.returned and heads >= LANES)
    return heads if alone else heads + one.meeting * one.sectors


@compiled(void, SM, OPERATION, QUEUED)
def _put(sm: Record, op: Record, one: Record) -> None:
    """Let an instruction wait behind the others."""
    to = sm.waiting_queue[(sm.waiting_head + sm.waiting) % WAITING]
    to.warp, to.instruction, to.sub, to.tags = one.warp, one.instruction, one.sub, one.tags
    to.wavefronts, to.lines, to.passes, to.sectors = one.wavefronts, one.lines, one.passes, one.sectors
    to.meeting, to.pieces, to.parts = one.meeting, one.pieces, one.parts
    for k in range(one.sectors):
        to.list[k] = one.list[k]
    for k in range(to.to.size):
        to.to[k] = one.to[k]
    sm.waiting += 1
    sm.waiting_flits += _flits(op, one)


@compiled(QUEUED, SM)
def _first(sm: Record) -> Record:
    """Return the instruction that has waited longest."""
    return sm.waiting_queue[sm.waiting_head]


@compiled(void, SM, OPERATION)
def _drop(sm: Record, op: Record) -> None:
    """Let the instruction go that has waited longest."""
    sm.waiting_flits -= _flits(op, _first(sm))
    sm.waiting_head = (sm.waiting_head + 1) % WAITING
    sm.waiting -= 1


@compiled(int64, CLOCK, SM, OPERATION, QUEUED, int64, float64)
def _join(ck: Arrays, sm: Record, op: Record, atomic: Record, now: Int, looked: Float) -> Int:
    """Send an atomic, or the rest of it, and expect its answer; return 0 where L2 is too far behind to take it now."""
    turn = max(looked - AHEAD, takes_atomic(ck, sm, atomic))
    if turn <= now:
        asked = joins_at(ck, sm, atomic, looked) if sm.sent == 0 else looked
        if send_atomic(ck, sm, op, atomic, asked, now) == 0:
            turn = takes_atomic(ck, sm, atomic)
    if turn > now:
        expect_turn(sm, int64(math.ceil(turn)))
        return 0
    arrival = int64(math.ceil(max(sm.answered, now + 1.0)))
    answered(ck.warps[atomic.warp], arrival)
    expect(sm, atomic, arrival, stage_cycles(ck, op, float64(atomic.lines)))
    return 1


@compiled(int64, CLOCK, SM, OPERATION, QUEUED, int64)
def misses(ck: Arrays, sm: Record, op: Record, load: Record, now: Int) -> Int:
    """Look a load up; what misses keeps an MSHR, and passes the data stage when its data comes.

    An atomic that L2 is too far behind to take waits, and behind it whatever else has to ask L2, or stores to it.
    """
    looked = sm.tag_free - load.tags
    if sm.waiting > 0 and (op.access in _FOLLOWS or op.bypasses or not finds(ck, sm, load)):
        _put(sm, op, load)
        return 1
    if op.access in (Access.GROUP, Access.GLOBAL_STORE):
        return 0
    if op.access == Access.ATOMIC:
        if not _join(ck, sm, op, load, now, looked):
            _put(sm, op, load)
        return 1
    return ask(ck, sm, op, load, now, looked, 0.0)


@compiled(void, CLOCK, SM, int64)
def take_turn(ck: Arrays, sm: Record, now: Int) -> None:
    """Let those ask L2 that have waited, up to the next atomic that L2 is too far behind to take."""
    while sm.waiting > 0:
        one = _first(sm)
        op = ck.ops[one.instruction]
        if op.access == Access.GROUP:
            warp = ck.warps[one.warp]
            complete(sm, warp, op, one.warp, grouped_at(warp, now + 1.0))
        elif op.access == Access.GLOBAL_STORE:
            if sm.stage_count >= ck.chip.shared_memory.sm_queue_entries:
                expect_turn(sm, now + 1)
                return
            enqueue(ck, sm, op, one)
        elif op.access != Access.ATOMIC:
            if sm.up_free - AHEAD > now:
                expect_turn(sm, int64(math.ceil(sm.up_free - AHEAD)))
                return
            ask(ck, sm, op, one, now, float64(now), now + 1.0)
        elif not _join(ck, sm, op, one, now, float64(now)):
            return
        _drop(sm, op)
        sm.moves_at = min(sm.moves_at, now)
