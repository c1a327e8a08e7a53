"""One checked instruction: `step`, and around it what compute-sanitizer would look for.

Values that nothing wrote: a lane may load them from shared memory (kernels prefetch tiles that they then leave alone),
move them, and merge them with others (the compiler puts halves into registers that hold nothing yet); but it may not
calculate with them, store them, or take them for an address. Races: between two barriers no warp may touch shared bytes
that another one writes. A warp is taken to be in step with itself; atomics order themselves.
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Array, Arrays, Int, Record, jit
from simtc.machine.micro import PREDICATES, Family, Flag
from simtc.machine.micro import Memory as Code
from simtc.machine.state import CODE, MEMORY, SHARED_WINDOW, STATE, Event, Geometry, Outcome
from simtc.machine.step import step
from simtc.machine.types import LONGS, OP, int64, uint32, void

__all__ = ["checked_step"]

_ONE = np.uint32(1)
_READ, _WRITE, _ATOMIC = 0, 1, 2
_WARP_BITS = np.int64(16)


@jit(void(STATE, int64))
def _begin(s: Arrays, block_at: Int) -> None:
    """Forget what an earlier block left."""
    block = s.blocks[block_at]
    for i in range(256 * block.first_warp, 256 * (block.first_warp + block.warps)):
        s.known[i], s.origin[i] = uint32(0), 0
    for i in range(block.shared_at, block.shared_at + s.geometry[Geometry.SHARED_BYTES]):
        s.written[i], s.read[i] = 0, 0
    block.epoch = 0


@jit(int64(STATE, int64, int64, uint32))
def _registers(s: Arrays, w: Int, place: Int, m: Int) -> Int:
    """Follow an instruction's registers; return a fault where a lane uses what nothing wrote."""
    first, then, end = s.uses_at[2 * place], s.uses_at[2 * place + 1], s.uses_at[2 * place + 2]
    unknown = m if then > first and s.copies[place] != 2 else uint32(0)
    for i in range(first, then):
        at = 256 * w + s.uses[i]
        missing = m & ~s.known[at]
        unknown &= missing
        if missing and not s.copies[place]:
            s.event[Event.ADDRESS], s.event[Event.MASK] = int64(s.uses[i]), int64(missing)
            s.event[Event.ORIGIN] = s.origin[at]
            return Outcome.UNKNOWN_SHARED if s.origin[at] else Outcome.UNKNOWN_REGISTER
    for i in range(then, end):
        at = 256 * w + s.uses[i]
        s.known[at] = s.known[at] & ~m | m & ~unknown
        if unknown:
            s.origin[at] = s.origin[256 * w + s.uses[first]]
    return 0


@jit(int64(STATE, int64, LONGS, uint32, int64, int64))
def _shared(s: Arrays, w: Int, offset: Array, m: Int, nbytes: Int, how: Int) -> Int:
    """Record an access to shared bytes; return a fault where it reads what is not there or races with another warp."""
    now = s.blocks[s.warps[w].block].epoch + 1
    stamp = now << _WARP_BITS | int64(w + 1)
    for lane in range(32):
        s.missing[lane] = 0
        if not (m >> uint32(lane)) & _ONE:
            continue
        for at in range(offset[lane], offset[lane] + nbytes):
            before, reader = s.written[at], s.read[at]
            what = int64(0)
            if how == _READ and before == 0:
                s.missing[lane] = 1
            elif how != _ATOMIC and before > 0 and before >> _WARP_BITS == now and before != stamp:
                what = Outcome.RACE_AFTER_WRITE
            elif how == _WRITE and reader >> _WARP_BITS == now and reader != stamp:
                what = Outcome.RACE_AFTER_READ
            if what:
                s.event[Event.LANE], s.event[Event.MASK] = lane, int64(_ONE << uint32(lane))
                s.event[Event.ADDRESS] = at - s.blocks[s.warps[w].block].shared_at
                return what
            if how == _READ:
                # two readers are remembered as one that equals nobody
                s.read[at] = stamp if reader >> _WARP_BITS != now or reader == stamp else now << _WARP_BITS
            elif how == _WRITE:
                s.written[at] = stamp
            else:
                s.written[at] = -1
    return 0


@jit(void(STATE, OP, int64, int64))
def _mark(s: Arrays, op: Record, w: Int, place: Int) -> None:
    """Mark the registers whose value came from shared bytes that nothing wrote."""
    then, end = s.uses_at[2 * place + 1], s.uses_at[2 * place + 2]
    for i in range(then, end):
        lanes = uint32(0)
        for row in range(32):
            if not s.missing[row]:
                continue
            if op.code != Code.LOAD_MATRIX:
                lanes |= _ONE << uint32(row)
            elif row >> 3 == i - then:  # row r of matrix i is in lanes 4 r to 4 r + 3 of register i
                at = uint32(row & 7)
                lanes |= uint32(0x11111111) << (at >> _ONE) if op.flags & Flag.LEFT else uint32(15) << (at * uint32(4))
        if lanes:
            at = 256 * w + s.uses[i]
            s.known[at] &= ~lanes
            s.origin[at] = place + 1


@jit(int64(STATE, OP, int64, uint32))
def _access(s: Arrays, op: Record, w: Int, m: Int) -> Int:
    """Check what a memory instruction just did to shared memory."""
    code = op.code
    if code == Code.LOAD_SHARED or code == Code.STORE_SHARED:
        return _shared(s, w, s.address, m, op.bytes, _READ if code == Code.LOAD_SHARED else _WRITE)
    if code == Code.LOAD_MATRIX or code == Code.STORE_MATRIX:
        rows = uint32(0xFFFFFFFF) >> uint32(32 - 8 * op.bytes)
        return _shared(s, w, s.address, rows, 16, _READ if code == Code.LOAD_MATRIX else _WRITE)
    if code == Code.COPY_ASYNC:
        return _shared(s, w, s.address2, m, op.bytes, _WRITE)
    if code == Code.ATOMIC_SHARED:
        return _shared(s, w, s.address, m, op.bytes, _ATOMIC)
    if code == Code.LOAD_GENERIC or code == Code.STORE_GENERIC:
        inside, at = uint32(0), s.blocks[s.warps[w].block].shared_at
        for lane in range(32):
            x = s.address[lane]
            if (m >> uint32(lane)) & _ONE and x >> int64(24) == SHARED_WINDOW >> 24:
                inside |= _ONE << uint32(lane)
                s.address2[lane] = (x & ((1 << 24) - 1)) + at
        return _shared(s, w, s.address2, inside, op.bytes, _READ if code == Code.LOAD_GENERIC else _WRITE)
    return 0


@jit(int64(STATE, MEMORY, CODE, int64))
def checked_step(s: Arrays, mem: Arrays, code: Arrays, w: Int) -> Int:
    """Execute one instruction as `step` does, with the checks above; what they find is a fault like any other."""
    warp = s.warps[w]
    if warp.executed == 0 and warp.index == 0:
        _begin(s, warp.block)
    place = int64(warp.pc)
    op = code.ops[place]
    m = warp.active & (s.P[w * PREDICATES + op.guard] ^ op.guard_flip)
    if m:
        bad = _registers(s, w, place, m)
        if bad:
            s.event[Event.PC] = place
            return bad
    outcome = step(s, mem, code, w)
    if outcome >= 0 and m and op.family == Family.MEMORY:
        for lane in range(32):
            s.missing[lane] = 0
        bad = _access(s, op, w, m)
        if bad:
            return bad
        _mark(s, op, w, place)
    return outcome
