"""Atomics that L2 is too far behind to take wait in an SM, and behind them what else asks it. Stores pass them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import LANES, Access
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, WARP, Parameters, Unit, compiled, constant
from simtc.timing.units.crossbar import AHEAD, send_atomic, takes_atomic
from simtc.timing.units.events import expect_turn
from simtc.timing.units.l1 import WAITING, ask, expect, finds, stage_cycles
from simtc.timing.units.ldgsts import grouped_at
from simtc.timing.units.memory_queue import QUEUED, QUEUED_FIELDS
from simtc.timing.units.scoreboards import complete
from simtc.timing.units.write_combining import answered, joins_at

__all__ = ["UNIT", "Waiting", "misses", "take_turn"]

_FOLLOWS = (Access.ATOMIC, Access.GROUP)  # whatever waits


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
    warp=(
        ("reds", np.int32),  # that wait: its block may end before they leave
        ("executed", np.int64),  # when L2 has executed the last one that has left
    ),
)


@compiled(int64, OPERATION, QUEUED)
def _flits(op: Record, one: Record) -> Int:
    """Return the flits of what waits: heads, and the sectors of atomics, but for lone words."""
    if op.access == Access.GROUP:
        return 0
    heads = one.meeting * one.lines
    alone = op.access != Access.ATOMIC or (not op.returned and heads >= LANES)
    return heads if alone else heads + one.meeting * one.sectors


@compiled(int64, CLOCK, OPERATION)
def _leaves_late(ck: Arrays, op: Record) -> Int:
    """Tell whether a block may end before this leaves the SM: RED may, on boards whose room for them is known."""
    return int64(op.access == Access.ATOMIC and not op.returned and ck.chip.waiting.atomic_queue_entries > 0)


@compiled(void, CLOCK, SM, OPERATION, QUEUED, int64)
def _put(ck: Arrays, sm: Record, op: Record, one: Record, now: Int) -> None:
    """Let an instruction wait behind the others."""
    warp = ck.warps[one.warp]
    if _leaves_late(ck, op):
        warp.reds += 1
        warp.stored = max(warp.stored, now + int64(ck.chip.write_combining.store_answer_cycles))
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


@compiled(void, CLOCK, SM, OPERATION, WARP, int64, int64, int64)
def _answer(ck: Arrays, sm: Record, op: Record, warp: Record, arrival: Int, now: Int, waited: Int) -> None:
    """Note when an atomic that leaves is answered: fences wait until it is, the end of a block not for RED."""
    if not _leaves_late(ck, op):
        answered(warp, arrival)
        return
    answered(warp, now if waited else int64(sm.up_free + ck.chip.write_combining.store_answer_cycles))
    warp.executed = max(warp.executed, arrival)
    warp.reds -= waited


@compiled(int64, CLOCK, SM, OPERATION, QUEUED, int64, float64, int64)
def _join(ck: Arrays, sm: Record, op: Record, atomic: Record, now: Int, looked: Float, waited: Int) -> Int:
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
    _answer(ck, sm, op, ck.warps[atomic.warp], arrival, now, waited)
    expect(sm, atomic, arrival, stage_cycles(ck, op, float64(atomic.lines)))
    return 1


@compiled(int64, CLOCK, SM, OPERATION, QUEUED, int64)
def misses(ck: Arrays, sm: Record, op: Record, load: Record, now: Int) -> Int:
    """Look a load up; what misses keeps an MSHR, and passes the data stage when its data comes.

    An atomic that L2 is too far behind to take waits, and behind it whatever else has to ask L2. Stores pass it.
    """
    if op.access == Access.GLOBAL_STORE:
        return 0
    looked = sm.tag_free - load.tags
    if sm.waiting > 0 and (op.access in _FOLLOWS or op.bypasses or not finds(ck, sm, load)):
        _put(ck, sm, op, load, now)
        return 1
    if op.access == Access.GROUP:
        return 0
    if op.access == Access.ATOMIC:
        if not _join(ck, sm, op, load, now, looked, int64(0)):
            _put(ck, sm, op, load, now)
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
        elif op.access != Access.ATOMIC:
            if sm.up_free - AHEAD > now:
                expect_turn(sm, int64(math.ceil(sm.up_free - AHEAD)))
                return
            ask(ck, sm, op, one, now, float64(now), now + 1.0)
        elif not _join(ck, sm, op, one, now, float64(now), int64(1)):
            return
        _drop(sm, op)
        sm.moves_at = min(sm.moves_at, now)
