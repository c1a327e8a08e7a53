"""Places of L1: a line on its way takes one, so that no more are on their way than L1 has lines beside shared memory.

They are in four sets, which parities of the address choose. Each set has tags of its own: they look a line up in a
cycle, and take one more where it is not there. A load's or a copy's lines keep their places until all of them have
come, a copy's until all that its warp copied before has been written, too. Atomics with a result take some for their
answers (answers.py).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import LINE, WAYS, Access
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, Parameters, Unit, compiled, constant
from simtc.timing.units.addresses import parity, spread
from simtc.timing.units.l2_tags import NEVER
from simtc.timing.units.memory_queue import QUEUED
from simtc.timing.units.on_the_way import hold_place, take_place

__all__ = [
    "SETS",
    "UNIT",
    "Places",
    "cycles_by_set",
    "hold",
    "hold_lines",
    "is_shared",
    "most",
    "room_at",
    "set_of",
    "tags_free_at",
    "take_tags",
]

SETS: Final = 4
_COUNT: Final = 8  # bits that count the lines of an instruction
_PENDING: Final = 512  # lines of a set on their way that the clock has room for


@dataclass(frozen=True, slots=True, kw_only=True)
class Places(Parameters):
    """What a board says of them."""

    freed_cycles: float = constant("l1.freed_cycles")  # 0 where nobody is known to wait
    copy_freed_cycles: float = constant("l1.copy_freed_cycles")
    no_places: float = constant("clock.places.no_places")  # of a set's lines
    tag_cycles: float = constant("clock.places.tag_cycles")  # of a line, and again of one that is not there
    tags_ahead_cycles: float = constant("clock.places.tags_ahead_cycles")  # by which what is next may come sooner
    bit_0: float = constant("clock.places.bit_0")  # bits of the address, whose parity is the lowest bit of its set
    bit_1: float = constant("clock.places.bit_1")  # and the other one; 0 where no one knows


UNIT = Unit(
    name="places",
    parameters=Places,
    sm=(
        ("held", np.int64, (SETS,)),  # places of what is on its way
        ("places", np.float64, (SETS, _PENDING)),  # when they get free
        ("needed", np.int64, (SETS,)),  # places that the instruction at the tags needs
        ("tags_free", np.float64, (SETS,)),  # when the tags of a set have done with it
    ),
)


@compiled(int64, CLOCK)
def most(ck: Arrays) -> Int:
    """Return how many places a set has; 0 on boards where nobody is known to wait."""
    if ck.chip.places.freed_cycles == 0:
        return int64(0)
    lines = ck.chip.l1.l1_sets * WAYS + ck.chip.l1.unused_bytes / LINE
    return min(int64(lines / SETS - ck.chip.places.no_places), _PENDING)


@compiled(int64, CLOCK, int64)
def set_of(ck: Arrays, line: Int) -> Int:
    """Return which set a line is of; where that is unknown, one as if by chance."""
    own = ck.chip.places
    if own.bit_0 == 0:
        return spread(line) % SETS
    return parity(line * LINE, int64(own.bit_0)) + 2 * parity(line * LINE, int64(own.bit_1))


@compiled(int64, QUEUED, int64)
def _lines_of_set(one: Record, own: Int) -> Int:
    return one.sets >> _COUNT * own & (1 << _COUNT) - 1


@compiled(float64, CLOCK, QUEUED)
def cycles_by_set(ck: Arrays, one: Record) -> Float:
    """Count an instruction's lines by set, and return how long the tags take that look up most of them.

    A line is looked up once for all lanes of the warp, also for words of 8 and 16 bytes.
    """
    line, most = int64(-1), int64(0)
    if ck.chip.places.tag_cycles == 0 or one.sectors == 0:
        return 0.0
    one.lines = 0
    for k in range(one.sectors):
        if one.list[k] >> 2 != line:
            line = one.list[k] >> 2
            own = set_of(ck, line)
            one.lines += 1
            one.sets += int64(1) << _COUNT * own
            most = max(most, _lines_of_set(one, own))
    return ck.chip.places.tag_cycles * most


@compiled(float64, CLOCK, SM, QUEUED, float64)
def tags_free_at(ck: Arrays, sm: Record, one: Record, t: Float) -> Float:
    """Return when an instruction that comes to the tags at t may take those it needs, behind what was before."""
    for own in range(SETS):
        if _lines_of_set(one, own):
            t = max(t, float64(sm.tags_free[own]) - ck.chip.places.tags_ahead_cycles)
    return t


@compiled(void, CLOCK, SM, QUEUED, float64)
def take_tags(ck: Arrays, sm: Record, one: Record, t: Float) -> None:
    """Take the tags of each set from t on for an instruction's lines, and again for those that are not there."""
    for own in range(SETS):
        if sm.needed[own]:
            cycles = ck.chip.places.tag_cycles * (_lines_of_set(one, own) + sm.needed[own])
            sm.tags_free[own] = max(float64(sm.tags_free[own]), t) + cycles


@compiled(int64, CLOCK, SM, OPERATION, int64, float64)
def is_shared(ck: Arrays, sm: Record, op: Record, place: Int, t: Float) -> Int:
    """Tell whether some of the line at a place is on its way, whose place other loads and copies of that line share.

    Strong loads share none: each holds a place of its own.
    """
    if op.is_strong:
        return 0
    for k in range(4):
        if t < ck.l1_ready[sm.number, 4 * place + k] < NEVER:
            return 1
    return 0


@compiled(float64, CLOCK, SM, int64)
def room_at(ck: Arrays, sm: Record, line: Int) -> Float:
    """Return when there is a place for one more line of an instruction, beside those that are held."""
    own, at = set_of(ck, line), 0.0
    sm.needed[own] += 1
    while sm.held[own] > 0 and sm.held[own] + sm.needed[own] > most(ck):
        sm.held[own] -= 1
        at = max(at, take_place(sm.places[own], sm.held[own] + 1))
    return at


@compiled(void, CLOCK, SM, int64, int64, float64)
def hold(ck: Arrays, sm: Record, own: Int, count: Int, until: Float) -> None:
    """Hold some places of a set until a time."""
    for _ in range(min(count, most(ck) - sm.held[own])):
        hold_place(sm.places[own], sm.held[own], until)
        sm.held[own] += 1


@compiled(void, CLOCK, SM, OPERATION, float64, float64)
def hold_lines(ck: Arrays, sm: Record, op: Record, t: Float, done: Float) -> None:
    """Hold the places of an instruction all of whose lines have come at a time, a copy's not before others are done.

    Strong loads free theirs at once.
    """
    if op.access == Access.COPY:
        until = max(t, done) + ck.chip.places.copy_freed_cycles
    else:
        until = t + (0.0 if op.is_strong else ck.chip.places.freed_cycles)
    for own in range(SETS):
        hold(ck, sm, own, sm.needed[own], until)
        sm.needed[own] = 0
