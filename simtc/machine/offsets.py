"""Addresses of the lanes, and the offsets that they mean in simtc's arrays, after bounds and alignment were checked."""

from __future__ import annotations

import numpy as np

from simtc.jit import Array, Arrays, Int, Record, jit
from simtc.machine.state import GLOBAL_BASE, MEMORY, STATE, Event, Geometry, Outcome
from simtc.machine.types import LONGS, OP, WORDS, int64, uint32, void

__all__ = ["addresses", "fault", "global_offsets", "local_offsets", "shared_offsets"]

_ONE = np.uint32(1)


@jit(void(WORDS, LONGS, OP, int64, int64, int64, int64))
def addresses(F: Array, address: Array, op: Record, a: Int, b: Int, offset: Int, width: Int) -> None:
    """Compute each lane's address: register (32 or 64 bits, scaled) + uniform register + offset."""
    scale = int64(op.scale)
    for lane in range(32):
        x = int64(F[a + lane])
        if width & 1:
            x |= int64(F[a + 32 + lane]) << 32
        y = int64(F[b + lane])
        if width & 2:
            y |= int64(F[b + 32 + lane]) << 32
        x = (x << scale) + y + offset
        address[lane] = x if width & 3 else x & int64(0xFFFFFFFF)


@jit(int64(LONGS, int64, int64, int64))
def fault(event: Array, kind: Int, lane: Int, address: Int) -> Int:
    """Note who was at fault."""
    event[Event.LANE], event[Event.ADDRESS] = lane, address
    return kind


@jit(int64(MEMORY, int64))
def _allocation(memory: Arrays, offset: Int) -> Int:
    """Find the allocation that holds or precedes an offset."""
    low, high = int64(0), int64(memory.starts.size)
    while low < high:
        middle = (low + high) >> 1
        if memory.starts[middle] <= offset:
            low = middle + 1
        else:
            high = middle
    return low - 1


@jit(int64(MEMORY, LONGS, uint32, int64, LONGS))
def global_offsets(memory: Arrays, address: Array, m: Int, nbytes: Int, event: Array) -> Int:
    """Turn global addresses into offsets of the arena, after checking alignment and bounds of every active lane."""
    start, end = int64(0), int64(-1)
    for lane in range(32):
        if not (m >> uint32(lane)) & _ONE:
            address[lane] = 0
            continue
        x = address[lane]
        if x & (nbytes - 1):
            return fault(event, Outcome.MISALIGNED, lane, x)
        offset = x - GLOBAL_BASE
        if offset < start or offset > end - nbytes:  # not offset + nbytes, which may pass the largest number
            place = _allocation(memory, offset)
            if place < 0 or offset > memory.ends[place] - nbytes:
                return fault(event, Outcome.OUT_OF_BOUNDS, lane, x)
            start, end = memory.starts[place], memory.ends[place]
        address[lane] = offset
    return 0


@jit(int64(LONGS, uint32, int64, int64, int64, LONGS))
def shared_offsets(address: Array, m: Int, nbytes: Int, size: Int, at: Int, event: Array) -> Int:
    """Check shared addresses against the block's shared memory, then move them to its place in the shared array."""
    for lane in range(32):
        x = address[lane]
        if not (m >> uint32(lane)) & _ONE:
            address[lane] = at
            continue
        if x & (nbytes - 1):
            return fault(event, Outcome.SHARED_MISALIGNED, lane, x)
        if x < 0 or x > size - nbytes:
            return fault(event, Outcome.SHARED_OUT_OF_BOUNDS, lane, x)
        address[lane] = x + at
    return 0


@jit(int64(STATE, LONGS, uint32, int64, int64))
def local_offsets(s: Arrays, address: Array, m: Int, warp: Int, nbytes: Int) -> Int:
    """Check local addresses, then move them to each thread's own part of the local array."""
    size = s.geometry[Geometry.LOCAL_BYTES]
    for lane in range(32):
        x = address[lane]
        if not (m >> uint32(lane)) & _ONE:
            address[lane] = 0
            continue
        if x & (nbytes - 1):
            return fault(s.event, Outcome.MISALIGNED, lane, x)
        if x < 0 or x > size - nbytes:
            return fault(s.event, Outcome.LOCAL_OUT_OF_BOUNDS, lane, x)
        address[lane] = (warp * 32 + lane) * size + x
    return 0
