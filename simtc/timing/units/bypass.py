"""Copies past L1 at the tags, and what waits for them there.

They leave the tags one behind the other, at their pieces' pace. A group (LDGDEPBAR) takes a place among them; loads and
atomics are looked up behind those before them. What goes to the data stage passes a few of them, and where more wait,
it comes as these leave.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64
from simtc.timing.constants import TAGGED
from simtc.timing.unit import CLOCK, SM, Parameters, Unit, compiled, constant
from simtc.timing.units.landing import turn_of
from simtc.timing.units.memory_queue import QUEUED

__all__ = ["UNIT", "Bypass", "beside_copies_at", "follow", "group_takes_next", "last_leaves_at", "note_bypass"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bypass(Parameters):
    """What a board says of it."""

    bypass_queue_entries: float = constant("l1.bypass_queue_entries", room=TAGGED)
    least_cycles: float = constant("clock.bypass.least_cycles")  # from one copy to the next, at least
    lines_ahead: float = constant("clock.bypass.lines_ahead", room=TAGGED)  # of copies that wait for their pieces
    beside_copies: float = constant("clock.bypass.beside_copies", room=TAGGED)  # that let others by
    beside_cycles: float = constant("clock.bypass.beside_cycles")  # of what passes beside copies of many pieces
    idle_cycles: float = constant("clock.bypass.idle_cycles")  # without such, after which it waits for the next copy
    narrow_pieces: float = constant("clock.bypass.narrow_pieces")  # of a copy beside which others pass at once


UNIT = Unit(
    name="bypass",
    parameters=Bypass,
    sm=(
        ("mixed", np.int64),  # 1 where something else came to the tags after the last copy past L1
        ("bypassed", np.int64),  # copies past L1 and groups that came to the tags
        ("bypassed_at", np.float64, (TAGGED,)),  # when the last of them leave these
        ("asking", np.int64),  # the copies among them
        ("pieces_at", np.float64, (TAGGED,)),  # when all pieces of the last of them have been asked for
        ("beside_cycles", np.int64),  # from one instruction that passes beside the last copy to the next
        ("beside_at", np.int64),  # when the last one did
    ),
)


@compiled(float64, CLOCK, SM, QUEUED, int64, int64)
def note_bypass(ck: Arrays, sm: Record, one: Record, is_group: Int, now: Int) -> Float:
    """Return when a copy past L1 or a group that comes to the tags leaves them, and keep that."""
    own, n, m = ck.chip.bypass, sm.bypassed, sm.asking
    at = max(sm.bypassed_at[(n - 1) % TAGGED], float64(now))
    if own.least_cycles == 0:
        return max(float64(sm.tag_free), float64(sm.pieces_free))
    if not is_group:
        if sm.mixed:
            at = max(at, sm.tag_free - one.tags)
        sm.mixed = 0
        ahead = max(own.lines_ahead // max(one.lines, 1), 1.0)
        at += max(turn_of(ck, one), own.least_cycles)
        at = max(at, sm.pieces_at[(m - int64(ahead)) % TAGGED])
        sm.pieces_at[m % TAGGED] = max(sm.tag_free, sm.pieces_free)
        sm.asking += 1
        sm.beside_cycles = int64(own.beside_cycles) if one.parts > own.narrow_pieces else 1
    sm.bypassed_at[n % TAGGED] = at
    sm.bypassed += 1
    return float64(at)


@compiled(float64, SM)
def last_leaves_at(sm: Record) -> Float:
    """Return when the last copy past L1 leaves the tags."""
    return float64(sm.bypassed_at[(sm.bypassed - 1) % TAGGED])


@compiled(float64, SM, float64)
def follow(sm: Record, t: Float) -> Float:
    """Return when what comes to the tags at a time is looked up: behind the copies past L1 that came before it."""
    sm.mixed = 1
    return max(t, last_leaves_at(sm))


@compiled(int64, CLOCK, SM)
def group_takes_next(ck: Arrays, sm: Record) -> Int:
    """Return when a group of copies past L1 may leave its sub-core's queue for the tags."""
    ahead = int64(ck.chip.bypass.bypass_queue_entries)
    return int64(math.ceil(sm.bypassed_at[(sm.bypassed - ahead) % TAGGED]))


@compiled(int64, CLOCK, SM, int64)
def beside_copies_at(ck: Arrays, sm: Record, now: Int) -> Int:
    """Return when the data stage may take an instruction that comes to it: as copies leave, where several wait."""
    own, n = ck.chip.bypass, sm.bypassed
    if sm.bypassed_at[(n - int64(own.beside_copies)) % TAGGED] <= now:
        return now
    at = now
    if sm.stage_count == 0 and now > sm.beside_at + own.idle_cycles:
        first = n - int64(own.bypass_queue_entries) + 1
        while sm.bypassed_at[first % TAGGED] <= now:
            first += 1
        at = int64(math.ceil(sm.bypassed_at[first % TAGGED]))
    sm.beside_at = max(at, sm.beside_at + sm.beside_cycles)
    return int64(sm.beside_at)
