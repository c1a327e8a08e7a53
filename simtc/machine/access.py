"""Loads, stores and copies: the bytes themselves."""

from __future__ import annotations

import numpy as np

from simtc.jit import Array, Arrays, Int, Record, jit
from simtc.machine.micro import PREDICATES, Flag
from simtc.machine.micro import Memory as Code
from simtc.machine.offsets import addresses, fault, global_offsets, local_offsets, shared_offsets
from simtc.machine.state import (
    LOCAL_WINDOW,
    MEMORY,
    SHARED_WINDOW,
    STATE,
    Event,
    Geometry,
    Outcome,
)
from simtc.machine.traffic import (
    lookups,
    matrix_wavefronts,
    passes,
    pieces,
    sectors,
    thread_lines,
    wavefronts,
)
from simtc.machine.types import BYTES, LONGS, OP, WORDS, boolean, int64, uint8, uint32, void

__all__ = ["load_words", "memory", "store_words"]

_ONE = np.uint32(1)
_FULL, _HALF = np.uint32(0xFFFFFFFF), np.uint32(0xFFFF)
_WINDOW = np.int64(24)  # windows are 16 MiB


@jit(void(WORDS, BYTES, WORDS, LONGS, uint32, int64, int64))
def load_words(T: Array, data: Array, data_words: Array, address: Array, m: Int, nbytes: Int, flags: Int) -> None:
    """Read each lane's bytes into the scratch rows; small integers are extended."""
    if nbytes >= 4:
        for lane in range(32):
            at = address[lane] >> 2
            for k in range(nbytes >> 2):
                T[32 * k + lane] = data_words[at + k]
        return
    for lane in range(32):
        if (m >> uint32(lane)) & _ONE:
            x = uint32(data[address[lane]])
            if nbytes == 2:
                x |= uint32(data[address[lane] + 1]) << uint32(8)
            if flags & Flag.SIGNED and x >> uint32(8 * nbytes - 1):
                x |= _FULL << uint32(8 * nbytes)
            T[lane] = x


@jit(void(WORDS, int64, BYTES, WORDS, LONGS, uint32, int64))
def store_words(F: Array, source: Int, data: Array, data_words: Array, address: Array, m: Int, nbytes: Int) -> None:
    """Write each active lane's registers, in lane order."""
    for lane in range(32):
        if not (m >> uint32(lane)) & _ONE:
            continue
        if nbytes >= 4:
            at = address[lane] >> 2
            for k in range(nbytes >> 2):
                data_words[at + k] = F[source + 32 * k + lane]
        else:
            x = F[source + lane]
            for k in range(nbytes):
                data[address[lane] + k] = uint8((x >> uint32(8 * k)) & uint32(255))


@jit(int64(STATE, MEMORY, OP, int64, int64, uint32))
def _global(s: Arrays, mem: Arrays, op: Record, load: Int, c: Int, m: Int) -> Int:
    """Load or store global memory at the lanes' addresses."""
    bad = global_offsets(mem, s.address, m, op.bytes, s.event)
    if bad:
        return bad
    if s.geometry[Geometry.TRACE]:
        sectors(s.address, m, s.event)
        if load and op.bytes > 4:  # else they are the lines of all lanes together
            lookups(s.address, m, op.bytes, s.event)
        s.event[Event.PASSES] = s.event[Event.LINES]
        if load and s.event[Event.LINES] > max(op.bytes >> 2, 1):  # else no part of the warp has more lines than one
            passes(s.address, m, op.bytes, s.event)
    if load:
        load_words(s.T, mem.bytes, mem.words, s.address, m, op.bytes, op.flags)
    else:
        store_words(s.F, c, mem.bytes, mem.words, s.address, m, op.bytes)
    return 0


@jit(int64(STATE, MEMORY, OP, int64, int64, int64, uint32))
def _generic(s: Arrays, mem: Arrays, op: Record, block: Int, warp: Int, c: Int, m: Int) -> Int:
    """Load or store through generic addresses: all to global memory, or lane by lane, each to what it names."""
    elsewhere = False
    for lane in range(32):
        window = s.address[lane] >> _WINDOW
        if window == SHARED_WINDOW >> _WINDOW or window == LOCAL_WINDOW >> _WINDOW:
            elsewhere |= (m >> uint32(lane)) & _ONE != 0
    if not elsewhere:
        return _global(s, mem, op, op.code == Code.LOAD_GENERIC, c, m)
    shared = s.blocks[block]
    words = max(op.bytes >> 2, 1)
    load = op.code == Code.LOAD_GENERIC
    one, remote = s.address2, uint32(0)
    for lane in range(32):
        if not (m >> uint32(lane)) & _ONE:
            continue
        x = s.address[lane]
        bit = _ONE << uint32(lane)
        one[:] = x
        if x >> _WINDOW == SHARED_WINDOW >> _WINDOW:
            one[lane] = x & ((1 << _WINDOW) - 1)
            bad = shared_offsets(one, bit, op.bytes, s.geometry[Geometry.SHARED_BYTES], shared.shared_at, s.event)
            data, data_words = s.shared, s.shared_words
        elif x >> _WINDOW == LOCAL_WINDOW >> _WINDOW:
            one[lane] = x & ((1 << _WINDOW) - 1)
            bad = local_offsets(s, one, bit, warp, op.bytes)
            data, data_words = s.local, s.local.view(np.uint32)
        else:
            bad = global_offsets(mem, one, bit, op.bytes, s.event)
            data, data_words = mem.bytes, mem.words
            remote |= bit
        if bad:
            return bad
        s.address[lane] = one[lane]
        if load:
            load_words(s.matrix_a, data, data_words, one, bit, op.bytes, op.flags)
            for k in range(words):
                s.T[32 * k + lane] = s.matrix_a[32 * k + lane]
        else:
            store_words(s.F, c, data, data_words, one, bit, op.bytes)
    if remote and s.geometry[Geometry.TRACE]:
        sectors(s.address, remote, s.event)
    return 0


@jit(int64(STATE, MEMORY, OP, int64, uint32))
def _constant(s: Arrays, mem: Arrays, op: Record, a: Int, m: Int) -> Int:
    """Load from a constant bank at each lane's offset."""
    first, last = mem.banks[2 * op.aux], mem.banks[2 * op.aux + 1]
    for lane in range(32):
        if not (m >> uint32(lane)) & _ONE:
            continue
        at = first + int64(s.F[a + lane]) + op.imm
        if at < first or at + op.bytes > last:
            return fault(s.event, Outcome.CONSTANT_OUT_OF_BOUNDS, lane, at - first)
        for k in range((op.bytes + 3) >> 2):
            x = uint32(0)
            for i in range(min(op.bytes, 4)):
                x |= uint32(mem.constants[at + 4 * k + i]) << uint32(8 * i)
            if op.flags & Flag.SIGNED and op.bytes < 4 and x >> uint32(8 * op.bytes - 1):
                x |= _FULL << uint32(8 * op.bytes)
            s.T[32 * k + lane] = x
    return 0


@jit(void(STATE, int64, boolean, int64))
def _transposed(s: Arrays, i: Int, load: Int, c: Int) -> None:
    """Load or store matrix i transposed: a lane's halves are two rows of one column."""
    for lane in range(32):
        g, t = lane >> 2, lane & 3
        at = (s.address[8 * i + 2 * t] >> 2) + (g >> 1), (s.address[8 * i + 2 * t + 1] >> 2) + (g >> 1)
        shift = uint32(16 * (g & 1))
        if load:
            low, high = s.shared_words[at[0]] >> shift, s.shared_words[at[1]] >> shift
            s.T[32 * i + lane] = (low & _HALF) | high << uint32(16)
        else:
            x, keep = s.F[c + 32 * i + lane], ~(_HALF << shift)
            s.shared_words[at[0]] = s.shared_words[at[0]] & keep | (x & _HALF) << shift
            s.shared_words[at[1]] = s.shared_words[at[1]] & keep | (x >> uint32(16)) << shift


@jit(int64(STATE, OP, int64, int64, int64))
def _matrices(s: Arrays, op: Record, block: Int, c: Int, size: Int) -> Int:
    """Load or store 8x8 matrices of 16-bit elements: lane 8 i + r holds the address of row r of matrix i."""
    count = op.bytes  # how many matrices
    bad = shared_offsets(s.address, _FULL >> uint32(32 - 8 * count), 16, size, s.blocks[block].shared_at, s.event)
    if bad:
        return bad
    if s.geometry[Geometry.TRACE]:
        matrix_wavefronts(s.address, count, s.event)
    load = op.code == Code.LOAD_MATRIX
    for i in range(count):
        if op.flags & Flag.LEFT:
            _transposed(s, i, load, c)
            continue
        for lane in range(32):
            at = (s.address[8 * i + (lane >> 2)] >> 2) + (lane & 3)
            if load:
                s.T[32 * i + lane] = s.shared_words[at]
            else:
                s.shared_words[at] = s.F[c + 32 * i + lane]
    return 0


@jit(int64(LONGS, uint32))
def _least(address: Array, m: Int) -> Int:
    """Return the least address of the lanes in a mask; 0 where there is none."""
    least = int64(-1)
    for lane in range(32):
        if (m >> uint32(lane)) & _ONE and (least < 0 or address[lane] < least):
            least = address[lane]
    return max(least, 0)


@jit(int64(STATE, MEMORY, OP, int64, int64, uint32, uint32))
def _copy(s: Arrays, mem: Arrays, op: Record, block: Int, c: Int, m: Int, q: Int) -> Int:
    """Copy global bytes to shared memory (LDGSTS); lanes outside `q` write zeros instead of reading."""
    for lane in range(32):
        s.address2[lane] = (int64(s.F[c + lane]) + op.aux) & int64(0xFFFFFFFF)
    nbytes = op.bytes
    bad = shared_offsets(s.address2, m, nbytes, s.geometry[Geometry.SHARED_BYTES], s.blocks[block].shared_at, s.event)
    if bad:
        return bad
    bad = global_offsets(mem, s.address, m & q, nbytes, s.event)
    if bad:
        return bad
    if s.geometry[Geometry.TRACE]:
        wavefronts(s.address2, m, nbytes, 0, s.event)
        sectors(s.address, m & q, s.event)
        if nbytes > 4:
            lookups(s.address, m & q, nbytes, s.event)
        passes(s.address, m & q, nbytes, s.event)
        if nbytes == 16:
            pieces(s.address, s.address2, m & q, s.event)
        s.event[Event.TO] = _least(s.address2, m) - s.blocks[block].shared_at
    for lane in range(32):
        if (m >> uint32(lane)) & _ONE:
            read = (q >> uint32(lane)) & _ONE
            for k in range(nbytes >> 2):
                word = mem.words[(s.address[lane] >> 2) + k] if read else uint32(0)
                s.shared_words[(s.address2[lane] >> 2) + k] = word
    return 0


@jit(int64(STATE, MEMORY, OP, int64, int64, int64, int64, uint32))
def memory(s: Arrays, mem: Arrays, op: Record, warp: Int, a: Int, b: Int, c: Int, m: Int) -> Int:
    """Execute one load, store or copy; a nonzero result is a fault."""
    code, nbytes, trace = op.code, op.bytes, s.geometry[Geometry.TRACE]
    if code == Code.LOAD_CONSTANT:
        return _constant(s, mem, op, a, m)
    addresses(s.F, s.address, op, a, b, op.imm, op.wide)
    block = int64(s.warps[warp].block)
    size, at = s.geometry[Geometry.SHARED_BYTES], s.blocks[block].shared_at
    if code == Code.LOAD_GLOBAL or code == Code.STORE_GLOBAL:
        return _global(s, mem, op, code == Code.LOAD_GLOBAL, c, m)
    if code == Code.LOAD_SHARED or code == Code.STORE_SHARED:
        bad = shared_offsets(s.address, m, nbytes, size, at, s.event)
        if bad:
            return bad
        if trace:
            wavefronts(s.address, m, nbytes, int64(code == Code.LOAD_SHARED), s.event)
        if code == Code.LOAD_SHARED:
            load_words(s.T, s.shared, s.shared_words, s.address, m, nbytes, op.flags)
        else:
            store_words(s.F, c, s.shared, s.shared_words, s.address, m, nbytes)
        return 0
    if code == Code.LOAD_MATRIX or code == Code.STORE_MATRIX:
        return _matrices(s, op, block, c, size)
    if code == Code.COPY_ASYNC:
        q = uint32(s.P[warp * PREDICATES + op.q] ^ op.q_flip)
        return _copy(s, mem, op, block, c, m, q)
    if code == Code.LOAD_LOCAL or code == Code.STORE_LOCAL:
        if trace:
            thread_lines(s.address, m, nbytes, s.event)
        bad = local_offsets(s, s.address, m, warp, nbytes)
        if bad:
            return bad
        if code == Code.LOAD_LOCAL:
            load_words(s.T, s.local, s.local.view(np.uint32), s.address, m, nbytes, op.flags)
        else:
            store_words(s.F, c, s.local, s.local.view(np.uint32), s.address, m, nbytes)
        return 0
    return _generic(s, mem, op, block, warp, c, m)
