"""Atomic operations: one lane after another, so that a run always gives the same result."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from simtc.jit import Array, Arrays, Float, Int, Record, jit
from simtc.machine.bits import DEFAULT_NAN, as_f32, as_f64, as_u32, as_u64, flush
from simtc.machine.half import narrow, widen
from simtc.machine.micro import Flag
from simtc.machine.micro import Memory as Code
from simtc.machine.offsets import fault, global_offsets, shared_offsets
from simtc.machine.state import MEMORY, SHARED_WINDOW, STATE, Event, Geometry
from simtc.machine.traffic import sectors, wavefronts
from simtc.machine.types import LONGS, OP, float32, float64, int64, uint32, uint64

__all__ = ["How", "Number", "atomic"]

_ONE = np.uint32(1)


class How(IntEnum):
    """What an atomic does to memory; a micro-operation's variant is How + 16 * Number."""

    ADD = 0
    MIN = 1
    MAX = 2
    AND = 3
    OR = 4
    XOR = 5
    EXCH = 6
    CAS = 7
    INC = 8
    DEC = 9
    CAST = 10  # CAS that returns 1 where it swapped and 0 where it did not
    COUNT = 11  # ATOMS.POPC.INC: each lane adds one


class Number(IntEnum):
    """How the bits are read."""

    U32 = 0
    S32 = 1
    U64 = 2
    S64 = 3
    F32 = 4
    F64 = 5
    F16X2 = 6
    BF16X2 = 7


@jit(uint32(float32, float32, int64))
def _add(x: Float, y: Float, ftz: Int) -> Int:
    """Add f32; in global memory the units flush subnormals, in shared memory there is no such unit."""
    if ftz:
        x, y = flush(x), flush(y)
    r = flush(x + y) if ftz else x + y
    return DEFAULT_NAN if r != r else as_u32(r)  # noqa: PLR0124


@jit(uint64(uint64, uint64, uint64, int64, int64, int64))
def _join(old: Int, x: Int, y: Int, how: Int, number: Int, ftz: Int) -> Int:
    """Compute what an atomic writes; of CAS x is the expected value and y the new one."""
    if how == How.ADD or how == How.COUNT:
        if number == Number.F32:
            return uint64(_add(as_f32(uint32(old)), as_f32(uint32(x)), ftz))
        if number == Number.F64:
            p, q = as_f64(old), as_f64(x)
            r = p + q
            if r != r and (p != p or q != q):  # noqa: PLR0124 - a NaN goes through as it is
                return x if q != q else old  # noqa: PLR0124
            return as_u64(r)
        if number == Number.F16X2 or number == Number.BF16X2:
            flags = int64(Flag.BF16) if number == Number.BF16X2 else int64(0)
            out = uint64(0)
            for i in range(2):
                p = widen(uint32((old >> uint64(16 * i)) & uint64(0xFFFF)), flags)
                q = widen(uint32((x >> uint64(16 * i)) & uint64(0xFFFF)), flags)
                out |= uint64(narrow(float64(p) + float64(q), flags)) << uint64(16 * i)
            return out
        return old + x
    if how == How.MIN or how == How.MAX:
        signed = number == Number.S32 or number == Number.S64
        flip = (
            uint64(0) if not signed else (uint64(1) << uint64(63) if number == Number.S64 else uint64(1) << uint64(31))
        )
        return x if ((x ^ flip) < (old ^ flip)) == (how == How.MIN) else old
    if how == How.AND:
        return old & x
    if how == How.OR:
        return old | x
    if how == How.XOR:
        return old ^ x
    if how == How.EXCH:
        return x
    if how == How.CAS or how == How.CAST:
        return y if old == x else old
    if how == How.INC:
        return uint64(0) if old >= x else old + uint64(1)
    return x if old == uint64(0) or old > x else old - uint64(1)


@jit(int64(LONGS, uint32))
def _meeting(address: Array, m: Int) -> Int:
    """Return how many of the active lanes have the address that most of them have."""
    most = int64(0)
    for lane in range(32):
        same = int64(0)
        for other in range(32):
            same += int64((m >> uint32(other)) & _ONE) if address[other] == address[lane] else int64(0)
        most = max(most, same if (m >> uint32(lane)) & _ONE else int64(0))
    return most


@jit(int64(STATE, MEMORY, OP, int64, int64, uint32))
def atomic(s: Arrays, mem: Arrays, op: Record, block: Int, c: Int, m: Int) -> Int:
    """Execute one atomic at the addresses in `s.address`; the old values are left in the scratch."""
    how, number = op.variant & 15, op.variant >> 4
    shared = op.code == Code.ATOMIC_SHARED
    if op.code == Code.ATOMIC_GENERIC:
        for lane in range(32):
            if (m >> uint32(lane)) & _ONE and s.address[lane] >> 24 == SHARED_WINDOW >> 24:
                shared = True
        if shared:
            for lane in range(32):
                s.address[lane] &= (1 << 24) - 1
    if shared:
        size, at = s.geometry[Geometry.SHARED_BYTES], s.blocks[block].shared_at
        bad = shared_offsets(s.address, m, op.bytes, size, at, s.event)
    else:
        bad = global_offsets(mem, s.address, m, op.bytes, s.event)
    if bad:
        return fault(s.event, bad, s.event[Event.LANE], s.event[Event.ADDRESS])
    if s.geometry[Geometry.TRACE]:
        if shared:
            wavefronts(s.address, m, op.bytes, 0, s.event)
        else:
            sectors(s.address, m, s.event)
            s.event[Event.MEETING] = _meeting(s.address, m)
    words = s.shared_words if shared else mem.words
    wide = op.bytes == 8
    second = c + op.aux
    for lane in range(32):
        if not (m >> uint32(lane)) & _ONE:
            continue
        at = s.address[lane] >> 2
        old, x, y = uint64(words[at]), uint64(s.F[c + lane]), uint64(s.F[second + lane])
        if wide:
            old |= uint64(words[at + 1]) << uint64(32)
            x |= uint64(s.F[c + 32 + lane]) << uint64(32)
            y |= uint64(s.F[second + 32 + lane]) << uint64(32)
        new = _join(old, x, y, how, number, op.flags & Flag.FTZ)
        words[at] = uint32(new & uint64(0xFFFFFFFF))
        if wide:
            words[at + 1] = uint32(new >> uint64(32))
        if how == How.CAST:
            old = uint64(1 if old == x else 0)
        s.T[lane] = uint32(old & uint64(0xFFFFFFFF))
        s.T[32 + lane] = uint32(old >> uint64(32))
    return 0
