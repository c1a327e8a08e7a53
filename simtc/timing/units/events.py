"""What is going to happen in an SM: a heap of scoreboards coming down, entries being freed, data and warps coming."""

from __future__ import annotations

from typing import Final

import numpy as np

from simtc.jit import Int, Record
from simtc.machine.types import int64, void
from simtc.timing.unit import SM, Unit, compiled

__all__ = [
    "COME",
    "ENTRY",
    "FILL",
    "TURN",
    "UNIT",
    "come_to",
    "expect_fill",
    "expect_turn",
    "free_entry",
    "lower_board",
    "next_event",
    "pop",
]

_HEAP: Final = 4096  # events pending in one SM
# What an event is of; less than these: of a scoreboard of that number, of the warp `number`.
ENTRY: Final = 8  # an entry of a sub-core's LSU queue, of the sub-core `number`
FILL: Final = 9  # data for the L1 miss `number`
TURN: Final = 10  # of what waits for L2
COME: Final = 11  # to a barrier, of the warp `number`
_EVENT = np.dtype([("time", np.int64), ("number", np.int32), ("kind", np.int32)])

UNIT = Unit(
    name="events",
    sm=(
        ("event_count", np.int64),
        ("overflow", np.int64),  # 1 where the heap was too small
        ("heap", _EVENT, (_HEAP,)),
    ),
)


@compiled(void, SM, int64, int64, int64)
def _push(sm: Record, time: Int, number: Int, kind: Int) -> None:
    """Put an event on the heap."""
    i = sm.event_count
    if i >= _HEAP:
        sm.overflow = 1
        return
    sm.event_count += 1
    heap = sm.heap
    while i > 0:
        parent = (i - 1) >> 1
        if heap[parent].time <= time:
            break
        above, below = heap[parent], heap[i]
        below.time, below.number, below.kind = above.time, above.number, above.kind
        i = parent
    event = heap[i]
    event.time, event.number, event.kind = time, number, kind


@compiled(void, SM, int64, int64, int64)
def lower_board(sm: Record, time: Int, warp: Int, board: Int) -> None:
    """Bring a warp's scoreboard down by one at a time to come."""
    _push(sm, time, warp, board)


@compiled(void, SM, int64, int64)
def free_entry(sm: Record, time: Int, sub: Int) -> None:
    """Free an entry of a sub-core's LSU queue at a time to come."""
    _push(sm, time, sub, ENTRY)


@compiled(void, SM, int64, int64)
def expect_fill(sm: Record, time: Int, miss: Int) -> None:
    """Bring the data of an L1 miss at a time to come."""
    _push(sm, time, miss, FILL)


@compiled(void, SM, int64)
def expect_turn(sm: Record, time: Int) -> None:
    """Let what waits for L2 take its turn at a time to come."""
    _push(sm, time, 0, TURN)


@compiled(void, SM, int64, int64)
def come_to(sm: Record, time: Int, warp: Int) -> None:
    """Have a warp come to its barrier at a time to come."""
    _push(sm, time, warp, COME)


@compiled(int64, SM, int64)
def next_event(sm: Record, never: Int) -> Int:
    """Return the time of the earliest event; `never` without one."""
    return sm.heap[0].time if sm.event_count > 0 else never


@compiled(void, SM)
def pop(sm: Record) -> None:
    """Take the earliest event, which is the heap's first one, off it."""
    sm.event_count -= 1
    n = sm.event_count
    heap = sm.heap
    last = heap[n]
    time, i = last.time, int64(0)
    while True:
        child = 2 * i + 1
        if child >= n:
            break
        child += (child + 1 < n) & (heap[child + 1].time < heap[child].time)  # without a branch: a host cannot guess it
        above, below = heap[i], heap[child]
        if below.time >= time:
            break
        above.time, above.number, above.kind = below.time, below.number, below.kind
        i = child
    event = heap[i]
    event.time, event.number, event.kind = time, last.number, last.kind
