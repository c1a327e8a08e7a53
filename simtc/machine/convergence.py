"""The lanes of a warp: which execute together, which wait, and for what.

Lanes of a warp may part ways. Those that execute together are `active` and share the warp's pc; the others keep their
own `lane_pc`. A convergence barrier (BSSY .. BSYNC) holds lanes back until all its participants have come; when the
active lanes stop, a group of ready lanes with the lowest address goes on.

Lanes that parted stay apart, in `lane_group`, until a barrier joins them, even where they stand at the same address: an
H200 executes a BSYNC once for each group that comes to it (instructions counted in sorts with nested branches).
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Arrays, Int, jit
from simtc.machine.state import STATE
from simtc.machine.types import int64, uint32, void

__all__ = ["ARRIVE", "BLOCK", "SYNC", "count", "first_lane", "first_of", "free", "group", "regroup", "waiters"]

_ONE = np.uint32(1)
# What a lane waits for, in lane_wait: a convergence barrier below these, or
SYNC = 16  # WARPSYNC,
BLOCK = 17  # and from here on the 16 barriers of the block,
ARRIVE = 33  # and those where it will not wait for other warps (BAR.ARV)


@jit(int64(uint32))
def count(x: Int) -> Int:
    """Return how many lanes a mask has."""
    n = int64(0)
    while x:
        x &= x - _ONE
        n += 1
    return n


@jit(int64(uint32))
def first_lane(lanes: Int) -> Int:
    """Return the number of the first of some lanes, of which there is one."""
    first = int64(0)
    while not (lanes >> uint32(first)) & _ONE:
        first += 1
    return first


@jit(uint32(STATE, int64, uint32))
def first_of(s: Arrays, a: Int, lanes: Int) -> Int:
    """Return a register's value in the first of the lanes."""
    for lane in range(32):
        if (lanes >> uint32(lane)) & _ONE:
            return s.F[a + lane]
    return uint32(0)


@jit(uint32(STATE, int64, int64))
def waiters(s: Arrays, w: Int, what: Int) -> Int:
    """Return the lanes that wait for `what`."""
    lanes, warp = uint32(0), s.warps[w]
    for lane in range(32):
        if (warp.blocked >> uint32(lane)) & _ONE and warp.lane_wait[lane] == what:
            lanes |= _ONE << uint32(lane)
    return lanes


@jit(void(STATE, int64, uint32))
def group(s: Arrays, w: Int, lanes: Int) -> None:
    """Make lanes a group of their own."""
    warp = s.warps[w]
    warp.groups += 1
    for lane in range(32):
        if (lanes >> uint32(lane)) & _ONE:
            warp.lane_group[lane] = warp.groups


@jit(void(STATE, int64))
def free(s: Arrays, w: Int) -> None:
    """Let lanes go whose convergence barrier, or WARPSYNC, is complete."""
    warp = s.warps[w]
    for b in range(16):
        waiting = waiters(s, w, b)
        if waiting and warp.convergence[b] & warp.alive & ~waiting == 0:
            warp.blocked &= ~waiting
            warp.convergence[b] = uint32(0)
            group(s, w, waiting)
    waiting, complete = waiters(s, w, SYNC), uint32(0)
    for lane in range(32):
        if (waiting >> uint32(lane)) & _ONE and warp.lane_sync[lane] & warp.alive & ~waiting == 0:
            complete |= _ONE << uint32(lane)
    if complete:
        warp.blocked &= ~complete
        group(s, w, complete)


@jit(int64(STATE, int64))
def regroup(s: Arrays, w: Int) -> Int:
    """Choose which lanes go on: of the groups that are ready at the lowest address, the one that is so for longest."""
    warp = s.warps[w]
    ready = warp.alive & ~warp.blocked
    lowest, group = np.int32(0x7FFFFFFF), np.int32(0)
    for lane in range(32):
        pc, mine = warp.lane_pc[lane], warp.lane_group[lane]
        if (ready >> uint32(lane)) & _ONE and (pc < lowest or (pc == lowest and mine < group)):
            lowest, group = pc, mine
    if ready == 0:
        warp.active = uint32(0)
        return 0
    active = uint32(0)
    for lane in range(32):
        if (ready >> uint32(lane)) & _ONE and warp.lane_pc[lane] == lowest and warp.lane_group[lane] == group:
            active |= _ONE << uint32(lane)
    warp.active = active
    warp.pc = lowest
    return 1
