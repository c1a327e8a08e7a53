"""Accesses to shared memory, byte by byte: which of them no synchronisation orders."""

from __future__ import annotations

import numpy as np

from simtc.jit import Array, Arrays, Int, Record, jit
from simtc.machine.micro import Memory as Code
from simtc.machine.offsets import addresses
from simtc.machine.order import is_ordered, stamp
from simtc.machine.state import SHARED_WINDOW, STATE, Geometry
from simtc.machine.types import LONGS, OP, int64, uint32, void
from simtc.machine.watch import Found, Habit, Kind

__all__ = ["accessed", "report"]

_ONE = np.uint32(1)
_FULL = np.uint32(0xFFFFFFFF)
_READ, _WRITE, _ATOMIC, _GUESS = 0, 1, 2, 3
_KIND, _THREAD = 3, 1023


@jit(void(STATE, int64, int64, int64, int64, int64, int64, int64))
def report(s: Arrays, w: Int, kind: Int, other: Int, lane: Int, address: Int, thread: Int, row: Int) -> None:
    """Keep a finding about the instruction under way, unless the same instructions were found to do the same."""
    bit, place = 1 << lane, s.found[2]
    races = Found.READ_AFTER_WRITE <= kind <= Found.WRITE_AFTER_READ
    for i in range(s.found[0]):
        known = s.findings[i]
        same = known.kind == kind and known.place == place and known.other == other
        if races and Found.READ_AFTER_WRITE <= known.kind <= Found.WRITE_AFTER_READ:
            same = (known.place == place and known.other == other) or (known.place == other and known.other == place)
        if same:
            if known.step == s.found[1] and known.kind == kind:
                known.lanes |= bit
            return
    if s.found[0] == s.findings.size:
        return
    one = s.findings[s.found[0]]
    s.found[0] += 1
    warp, g = s.warps[w], s.geometry
    block = s.blocks[warp.block]
    one.kind, one.place, one.other, one.step = kind, place, other, s.found[1]
    one.block = (int64(block.z) * g[Geometry.GRID_Y] + block.y) * g[Geometry.GRID_X] + block.x
    one.warp, one.lanes, one.address = warp.index, bit, address
    one.thread, one.register = thread, row


@jit(int64(STATE, int64, int64, int64, int64, int64))
def _race(s: Arrays, w: Int, lane: Int, how: Int, other: Int, address: Int) -> Int:
    """Report an earlier access that is not ordered with this one; `how` is how that one would be read."""
    if other == 0 or is_ordered(s, w, lane, other):
        return 0
    if (other >> 10) & _KIND == Kind.COPY:
        owner = s.watch[w - s.warps[w].index + ((other >> 5) & 31)]
        if other >> 32 > owner.waited:
            how = Found.COPY_NOT_WAITED_FOR
    report(s, w, how, (other >> 12) & 0xFFFFF, lane, address, other & _THREAD, 0)
    return 1


@jit(int64(STATE, OP, int64, int64, int64, uint32, int64, int64))
def _same_value(s: Arrays, op: Record, c: Int, lane: Int, i: Int, m: Int, before: Int, me: Int) -> Int:
    """Tell whether a store writes what the earlier store of a byte wrote: then nobody can see which came last."""
    if c < 0:
        return 0
    mine = (s.F[c + 32 * (i >> 2) + lane] >> uint32(8 * (i & 3))) & uint32(255)
    who, at = before & 31, s.where[lane] + i
    if before >> 5 == me >> 5 and (m >> uint32(who)) & _ONE and 0 <= at - s.where[who] < op.bytes:
        k = at - s.where[who]  # the same instruction
        return int64(((s.F[c + 32 * (k >> 2) + who] >> uint32(8 * (k & 3))) & uint32(255)) == mine)
    return int64(uint32(s.shared[at]) == mine)


@jit(int64(int64, int64))
def _conflict(how: Int, earlier: Int) -> Int:
    """Tell whether an access conflicts with one of those that a byte remembers as reads."""
    if how == _WRITE:
        return 1
    return int64((how == _READ and earlier == Kind.ATOMIC) or (how == _ATOMIC and earlier == Kind.PLAIN))


@jit(int64(int64, int64))
def _name(how: Int, after_write: Int) -> Int:
    if how == _READ:
        return Found.READ_AFTER_WRITE
    return Found.WRITE_AFTER_WRITE if after_write else Found.WRITE_AFTER_READ


@jit(void(STATE, OP, int64, int64, int64, int64, uint32, int64))
def _touch(s: Arrays, op: Record, w: Int, how: Int, kind: Int, nbytes: Int, m: Int, c: Int) -> None:
    """Look at every byte that lanes access, at `where`, and remember that they did."""
    mine, index = s.watch[w], int64(s.warps[w].index)
    first = s.blocks[s.warps[w].block].shared_at
    time = mine.committed + 1 if kind == Kind.COPY else mine.clock
    for lane in range(32):
        if not (m >> uint32(lane)) & _ONE:
            continue
        now = stamp(time, s.found[2], kind, index, lane)
        for i in range(nbytes):
            at = s.where[lane] + i
            before, read, too = s.written[at], s.read[at], s.read_too[at]
            if before and (how != _WRITE or not _same_value(s, op, c, lane, i, m, before, now)):
                _race(s, w, lane, _name(how, 1), before, at - first)
            for other in (read, too):
                if other and _conflict(how, (other >> 10) & _KIND):
                    _race(s, w, lane, _name(how, 0), other, at - first)
            if how == _WRITE:
                s.written[at], s.read[at], s.read_too[at] = now, 0, 0
                continue
            if read and not is_ordered(s, w, lane, read):
                s.read_too[at] = read
            s.read[at] = now


@jit(uint32(STATE, LONGS, int64, int64, uint32, int64))
def _inside(s: Arrays, where: Array, code: Int, w: Int, m: Int, nbytes: Int) -> Int:
    """Return the lanes whose addresses are of the block's shared memory, and make those places in the shared array."""
    generic = code == Code.LOAD_GENERIC or code == Code.STORE_GENERIC or code == Code.ATOMIC_GENERIC
    inside = uint32(0)
    for lane in range(32):
        x = where[lane]
        if generic:
            if x >> int64(24) != SHARED_WINDOW >> 24:
                continue
            x &= (1 << 24) - 1
        if (m >> uint32(lane)) & _ONE and 0 <= x <= s.geometry[Geometry.SHARED_BYTES] - nbytes:
            where[lane] = x + s.blocks[s.warps[w].block].shared_at
            inside |= _ONE << uint32(lane)
    return inside


@jit(uint32(STATE, OP, int64, int64, uint32, int64))
def accessed(s: Arrays, op: Record, w: Int, base: Int, m: Int, habit: Int) -> Int:
    """Follow what a memory instruction is about to do to shared memory; return the lanes that access it.

    `where` is then their place in the shared array. What lies outside the block's memory is left to the instruction's
    own check.
    """
    code, nbytes = op.code, int64(op.bytes)
    a, b, c = op.a + op.a_warp * base, op.b + op.b_warp * base, op.c + op.c_warp * base
    how, kind, source = _READ, int64(Kind.PLAIN), int64(-1)
    if code == Code.COPY_ASYNC:
        how, kind = _WRITE, int64(Kind.COPY)
        for lane in range(32):
            s.where[lane] = (int64(s.F[c + lane]) + op.aux) & int64(0xFFFFFFFF)
    else:
        addresses(s.F, s.where, op, a, b, op.imm, op.wide)
    if code == Code.LOAD_MATRIX or code == Code.STORE_MATRIX:
        m, nbytes = _FULL >> uint32(32 - 8 * op.bytes), int64(16)
        how = _WRITE if code == Code.STORE_MATRIX else _READ
    elif code == Code.STORE_SHARED or code == Code.STORE_GENERIC:
        how, source = _WRITE, int64(c)
    elif code == Code.ATOMIC_SHARED or code == Code.ATOMIC_GENERIC:
        how, kind = _ATOMIC, int64(Kind.ATOMIC)
    elif habit & Habit.GUESSES:
        how, kind = _GUESS, int64(Kind.GUESS)
    m = _inside(s, s.where, code, w, m, nbytes)
    if m:
        _touch(s, op, w, how, kind, nbytes, m, source)
    return m
