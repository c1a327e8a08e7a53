"""Answers of atomics, which take places of L1: of each line as many as lanes meet at one word.

An atomic that finds too few waits at the tags. What comes to these behind it waits, too, and in its sub-core's queue
all behind that; LDS and STS pass as long as few atomics wait.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import ASLEEP, LANES, Access
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, Parameters, Unit, compiled, constant
from simtc.timing.units.memory_queue import QUEUED
from simtc.timing.units.on_the_way import take_place
from simtc.timing.units.places import SETS, hold, most, set_of

__all__ = ["UNIT", "Answers", "expect_answer", "finds_places_at", "wait", "wait_no_more", "waits_behind"]

_BEHIND: Final = (Access.GLOBAL_LOAD, Access.GLOBAL_STORE, Access.COPY, Access.ATOMIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answers(Parameters):
    """What a board says of them."""

    freed_cycles: float = constant("clock.answers.freed_cycles")  # until the places of one that has come are another's


UNIT = Unit(
    name="answers",
    parameters=Answers,
    sm=(
        ("unanswered", np.int64, (SETS,)),  # places of atomics that L2 has not taken yet
        ("placeless", np.int64),  # atomics that wait for places
    ),
)


@compiled(int64, CLOCK, OPERATION)
def _takes_places(ck: Arrays, op: Record) -> Int:
    """Tell whether an instruction is an atomic that takes places."""
    return int64(op.access == Access.ATOMIC and op.returned > 0 and most(ck) > 0)


@compiled(int64, CLOCK, QUEUED, int64)
def _needed(ck: Arrays, atomic: Record, own: Int) -> Int:
    """Return how many places of a set an atomic takes: for no more lanes than a warp has."""
    lines, line = int64(0), int64(-1)
    for k in range(atomic.sectors):
        if atomic.list[k] >> 2 != line:
            line = atomic.list[k] >> 2
            lines += set_of(ck, line) == own
    return min(lines * atomic.meeting, LANES, most(ck))


@compiled(int64, CLOCK, SM, OPERATION, QUEUED, int64)
def finds_places_at(ck: Arrays, sm: Record, op: Record, atomic: Record, now: Int) -> Int:
    """Return when an atomic may find its places: now, when the next one gets free, or when L2 has taken another."""
    at = now
    for own in range(SETS if _takes_places(ck, op) else 0):
        needed = _needed(ck, atomic, own)
        while needed > 0 and sm.held[own] > 0 and sm.places[own, 0] <= now:
            sm.held[own] -= 1
            take_place(sm.places[own], sm.held[own] + 1)
        if needed > 0 and sm.held[own] + sm.unanswered[own] + needed > most(ck):
            at = max(at, int64(math.ceil(sm.places[own, 0])) if sm.held[own] > 0 else ASLEEP)
    return at


@compiled(void, CLOCK, SM, OPERATION, QUEUED, int64)
def wait(ck: Arrays, sm: Record, op: Record, atomic: Record, now: Int) -> None:
    """Let an atomic wait: for places, or if there are some, with these for L2 to take it."""
    atomic.placeless = 0
    if not _takes_places(ck, op):
        return
    atomic.placeless = sm.placeless > 0 or finds_places_at(ck, sm, op, atomic, now) > now
    sm.placeless += atomic.placeless
    for own in range(0 if atomic.placeless else SETS):
        sm.unanswered[own] += _needed(ck, atomic, own)


@compiled(void, CLOCK, SM, OPERATION, QUEUED)
def wait_no_more(ck: Arrays, sm: Record, op: Record, atomic: Record) -> None:
    """Let an atomic go on that has waited."""
    if not _takes_places(ck, op):
        return
    sm.placeless -= atomic.placeless
    for own in range(0 if atomic.placeless else SETS):
        sm.unanswered[own] -= _needed(ck, atomic, own)


@compiled(int64, CLOCK, SM, OPERATION)
def waits_behind(ck: Arrays, sm: Record, op: Record) -> Int:
    """Tell whether an instruction stays in its sub-core's queue because atomics wait: some of these do not."""
    if sm.placeless == 0 or op.access not in _BEHIND:
        return 0
    return int64(not _takes_places(ck, op) or sm.placeless >= ck.chip.l1.tag_queue_entries)


@compiled(void, CLOCK, SM, OPERATION, QUEUED, float64)
def expect_answer(ck: Arrays, sm: Record, op: Record, atomic: Record, t: Float) -> None:
    """Hold the places of an atomic that L2 answers at a time: for 32 lanes at one word no longer than for one."""
    if not _takes_places(ck, op):
        return
    each = ck.chip.crossbar.atomic_packet_cycles + ck.chip.crossbar.atomic_line_cycles
    until = t - (atomic.meeting - 1) * each + ck.chip.answers.freed_cycles
    for k in range(SETS):
        hold(ck, sm, k, _needed(ck, atomic, k), until)
