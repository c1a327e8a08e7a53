"""One instruction of one warp: what both drivers call."""

from __future__ import annotations

import numpy as np
from numba import types

from simtc.jit import Array, Arrays, Int, Record, jit
from simtc.machine.access import memory
from simtc.machine.atomic import atomic
from simtc.machine.control import control
from simtc.machine.convert import convert
from simtc.machine.double import double
from simtc.machine.half import half
from simtc.machine.integer import integer
from simtc.machine.micro import (
    LANES,
    PREDICATES,
    UNIFORM_PREDICATE,
    WARP_WORDS,
    Control,
    Family,
    Flag,
    Predicate,
    Row,
    Tensor,
)
from simtc.machine.micro import Memory as Code
from simtc.machine.offsets import addresses
from simtc.machine.predicate import predicate
from simtc.machine.single import single
from simtc.machine.special import special
from simtc.machine.state import CODE, MEMORY, STATE, Event, Geometry, Outcome
from simtc.machine.tensor import tensor, transpose
from simtc.machine.types import OP, WORDS, int64, uint32, uint64, void
from simtc.numerics.lanes import LANES as EIGHT
from simtc.numerics.lanes import load, store

__all__ = ["STEP", "step"]

STEP = types.FunctionType(int64(STATE, MEMORY, CODE, int64))

_ONE = np.uint32(1)
_FULL = np.uint32(0xFFFFFFFF)


@jit(void(WORDS, WORDS, int64, int64, uint32))
def _commit(F: Array, T: Array, d: Int, rows: Int, m: Int) -> None:
    """Write the scratch rows to the destination registers of the active lanes."""
    if m == _FULL:
        for i in range(0, 32 * rows, EIGHT):
            store(F, d + i, load(T, i))
        return
    for row in range(rows):
        for lane in range(32):
            i = 32 * row + lane
            F[d + i] = T[i] if (m >> uint32(lane)) & _ONE else F[d + i]


@jit(void(WORDS, int64, int64, uint64, uint32))
def _commit_predicates(P: Array, p: Int, p2: Int, both: Int, m: Int) -> None:
    """Write two destination predicates."""
    P[p] = P[p] & ~m | uint32(both & uint64(0xFFFFFFFF)) & m
    P[p2] = P[p2] & ~m | uint32(both >> uint64(32)) & m


@jit(uint32(WORDS, int64))
def _mask_of(T: Array, row: Int) -> Int:
    """Collect a scratch row of zeros and ones into a lane mask."""
    out = uint32(0)
    for lane in range(32):
        out |= T[row + lane] << uint32(lane)
    return out


@jit(int64(STATE, MEMORY, OP, int64, int64, int64, int64, uint32))
def _move_data(s: Arrays, mem: Arrays, op: Record, w: Int, a: Int, b: Int, c: Int, m: Int) -> Int:
    """Execute a memory operation; a nonzero result is a fault."""
    if op.code >= Code.ATOMIC_GLOBAL and op.code <= Code.ATOMIC_GENERIC:
        addresses(s.F, s.address, op, a, b, op.imm, op.wide)
        return atomic(s, mem, op, int64(s.warps[w].block), c, m)
    return memory(s, mem, op, w, a, b, c, m)


@jit(void(STATE, OP, int64, uint32, uint32))
def _commit_flags(s: Arrays, op: Record, w: Int, q: Int, m: Int) -> None:
    """Write the predicates of an integer operation: its carries, or of LOP3 whether the result is not zero."""
    T, at = s.T, w * PREDICATES
    if op.flags & Flag.CARRY_OUT:
        carries = uint64(_mask_of(T, 64)) | uint64(_mask_of(T, 96)) << uint64(32)
        _commit_predicates(s.P, at + op.p, at + op.p2, carries, m)
    elif op.flags & Flag.NAN:
        nonzero = uint32(0)
        for lane in range(32):
            nonzero |= uint32(T[lane] != 0) << uint32(lane)
        _commit_predicates(s.P, at + op.p, at + op.p2, uint64(nonzero | q), m)


@jit(void(STATE, OP, int64, int64, int64, int64, uint32, uint32))
def _set_predicates(s: Arrays, op: Record, w: Int, a: Int, b: Int, c: Int, q: Int, m: Int) -> None:
    """Execute what writes predicates, or moves data between lanes, or reads a special register."""
    if op.code == Predicate.S2R or op.code == Predicate.CLOCK:
        special(s, op, w)
        return
    at = w * PREDICATES
    both = predicate(s, op, at, a, b, c, q, m)
    _commit_predicates(s.P, at + op.p, at + op.p2, both, _FULL if op.p >= UNIFORM_PREDICATE else m)


@jit(void(STATE, OP, int64, uint32))
def _read_control(s: Arrays, op: Record, w: Int, m: Int) -> None:
    """Read a convergence register, or the result of a barrier."""
    warp, at = s.warps[w], w * PREDICATES
    value = warp.convergence[op.imm] if op.code == Control.READ_CONVERGENCE else uint32(0)
    if op.code == Control.BARRIER_RESULT:
        result = s.blocks[warp.block].result[op.imm]
        value = uint32(result & 0x3FFFFFFF)
        everyone = _FULL if result >> 30 & 1 else uint32(0)
        anyone = _FULL if value else uint32(0)
        _commit_predicates(s.P, at + op.p, at + op.p2, uint64(everyone if op.variant else anyone), m)
    elif op.aux:
        warp.convergence[op.imm] = uint32(0)
    for lane in range(32):
        s.T[lane] = value


@jit(int64(STATE, MEMORY, CODE, int64), from_python=True)
def step(s: Arrays, mem: Arrays, code: Arrays, w: Int) -> Int:
    """Execute the next instruction of warp `w` and say what happened (Outcome); details are in `s.event`."""
    warp = s.warps[w]
    op = code.ops[warp.pc]
    warp.executed += 1
    s.event[Event.PC] = warp.pc
    base = s.geometry[Geometry.LITERAL_WORDS] + w * WARP_WORDS
    at = w * PREDICATES
    m = warp.active & (s.P[at + op.guard] ^ op.guard_flip)
    q, q2 = s.P[at + op.q] ^ op.q_flip, s.P[at + op.q2] ^ op.q2_flip
    a, b, c = op.a + op.a_warp * base, op.b + op.b_warp * base, op.c + op.c_warp * base
    s.event[Event.MASK] = int64(m)
    s.event[Event.WAVEFRONTS] = 0
    s.event[Event.SECTORS] = 0
    s.event[Event.TAKEN] = 0
    family = op.family
    if family == Family.CONTROL and op.code != Control.READ_CONVERGENCE and op.code != Control.BARRIER_RESULT:
        return control(s, op, w, a, b, m, q)
    warp.pc += 1
    if m == 0:
        return Outcome.NEXT
    F, T = s.F, s.T
    if family == Family.INTEGER:
        integer(F, T, op, a, b, c, q, q2)
        _commit_flags(s, op, w, q, m)
    elif family == Family.SINGLE:
        single(F, T, op, a, b, c, q)
    elif family == Family.HALF:
        half(F, T, op, a, b, c, q)
    elif family == Family.DOUBLE:
        double(F, T, op, a, b, c)
    elif family == Family.CONVERT:
        convert(F, T, op, a, b, c)
    elif family == Family.PREDICATE:
        _set_predicates(s, op, w, a, b, c, q, m)
    elif family == Family.CONTROL:
        _read_control(s, op, w, m)
    elif family == Family.TENSOR:
        if op.code == Tensor.MMA:
            tensor(code, s, op.imm, a, b, c, op.d_rows)
        else:
            transpose(F, T, a)
    else:
        bad = _move_data(s, mem, op, w, a, b, c, m)
        if bad:
            return bad
    if op.d_rows:
        # a uniform register is a row with one value in all lanes
        whole = op.d >= Row.UNIFORM * LANES
        _commit(F, T, op.d + base, op.d_rows, _FULL if whole else m)
    return Outcome.NEXT
