"""Places of L1: a line on its way takes one, so that no more are on their way than L1 has lines beside shared memory.

Lines of loads leave their places in the order in which they were asked for. Those of LDGSTS keep theirs until all that
the instruction copies has come, and the warp's copies before it, and has been written to shared memory.
"""

from __future__ import annotations

from typing import Final

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import LINE, WAYS, Access
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, compiled
from simtc.timing.units.l2_tags import NEVER
from simtc.timing.units.on_the_way import hold_place, take_place

__all__ = ["PENDING", "hold", "is_shared", "note_line", "room_at"]

PENDING: Final = 2048  # lines on their way that the clock has room for


@compiled(int64, CLOCK)
def _most(ck: Arrays) -> Int:
    """Return how many places there are: as many as lines; 0 on boards where nobody is known to wait."""
    own = ck.chip.l1
    if own.freed_cycles == 0:
        return int64(0)
    return min(int64(own.l1_sets * WAYS + own.unused_bytes / LINE), PENDING)


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
def room_at(ck: Arrays, sm: Record, lines: Int) -> Float:
    """Return when there is a place for a line, beside those that are held and so many more of the same copy."""
    most = _most(ck)
    if most == 0 or sm.held == 0 or sm.held + lines < most:
        return 0.0
    sm.held -= 1
    return take_place(sm.places, sm.held + 1)


@compiled(void, CLOCK, SM, int64, float64)
def hold(ck: Arrays, sm: Record, lines: Int, until: Float) -> None:
    """Hold the places of so many lines until a time."""
    if _most(ck) > 0:
        for _ in range(lines):
            hold_place(sm.places, sm.held, until)
            sm.held += 1


@compiled(int64, CLOCK, SM, OPERATION, float64, int64)
def note_line(ck: Arrays, sm: Record, op: Record, t: Float, held: Int) -> Int:
    """Note when a line comes that was asked for, 0 for one that was not; return how many places are still to be held.

    A load's line has its place until then: none. A copy's keeps it until all of the copy has come: 1. A line that is
    `held` has its place already: another one asked for other sectors of it.
    """
    if t == 0 or op.access == Access.COPY:
        return int64(t > 0 and not held)
    sm.come = max(sm.come, t)
    if not held:
        hold(ck, sm, int64(1), sm.come + ck.chip.l1.freed_cycles)
    return int64(0)
