"""Atomics that L2 is too far behind to take wait, and behind them what else asks it. Stores pass, but take room there.

The first of them have left the SM. What is behind these goes on, but for what a way holds (see `ways.py`). Another
warp's loads pass all that no way holds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import ASLEEP, LANES, Access
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, WARP, Parameters, Unit, compiled, constant
from simtc.timing.units.answers import expect_answer, finds_places_at, wait, wait_no_more
from simtc.timing.units.crossbar import AHEAD, send_atomic, takes_atomic
from simtc.timing.units.events import expect_turn
from simtc.timing.units.fills import expect, stage_cycles
from simtc.timing.units.groups import finish
from simtc.timing.units.l1 import WAITING, ask, finds
from simtc.timing.units.memory_queue import QUEUED, flits_of
from simtc.timing.units.returns import in_order
from simtc.timing.units.ways import find_ways, is_held, nth, passes
from simtc.timing.units.write_combining import answered, joins_at

__all__ = ["UNIT", "Waiting", "misses", "take_turn"]

_FOLLOWS = (Access.ATOMIC, Access.GROUP)  # whatever waits


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting(Parameters):
    """What a board says of the queue of atomics."""

    atomic_queue_entries: float = constant("l1.atomic_queue_entries", room=WAITING * LANES)
    left_flits: float = constant("clock.waiting.left_flits")  # of those that wait, that have left the SM
    outside_flits: float = constant("clock.waiting.outside_flits")  # of those, for which no SM stays active
    store_flits: float = constant("clock.waiting.store_flits")  # of the room, for each sector of a store behind them


UNIT = Unit(
    name="waiting",
    parameters=Waiting,
    sm=(
        ("waiting_flits", np.int64),  # of the way up
        ("behind_flits", np.float64),  # of stores behind them
        ("left", np.int64),  # of those that wait, the first ones: they have left the SM, or have asked
        ("left_flits", np.float64),
        ("turn_at", np.int64),  # when the first one of them may have its turn
        ("behind", np.int64),  # of those that have left, what an atomic on the same way holds
    ),
    warp=(
        ("reds", np.int32),  # that wait: its block may end before they leave
        ("executed", np.int64),  # when L2 has executed the last one that has left
    ),
)


@compiled(int64, CLOCK, OPERATION)
def _leaves_late(ck: Arrays, op: Record) -> Int:
    """Tell whether a block may end before this leaves the SM: RED may, on boards whose room for them is known."""
    return int64(op.access == Access.ATOMIC and not op.returned and ck.chip.waiting.atomic_queue_entries > 0)


@compiled(float64, CLOCK, OPERATION, QUEUED)
def _room_of(ck: Arrays, op: Record, one: Record) -> Float:
    """Return how many flits of the room for what waits an instruction takes."""
    if op.access == Access.GLOBAL_STORE:
        return one.sectors * ck.chip.waiting.store_flits
    return float64(flits_of(op, one))


@compiled(void, CLOCK, SM, OPERATION, QUEUED)
def _follow(ck: Arrays, sm: Record, op: Record, store: Record) -> None:
    """Let a store behind atomics that wait keep its SM active until those have left, though L2 has it at once here."""
    flits = _room_of(ck, op, store)
    if sm.left < sm.waiting < WAITING and flits > 0:
        to = nth(sm, sm.waiting)
        to.warp, to.instruction, to.sectors, to.ways, to.slices = -1, store.instruction, store.sectors, 0, 0
        sm.waiting += 1
        sm.behind_flits += flits


@compiled(void, CLOCK, SM, OPERATION, QUEUED, int64)
def _put(ck: Arrays, sm: Record, op: Record, one: Record, now: Int) -> None:
    """Let an instruction wait behind the others, where it leaves the SM if there is room for it on its way."""
    warp = ck.warps[one.warp]
    if _leaves_late(ck, op):
        warp.reds += 1
        warp.stored = max(warp.stored, now + int64(ck.chip.write_combining.store_answer_cycles))
    to = nth(sm, sm.waiting)
    to.warp, to.instruction, to.sub, to.tags, to.sets = one.warp, one.instruction, one.sub, one.tags, one.sets
    to.wavefronts, to.lines, to.passes, to.sectors = one.wavefronts, one.lines, one.passes, one.sectors
    to.meeting, to.pieces, to.parts, to.far, to.lanes = one.meeting, one.pieces, one.parts, one.far, one.lanes
    to.sent, to.answered = one.sent, one.answered
    for k in range(one.sectors):
        to.list[k] = one.list[k]
    for k in range(to.to.size):
        to.to[k] = one.to[k]
    find_ways(ck, to)
    wait(ck, sm, op, to, now)
    sm.waiting += 1
    sm.waiting_flits += flits_of(op, one)
    if sm.left + 1 == sm.waiting:
        _leave(ck, sm, now)


@compiled(void, SM)
def _drop(sm: Record) -> None:
    """Let the first ones go that wait for nothing: atomics that L2 has taken, and what has asked."""
    while sm.left > 0 and not nth(sm, 0).ways:
        sm.left -= 1
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


@compiled(void, SM, float64, int64)
def _expect(sm: Record, turn: Float, now: Int) -> None:
    """Let what waits take its turn at a time to come, if it does not before."""
    at = int64(math.ceil(turn))
    if sm.turn_at <= now or at < sm.turn_at:
        expect_turn(sm, at)
        sm.turn_at = at


@compiled(int64, CLOCK, SM, OPERATION, QUEUED, int64, float64, int64)
def _join(ck: Arrays, sm: Record, op: Record, atomic: Record, now: Int, looked: Float, waited: Int) -> Int:
    """Send an atomic, or the rest of it, and expect its answer; return 0 where L2 is too far behind to take it now."""
    turn = max(looked - AHEAD, takes_atomic(ck, sm, atomic))
    if not waited or atomic.placeless:
        turn = max(turn, float64(finds_places_at(ck, sm, op, atomic, now)))
    if turn <= now:
        asked = joins_at(ck, sm, atomic, looked) if atomic.sent == 0 else looked
        if send_atomic(ck, sm, op, atomic, asked, now) == 0:
            turn = takes_atomic(ck, sm, atomic)
    if turn > now:
        if turn < ASLEEP:
            _expect(sm, turn, now)
        return 0
    if waited:
        wait_no_more(ck, sm, op, atomic)
    expect_answer(ck, sm, op, atomic, atomic.answered)
    comes, warp = max(atomic.answered, now + 1.0), ck.warps[atomic.warp]
    arrival, after = int64(math.ceil(comes)), in_order(ck, warp, op, comes, float64(now)) if op.returned else comes
    _answer(ck, sm, op, warp, arrival, now, waited)
    expect(ck, sm, op, atomic, arrival, stage_cycles(ck, op, float64(atomic.lines)), after)
    return 1


@compiled(void, CLOCK, SM, QUEUED, int64)
def _ask(ck: Arrays, sm: Record, one: Record, now: Int) -> None:
    """Let what is no atomic ask L2."""
    op, warp = ck.ops[one.instruction], ck.warps[one.warp]
    if op.access == Access.GROUP:
        one.copies = warp.copied
        finish(ck, sm, warp, one, now + 1.0)
    else:
        ask(ck, sm, op, one, now, float64(now), now + 1.0)
    one.ways = 0
    sm.moves_at = min(sm.moves_at, now)


@compiled(void, CLOCK, SM, int64)
def _leave(ck: Arrays, sm: Record, now: Int) -> None:
    """Let atomics leave the SM while there is room for them on their way to L2, and what is behind these ask."""
    while sm.left < sm.waiting:
        one = nth(sm, sm.left)
        op = ck.ops[one.instruction]
        flits = _room_of(ck, op, one)
        if op.access == Access.ATOMIC:
            if sm.left_flits > 0 and sm.left_flits + flits > ck.chip.waiting.left_flits:
                return
            sm.left_flits += flits
        elif op.access == Access.GLOBAL_STORE:
            sm.behind_flits -= flits
        elif op.access != Access.GROUP and sm.up_free - AHEAD > now:
            _expect(sm, sm.up_free - AHEAD, now)
            return
        else:
            sm.waiting_flits -= int64(flits)
            if is_held(ck, sm, one, sm.left):
                one.ways |= op.access == Access.GROUP
                sm.behind += 1
            else:
                _ask(ck, sm, one, now)
        sm.left += 1


@compiled(void, CLOCK, SM, int64)
def _let_go(ck: Arrays, sm: Record, now: Int) -> None:
    """Let those ask that no atomic on their way holds any more."""
    for n in range(sm.left):
        if sm.behind == 0:
            return
        one = nth(sm, n)
        if one.ways and ck.ops[one.instruction].access != Access.ATOMIC and not is_held(ck, sm, one, n):
            _ask(ck, sm, one, now)
            sm.behind -= 1


@compiled(int64, CLOCK, SM, OPERATION, QUEUED, int64)
def misses(ck: Arrays, sm: Record, op: Record, load: Record, now: Int) -> Int:
    """Look a load up; what misses keeps an MSHR, and passes the data stage when its data comes.

    An atomic that L2 is too far behind to take waits, and behind it what has to ask L2 and does not pass it. Stores do.
    """
    if op.access == Access.GLOBAL_STORE:
        _follow(ck, sm, op, load)
        return 0
    looked, is_atomic = sm.tag_free - load.tags, op.access == Access.ATOMIC
    asks = op.access in _FOLLOWS or op.bypasses or op.is_strong or not finds(ck, sm, load)
    if sm.waiting > 0 and asks and (is_atomic or not passes(ck, sm, load)):
        _put(ck, sm, op, load, now)
        last = sm.waiting - 1
        if is_atomic and sm.left > last and not is_held(ck, sm, nth(sm, last), last):
            _expect(sm, now + 1.0, now)
        return 1
    if op.access == Access.GROUP:
        return 0
    if not is_atomic:
        return ask(ck, sm, op, load, now, looked, 0.0)
    sm.drained = max(sm.drained, now + int64(ck.chip.write_combining.end_cycles))
    if not _join(ck, sm, op, load, now, looked, int64(0)):
        _put(ck, sm, op, load, now)
    return 1


@compiled(int64, CLOCK, SM, int64)
def _join_others(ck: Arrays, sm: Record, now: Int) -> Int:
    """Have L2 take what atomics it can of those that have left the SM; return how many."""
    joined, busy = 0, int64(0)
    for n in range(sm.left):
        one = nth(sm, n)
        op = ck.ops[one.instruction]
        if op.access != Access.ATOMIC or not one.ways:
            continue
        if one.slices & busy or is_held(ck, sm, one, n) or not _join(ck, sm, op, one, now, float64(now), int64(1)):
            if one.placeless:
                return joined
            busy |= one.slices
            continue
        sm.waiting_flits -= flits_of(op, one)
        sm.left_flits -= flits_of(op, one)
        one.ways, one.slices = 0, 0
        joined += 1
    return joined


@compiled(void, CLOCK, SM, int64)
def take_turn(ck: Arrays, sm: Record, now: Int) -> None:
    """Let those go on that have waited: atomics that L2 takes now, each behind those for its slices, and the others."""
    _leave(ck, sm, now)
    _drop(sm)
    while sm.left > 0 and _join_others(ck, sm, now):
        sm.moves_at = min(sm.moves_at, now)
        _let_go(ck, sm, now)
        _leave(ck, sm, now)
        _drop(sm)
