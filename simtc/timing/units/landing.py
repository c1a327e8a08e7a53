"""Where copies past L1 land, and how they leave: one behind the other, each when all of its places have been written.

What goes where something is still on its way goes along with that, and L2 is not asked again. A place for which L2 is
asked again holds up all copies to it that have not left: programs that read what they copy have none of either.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, Parameters, Unit, compiled, constant, launched
from simtc.timing.units.events import expect_fill
from simtc.timing.units.memory_queue import QUEUED

__all__ = [
    "UNIT",
    "Landing",
    "comes",
    "is_held",
    "lands",
    "leaves",
    "look_up",
    "note",
    "shared_at",
    "sooner",
    "turn_of",
]

_UNIT: Final = 16  # bytes of a place
_PLACES: Final = 16384  # of shared memory that can be told apart: all that an SM has
_ABLE: Final = 1024  # as many as are on their way
_PLACE = np.dtype([("comes", np.float64), ("copy", np.int32), ("warp", np.int32)])  # its last copy, and whose it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Landing(Parameters):
    """What a board says of it."""

    copy_piece_cycles: float = constant("l1.copy_piece_cycles")
    tag_lines_per_cycle: float = constant("l1.tag_lines_per_cycle")
    again_cycles: float = constant("clock.landing.again_cycles")  # before its turn, for which a copy waits no more
    turn_cycles: float = constant("clock.landing.turn_cycles")  # of a copy that leaves, beside those of its lines
    along_cycles: float = constant("clock.landing.along_cycles")  # and where some of it went along with others
    sooner_cycles: float = constant("clock.landing.sooner_cycles")  # than through L1, what has come is there
    slots: float = launched("slots")
    warps: float = launched("warps")
    block_shared_bytes: float = launched("block_shared_bytes")


UNIT = Unit(
    name="landing",
    parameters=Landing,
    sm=(
        ("landings", _PLACE, (_PLACES,)),
        ("copy_left", np.float64),  # when the last copy past L1 has left
        ("copy_age", np.int64),  # of the next one: less of those before
        ("able", np.int64, (_ABLE,)),  # ages of copies that may leave, and wait for their turn
        ("able_count", np.int64),
    ),
    warp=(
        ("overwrites", np.int64),  # 1 from when it copies to a place of a copy of its own that has not left
        ("gone", np.int64),  # of its copies
        ("held_until", np.int64),  # by a place that L2 was asked for again
    ),
)


@compiled(int64, CLOCK, int64)
def shared_at(ck: Arrays, w: Int) -> Int:
    """Return where the shared memory of a warp's block begins in that of its SM."""
    own = ck.chip.landing
    return int64(w // int64(own.warps) % int64(own.slots) * own.block_shared_bytes)


@compiled(int64, CLOCK, QUEUED, int64)
def _place(ck: Arrays, copy: Record, k: Int) -> Int:
    """Return the place to which a copy's k-th sector goes."""
    return int64((shared_at(ck, copy.warp) // _UNIT + copy.to[k]) % _PLACES)


@compiled(void, CLOCK, SM, QUEUED, int64, float64)
def lands(ck: Arrays, sm: Record, copy: Record, k: Int, t: Float) -> None:
    """Note when the k-th sector of a copy comes, which L2 was asked for."""
    place = sm.landings[_place(ck, copy, k)]
    place.comes, place.copy, place.warp = t, ck.warps[copy.warp].copied + 1, copy.warp


@compiled(float64, CLOCK, SM, QUEUED, int64)
def comes(ck: Arrays, sm: Record, copy: Record, k: Int) -> Float:
    """Return when what the place of a copy's k-th sector waits for comes."""
    return float64(sm.landings[_place(ck, copy, k)].comes)


@compiled(int64, QUEUED, int64, int64)
def _most(copy: Record, first: Int, end: Int) -> Int:
    """Return how many of a copy's lines go to one of shared memory at most, of pieces in sectors [first, end)."""
    most = int64(0)
    for k in range(first, end):
        lines, line = int64(0), int64(-1)
        for i in range(first, end):
            if copy.pieces >> i & 1 and copy.to[i] >> 3 == copy.to[k] >> 3 and copy.list[i] >> 2 != line:
                line = copy.list[i] >> 2
                lines += 1
        most = max(most, lines)
    return most


@compiled(float64, CLOCK, QUEUED)
def _passes(ck: Arrays, copy: Record) -> Float:
    """Return in how many passes a copy is written: of some lines together, one for each that goes to the same line."""
    own = ck.chip.landing
    cycles, lines, first, line = 0.0, 0.0, int64(0), int64(-1)
    for k in range(copy.sectors):
        if copy.list[k] >> 2 != line:
            if lines >= own.tag_lines_per_cycle:
                cycles += _most(copy, first, k)
                lines, first = 0.0, k
            line = copy.list[k] >> 2
            lines += 1
    return cycles + _most(copy, first, int64(copy.sectors))


@compiled(float64, CLOCK, QUEUED)
def turn_of(ck: Arrays, copy: Record) -> Float:
    """Return how long the turn of a copy takes of which nothing goes along with others."""
    return _passes(ck, copy) + ck.chip.landing.turn_cycles


@compiled(int64, CLOCK, SM, QUEUED, int64, float64)
def _is_awaited(ck: Arrays, sm: Record, copy: Record, k: Int, looked: Float) -> Int:
    """Tell whether the place of a copy's k-th sector still waits for another one when the copy is looked up.

    If so, or if what came for it has not left, its warp is one that overwrites what it copies.
    """
    warp, place = ck.warps[copy.warp], sm.landings[_place(ck, copy, k)]
    if place.warp != copy.warp or place.copy <= warp.gone:
        return 0
    warp.overwrites = 1
    place.copy = warp.copied + 1
    return int64(place.comes > looked)


@compiled(float64, CLOCK, SM, QUEUED, float64)
def look_up(ck: Arrays, sm: Record, copy: Record, t: Float) -> Float:
    """Look a copy's pieces up from a time on; return how long that takes.

    Those that go along with what is on its way take as long as they take to leave.
    """
    cycles, along = 0.0, -1.0
    copy.along = 0
    for k in range(copy.sectors):
        if not copy.pieces >> k & 1:
            continue
        if _is_awaited(ck, sm, copy, k, t + cycles):
            along = _passes(ck, copy) / copy.parts if along < 0 else along
            copy.along |= int64(1) << k
            cycles += along
        else:
            cycles += ck.chip.landing.copy_piece_cycles
    return cycles


@compiled(void, CLOCK, SM, QUEUED, int64)
def note(ck: Arrays, sm: Record, copy: Record, number: Int) -> None:
    """Note the places of a copy past L1 that is on its way under a number."""
    miss = sm.mshrs[number]
    own = ck.chip.landing
    miss.places, miss.is_able, miss.age, miss.turn = copy.sectors, 0, sm.copy_age, 0.0
    if own.turn_cycles > 0:
        miss.turn = _passes(ck, copy) + (own.along_cycles if copy.along else own.turn_cycles)
    sm.copy_age += 1
    for k in range(copy.sectors):
        miss.to[k] = _place(ck, copy, k)


@compiled(float64, SM, int64)
def _written_at(sm: Record, number: Int) -> Float:
    """Return when all places of a copy will have been written, as far as L2 was asked for them."""
    miss, t = sm.mshrs[number], 0.0
    for k in range(miss.places):
        t = max(t, sm.landings[miss.to[k]].comes)
    return t


@compiled(int64, SM)
def _oldest(sm: Record) -> Int:
    """Return where in the list of copies that may leave the oldest one is."""
    oldest = int64(0)
    for i in range(sm.able_count):
        oldest = i if sm.able[i] < sm.able[oldest] else oldest
    return oldest


@compiled(void, SM, int64)
def _unlist(sm: Record, age: Int) -> None:
    """Take a copy off the list of those that may leave."""
    for i in range(sm.able_count):
        if sm.able[i] == age:
            sm.able_count -= 1
            sm.able[i] = sm.able[sm.able_count]
            return


@compiled(int64, CLOCK, SM, int64, int64)
def is_held(ck: Arrays, sm: Record, number: Int, now: Int) -> Int:
    """Tell whether a copy of which all has come waits for its places, or for its turn; then it comes once more.

    Only where its warp overwrites what it copies: others leave as they come.
    """
    miss, again = sm.mshrs[number], ck.chip.landing.again_cycles
    warp = ck.warps[miss.warp]
    if miss.places == 0 or not warp.overwrites:
        if miss.is_able:  # of a block that ended without waiting for it
            _unlist(sm, miss.age)
            miss.is_able = 0
        warp.gone += miss.order > 0
        return 0
    due = float64(warp.held_until)
    if miss.order > warp.gone + 1:
        due = max(due, now + 1.0)
    else:
        due = max(due, _written_at(sm, number))
        if due > now:
            warp.held_until = int64(math.ceil(due))
    if due > now and miss.is_able:
        _unlist(sm, miss.age)
        miss.is_able = 0
    elif due <= now and not miss.is_able:
        sm.able[sm.able_count] = miss.age
        sm.able_count += 1
        miss.is_able = 1
    due = max(due, sm.copy_left - again)
    if due <= now and sm.able[_oldest(sm)] < miss.age:
        due = now + 1.0
    if due > now:
        expect_fill(sm, int64(math.ceil(due)), number)
        return 1
    _unlist(sm, miss.age)
    sm.copy_left = miss.turn + (sm.copy_left if sm.copy_left > now - 1 else now)  # in a fraction of a cycle
    warp.gone += 1
    return 0


@compiled(float64, CLOCK, OPERATION)
def sooner(ck: Arrays, op: Record) -> Float:
    """Return how much sooner a copy is there that passes L1 by than one that passes it."""
    return float64(ck.chip.landing.sooner_cycles) if op.bypasses else 0.0


@compiled(float64, SM, int64, float64)
def leaves(sm: Record, number: Int, t: Float) -> Float:
    """Return when a copy has left that comes at t: behind those before it, if it has not waited for its turn."""
    miss = sm.mshrs[number]
    if miss.places == 0:
        return t
    if not miss.is_able:
        sm.copy_left = max(t, sm.copy_left) + miss.turn
    return float64(sm.copy_left)
