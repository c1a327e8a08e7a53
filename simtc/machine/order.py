"""Which access happens before which: what the threads of a block know of each other.

An access happens before another one if the same thread makes both, or a synchronisation lies between: a barrier of the
block that both threads take (or one arrives at and the other waits at), or one of their warp: since Volta, threads of a
warp are ordered by __syncwarp and its like alone, wherever the scheduler lets them run together. An asynchronous copy
happens when the thread that issued it waits for its group.
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Arrays, Int, jit
from simtc.machine.state import STATE
from simtc.machine.types import int64, uint32, void
from simtc.machine.watch import Habit, Kind

__all__ = ["arrive", "copies", "is_ordered", "join", "released", "stamp"]

_ONE = np.uint32(1)
_GROUPS = 64  # of a warp's copies whose time is kept


@jit(int64(int64, int64, int64, int64, int64))
def stamp(time: Int, place: Int, kind: Int, warp: Int, lane: Int) -> Int:
    """Pack an access: 31 bits of time, 20 of the instruction, two of its kind, five each of warp and lane."""
    return time << 32 | (place & 0xFFFFF) << 12 | kind << 10 | warp << 5 | lane


@jit(int64(STATE, int64, int64, int64))
def is_ordered(s: Arrays, w: Int, lane: Int, other: Int) -> Int:
    """Tell whether an earlier access, by its stamp, happens before what a lane of warp `w` does now."""
    mine, index = s.watch[w], int64(s.warps[w].index)
    warp, who, time = (other >> 5) & 31, other & 31, other >> 32
    if (other >> 10) & 3 == Kind.COPY:
        owner = s.watch[w - index + warp]
        if time > owner.waited:
            return 0
        time = owner.wait_time[time & (_GROUPS - 1)] if time > owner.waited - _GROUPS else int64(0)
    if warp != index:
        return 1 if time <= mine.times[warp] else 0
    if who == lane or time <= mine.joined or time <= mine.lanes[32 * lane + who]:
        return 1
    return 0


@jit(void(STATE, int64, uint32))
def join(s: Arrays, w: Int, lanes: Int) -> None:
    """Let lanes know of all that any of them knows."""
    mine, now = s.watch[w], int64(s.watch[w].clock)
    if lanes & (lanes - _ONE) == 0:
        return  # one lane alone
    mine.clock = now + 1
    if s.warps[w].alive & ~lanes == 0:
        mine.joined = now
        return
    for other in range(32):
        latest = now if (lanes >> uint32(other)) & _ONE else int64(0)
        for lane in range(32):
            if (lanes >> uint32(lane)) & _ONE:
                latest = max(latest, mine.lanes[32 * lane + other])
        for lane in range(32):
            if (lanes >> uint32(lane)) & _ONE:
                mine.lanes[32 * lane + other] = latest


@jit(void(STATE, int64, int64, int64))
def arrive(s: Arrays, w: Int, b: Int, waits: Int) -> None:
    """Leave at barrier `b` of the block what warp `w` knows."""
    mine, slot = s.watch[w], int64(s.warps[w].block)
    gathered = s.gathered[16 * slot + b]
    if not gathered.used:
        gathered.used = 1
        for other in range(32):
            gathered.times[other] = 0
    for other in range(32):
        gathered.times[other] = max(gathered.times[other], mine.times[other])
    gathered.times[s.warps[w].index] = mine.clock
    mine.clock += 1
    mine.waits_at = b + 1 if waits else 0


@jit(void(STATE, int64))
def released(s: Arrays, slot: Int) -> None:
    """Hand out what was left at the barriers of a block that have completed."""
    block = s.blocks[slot]
    for b in range(16):
        gathered = s.gathered[16 * slot + b]
        if not gathered.used or block.arrived[b]:
            continue
        gathered.used, gathered.expected = 0, 0
        for w in range(block.first_warp, block.first_warp + block.warps):
            mine = s.watch[w]
            if mine.waits_at == b + 1:
                mine.waits_at = 0
                mine.joined = mine.clock
                mine.clock += 1
                for other in range(32):
                    mine.times[other] = max(mine.times[other], gathered.times[other])


@jit(void(STATE, int64, int64))
def copies(s: Arrays, w: Int, habit: Int) -> None:
    """Commit a group of asynchronous copies, or wait for all but so many."""
    mine = s.watch[w]
    if habit & Habit.COMMITS:
        mine.committed += 1
    elif habit & Habit.WAITS:
        done = mine.committed - (habit >> Habit.NUMBER)
        for group in range(max(mine.waited + 1, done - _GROUPS + 1), done + 1):
            mine.wait_time[group & (_GROUPS - 1)] = mine.clock
        mine.waited = max(mine.waited, done)
