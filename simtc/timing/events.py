"""A heap of what is going to happen in an SM.

Scoreboards come down, places of a queue are free again, data comes from L2.
"""

from __future__ import annotations

from simtc.jit import Int, Record, jit
from simtc.machine.types import int64, void
from simtc.timing.constants import HEAP
from simtc.timing.state import SM_RECORD

__all__ = ["FILL", "PLACE", "expect_fill", "free_place", "lower_board", "take"]

# In the low bits of an event, instead of a scoreboard: a place of a sub-core's queue, or what comes from L2.
PLACE = 8
FILL = 9


@jit(void(SM_RECORD, int64, int64))
def _at(sm: Record, time: Int, what: Int) -> None:
    """Put an event on the heap."""
    i = int64(sm.events)
    if i >= HEAP:
        sm.overflow = 1
        return
    sm.events += 1
    times, whats = sm.heap_time, sm.heap_what
    while i > 0:
        parent = (i - 1) >> 1
        if times[parent] <= time:
            break
        times[i], whats[i] = times[parent], whats[parent]
        i = parent
    times[i], whats[i] = time, what


@jit(void(SM_RECORD, int64, int64, int64))
def lower_board(sm: Record, time: Int, warp: Int, board: Int) -> None:
    """Bring a warp's scoreboard down by one at a time to come."""
    _at(sm, time, warp * 16 + board)


@jit(void(SM_RECORD, int64, int64))
def free_place(sm: Record, time: Int, sub: Int) -> None:
    """Free a place of a sub-core's memory I/O queue at a time to come."""
    _at(sm, time, sub * 16 + PLACE)


@jit(void(SM_RECORD, int64, int64))
def expect_fill(sm: Record, time: Int, number: Int) -> None:
    """Bring the data of a pending load at a time to come."""
    _at(sm, time, number * 16 + FILL)


@jit(int64(SM_RECORD))
def take(sm: Record) -> Int:
    """Take the earliest event off the heap."""
    times, whats = sm.heap_time, sm.heap_what
    what = whats[0]
    sm.events -= 1
    n = int64(sm.events)
    time, moved = times[n], whats[n]
    i = int64(0)
    while True:
        child = 2 * i + 1
        if child >= n:
            break
        if child + 1 < n and times[child + 1] < times[child]:
            child += 1
        if times[child] >= time:
            break
        times[i], whats[i] = times[child], whats[child]
        i = child
    times[i], whats[i] = time, moved
    return what
