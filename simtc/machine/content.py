"""Which bytes of shared and global memory hold nothing yet, and what loads and stores make of that."""

from __future__ import annotations

import numpy as np

from simtc.jit import Array, Arrays, Int, Record, jit
from simtc.machine.atomic import How
from simtc.machine.micro import Flag
from simtc.machine.micro import Memory as Code
from simtc.machine.races import report
from simtc.machine.state import LOCAL_WINDOW, STATE
from simtc.machine.types import BYTES, OP, int64, uint32, void
from simtc.machine.unknown import doubt, used
from simtc.machine.watch import UNIFORM_AT, Found

__all__ = ["loaded", "operands"]

_ONE = np.uint32(1)
_FULL = np.uint32(0xFFFFFFFF)
_ZERO_ROW, _UNIFORM_ROW, _UNIFORM_ZERO = 255, 271, 334


@jit(void(STATE, int64, int64, int64, int64, uint32))
def _use(s: Arrays, w: Int, word: Int, own: Int, rows: Int, m: Int) -> None:
    """Report unknown values in consecutive registers."""
    row = word >> 5
    if not own or _ZERO_ROW <= row < _UNIFORM_ROW or row >= _UNIFORM_ZERO:
        return
    register = row if row < _ZERO_ROW else UNIFORM_AT + row - _UNIFORM_ROW
    for k in range(rows):
        used(s, w, register + k, m)


@jit(void(STATE, OP, int64, uint32, uint32, uint32))
def operands(s: Arrays, op: Record, w: Int, m: Int, q: Int, shared: Int) -> None:
    """Look at the addresses that a memory instruction uses, and at what it sends to global memory.

    Args:
        s: the state.
        op: the instruction.
        w: the warp.
        m: its lanes.
        q: of an asynchronous copy, those that read.
        shared: of a generic access, the lanes whose address is of shared memory.

    """
    code = op.code
    copies = code == Code.COPY_ASYNC
    reading = m & q if copies else m
    if code == Code.LOAD_MATRIX or code == Code.STORE_MATRIX:
        reading = _FULL >> uint32(32 - 8 * op.bytes)
    _use(s, w, op.a, op.a_warp, 1 + (op.wide & 1), reading)
    if code != Code.LOAD_CONSTANT:
        _use(s, w, op.b, op.b_warp, 1 + (op.wide >> 1 & 1), reading)
    if copies:
        _use(s, w, op.c, op.c_warp, 1, m)
    elif code == Code.STORE_GLOBAL or code == Code.ATOMIC_GLOBAL or code == Code.ATOMIC_SHARED:
        shared = uint32(0)
    elif code != Code.STORE_GENERIC and code != Code.ATOMIC_GENERIC:
        return
    if copies or (code == Code.STORE_GENERIC and shared == m):
        return
    for lane in range(32):  # local memory is the thread's own
        if code != Code.STORE_GLOBAL and s.where[lane] >> int64(24) == LOCAL_WINDOW >> 24:
            shared |= _ONE << uint32(lane)
    sent = m & ~shared if code == Code.STORE_GENERIC else m
    _use(s, w, op.c, op.c_warp, op.source_rows, sent)
    if code != Code.STORE_GLOBAL and code != Code.STORE_GENERIC and op.aux:
        _use(s, w, op.c + op.aux, op.c_warp, op.source_rows, sent)


@jit(void(STATE, OP, int64, BYTES, int64))
def _load(s: Arrays, op: Record, lane: Int, unset: Array, at: Int) -> None:
    """Mark in `doubts` the registers of a lane that get nothing but bytes which hold nothing."""
    for k in range((op.bytes + 3) >> 2):
        nothing = True
        for i in range(4 * k, min(4 * k + 4, op.bytes)):
            nothing = nothing and unset[at + i] != 0
        if nothing:
            s.doubts[k] |= _ONE << uint32(lane)


@jit(void(STATE, OP, int64, int64, BYTES, int64))
def _store(s: Arrays, op: Record, w: Int, lane: Int, unset: Array, at: Int) -> None:
    """Say of the bytes that a lane stored whether they hold something now."""
    for k in range((op.bytes + 3) >> 2):
        value = (doubt(s, w, op.c + 32 * k, op.c_warp) >> uint32(lane)) & _ONE
        for i in range(4 * k, min(4 * k + 4, op.bytes)):
            unset[at + i] = value


@jit(void(STATE, OP, int64, uint32, BYTES, int64, int64))
def _atomic(s: Arrays, op: Record, w: Int, lane: Int, unset: Array, at: Int, shared_at: Int) -> None:
    """Report an atomic that changes bytes which hold nothing; an exchange returns them."""
    nothing = False
    for i in range(op.bytes):
        nothing = nothing or unset[at + i] != 0
        unset[at + i] = 0
    if nothing and op.variant & 15 == How.EXCH:
        s.doubts[0] |= _ONE << uint32(lane)
        s.doubts[1] |= _ONE << uint32(lane)
    elif nothing:
        distant = int64(shared_at < 0)
        report(s, w, Found.ATOMIC_ON_NOTHING, -1, lane, at if distant else at - shared_at, 0, distant)


@jit(void(STATE, OP))
def _load_matrix(s: Arrays, op: Record) -> None:
    """Mark what ldmatrix loads: row r of matrix i is in lanes 4 r to 4 r + 3 of register i."""
    for row in range(8 * op.bytes):
        at = uint32(row & 7)
        for i in range(0, 16, 2):
            here = s.where[row] + i
            if not s.unset[here] or not s.unset[here + 1]:
                continue
            if op.flags & Flag.LEFT:  # transposed: its columns are rows, two to a register
                s.doubts[row >> 3] |= _ONE << (uint32(2 * i) & uint32(28) | at >> _ONE)
            elif s.unset[s.where[row] + (i ^ 2)]:
                s.doubts[row >> 3] |= _ONE << (uint32(4) * at + uint32(i >> 2))


@jit(void(STATE, OP, int64, uint32, uint32, uint32))
def loaded(s: Arrays, op: Record, w: Int, m: Int, q: Int, shared: Int) -> None:
    """Follow what a memory instruction just did; `shared` are the lanes that did it to shared memory, at `where`.

    The instruction left the places of the others in `address`. Loads leave what they got of nothing in `doubts`.
    """
    for k in range(16):
        s.doubts[k] = 0
    code, known = op.code, s.unset_global.size == 1
    if code == Code.LOAD_MATRIX:
        _load_matrix(s, op)
        return
    if code == Code.STORE_MATRIX:
        for row in range(8 * op.bytes):
            s.unset[s.where[row] : s.where[row] + 16] = 0
        return
    loads = code == Code.LOAD_SHARED or code == Code.LOAD_GENERIC or code == Code.LOAD_GLOBAL
    stores = code == Code.STORE_SHARED or code == Code.STORE_GENERIC or code == Code.STORE_GLOBAL
    start = s.blocks[s.warps[w].block].shared_at
    for lane in range(32):
        bit = _ONE << uint32(lane)
        if not m & bit:
            continue
        if shared & bit:
            at = s.where[lane]
            if loads:
                _load(s, op, lane, s.unset, at)
            elif stores:
                _store(s, op, w, lane, s.unset, at)
            elif code == Code.COPY_ASYNC:
                for i in range(op.bytes):
                    nothing = q & bit and not known and s.unset_global[s.address[lane] + i]
                    s.unset[at + i] = 1 if nothing else 0
            elif code == Code.ATOMIC_SHARED or code == Code.ATOMIC_GENERIC:
                _atomic(s, op, w, lane, s.unset, at, start)
        elif not known and (code == Code.LOAD_GLOBAL or s.where[lane] >> int64(24) != LOCAL_WINDOW >> 24):
            at = s.address[lane]
            if loads:
                _load(s, op, lane, s.unset_global, at)
            elif stores:
                _store(s, op, w, lane, s.unset_global, at)
            elif code == Code.ATOMIC_GLOBAL or code == Code.ATOMIC_GENERIC:
                _atomic(s, op, w, lane, s.unset_global, at, int64(-1))
