"""What is going to happen in an SM: a heap of times at which scoreboards come down and queue places are free again."""

from __future__ import annotations

from simtc.jit import Array, Int, Record, jit
from simtc.machine.types import int64, void
from simtc.timing.state import HEAP, SM_RECORD, SUB_RECORD, WARP_RECORD

__all__ = ["free_place", "lower_board", "settle"]

_PLACE = 8  # in the low bits of an event: a place of a sub-core's queue, instead of a scoreboard


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
    _at(sm, time, sub * 16 + _PLACE)


@jit(int64(SM_RECORD))
def _take(sm: Record) -> Int:
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


@jit(void(SM_RECORD, SUB_RECORD[::1], WARP_RECORD[::1], int64))
def settle(sm: Record, subs: Array, warps: Array, now: Int) -> None:
    """Let everything happen whose time has come."""
    while sm.events > 0 and sm.heap_time[0] <= now:
        what = _take(sm)
        if what & _PLACE:
            subs[what >> 4].held -= 1
        else:
            warps[what >> 4].counts[what & 7] -= 1
