"""Values that nothing wrote: followed from where they are loaded to where they count.

A kernel may load them (tiles are fetched whole), calculate with them and keep them in shared memory, as long as it
drops the result: lanes outside the problem do that all the time. They count where they leave the kernel (a store or an
atomic to global memory), where they choose an address, and where they decide a branch.
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Arrays, Int, Record, jit
from simtc.machine.micro import (
    DUMP_PREDICATE,
    PREDICATES,
    UNIFORM_PREDICATE,
    Family,
    Integer,
    Predicate,
    Row,
    Single,
    Tensor,
)
from simtc.machine.predicate import comparison, lookup
from simtc.machine.races import report
from simtc.machine.state import CODE, STATE
from simtc.machine.tensor import Field
from simtc.machine.types import OP, int64, uint32, uint64, void
from simtc.machine.watch import PLACES, PREDICATE_AT, UNIFORM_AT, Found, Habit

__all__ = ["doubt", "flow", "settle", "used"]

_ONE = np.uint32(1)
_FULL = np.uint32(0xFFFFFFFF)


@jit(int64(int64))
def _place(row: Int) -> Int:
    """Return where a row of registers stands in `unknown`, -1 for zero and what is written to nowhere."""
    if row < Row.ZERO:
        return row
    if Row.UNIFORM <= row < Row.UNIFORM_ZERO:
        return UNIFORM_AT + row - Row.UNIFORM
    return -1


@jit(uint32(STATE, int64, int64, int64))
def doubt(s: Arrays, w: Int, word: Int, own: Int) -> Int:
    """Return the lanes in which a source row, by its first word, holds what nothing wrote."""
    place = _place(word >> 5) if own else int64(-1)
    return s.unknown[PLACES * w + place] if place >= 0 else uint32(0)


@jit(void(STATE, int64, int64, uint32))
def used(s: Arrays, w: Int, register: Int, lanes: Int) -> None:
    """Report that lanes use a register's value, if it is one that nothing wrote; from now on it is taken for known."""
    at = PLACES * w + register
    lanes &= s.unknown[at]
    if not lanes:
        return
    origin = s.origin[at]
    kind = int64(Found.UNKNOWN_REGISTER)
    if origin:
        kind = Found.UNKNOWN_GLOBAL if origin < 0 else Found.UNKNOWN_SHARED
    for lane in range(32):
        if (lanes >> uint32(lane)) & _ONE:
            report(s, w, kind, abs(origin) - 1, lane, 0, 0, register)
    s.unknown[at] = uint32(0)


@jit(uint32(STATE, OP, int64))
def _logic(s: Arrays, op: Record, w: Int) -> Int:
    """Return the lanes in which PLOP3's results depend on predicates that nothing decided."""
    at, known = w * PREDICATES, PLACES * w + PREDICATE_AT
    x, y, z = s.P[at + op.q] ^ op.q_flip, s.P[at + op.q2] ^ op.q2_flip, s.P[at + op.q3] ^ op.q3_flip
    ux, uy, uz = s.unknown[known + op.q], s.unknown[known + op.q2], s.unknown[known + op.q3]
    out = uint32(0)
    if ux | uy | uz:
        first, second = lookup(x, y, z, op.imm), lookup(x, y, z, op.aux)
        for k in range(1, 8):
            vx = x ^ ux if k & 4 else x
            vy = y ^ uy if k & 2 else y
            vz = z ^ uz if k & 1 else z
            out |= (lookup(vx, vy, vz, op.imm) ^ first) | (lookup(vx, vy, vz, op.aux) ^ second)
    return out


@jit(uint32(STATE, OP, int64, int64, uint32))
def _comparison(s: Arrays, op: Record, w: Int, base: Int, wide: Int) -> Int:
    """Return the lanes in which a comparison that is unknown in some, joined with a predicate, is not decided."""
    at = w * PREDICATES
    q, q2 = s.P[at + op.q] ^ op.q_flip, s.P[at + op.q2] ^ op.q2_flip
    unsure = s.unknown[PLACES * w + PREDICATE_AT + op.q]
    if op.variant > 1:
        return wide | unsure
    neutral = _FULL if op.variant == 0 else uint32(0)  # with it the comparison alone decides
    a, b = op.a + op.a_warp * base, op.b + op.b_warp * base
    holds = uint32(comparison(s.F, op, a, b, neutral, q2) & uint64(0xFFFFFFFF))
    decided = (holds if op.variant else ~holds) & ~wide  # against the predicate, whatever it is
    if op.p2 != DUMP_PREDICATE:
        decided = uint32(0)  # the second result is of the complement
    return wide & ((q ^ ~neutral) | unsure) | unsure & ~decided


@jit(uint32(STATE, OP, int64, int64, uint32))
def _exchanged(s: Arrays, op: Record, w: Int, base: Int, m: Int) -> Int:
    """Return the lanes that get what nothing wrote from others: shuffles, votes, and their like."""
    unknown = doubt(s, w, op.a, op.a_warp)
    if op.code == Predicate.SHFL:
        if not unknown:
            return uint32(0)
        b, c, out = op.b + op.b_warp * base, op.c + op.c_warp * base, uint32(0)
        for lane in range(32):
            n, control = int64(s.F[b + lane] & uint32(31)), int64(s.F[c + lane])
            clamp, segment = control & 31, (control >> 8) & 31
            top = (lane & segment) | (clamp & ~segment)
            j = (lane & segment) | (n & ~segment)
            if op.variant:
                j = lane - n if op.variant == 1 else lane + n if op.variant == 2 else lane ^ n
            if j < top if op.variant == 1 else j > top:
                j = lane
            out |= ((unknown >> uint32(j & 31)) & _ONE) << uint32(lane)
        return out
    if op.code == Predicate.VOTE:
        q = s.P[w * PREDICATES + op.q] ^ op.q_flip
        unsure = s.unknown[PLACES * w + PREDICATE_AT + op.q] & m
        settled = q if op.variant == 0 else ~q  # one lane that holds settles ANY, one that does not ALL
        wanted = op.d_rows != 0 or op.variant == 2 or settled & m & ~unsure == 0
        return _FULL if unsure and wanted else uint32(0)
    if op.code == Predicate.R2UR:
        return _FULL if unknown & m & (uint32(0) - m) else uint32(0)
    return _FULL if unknown & m else uint32(0)


@jit(void(STATE, CODE, OP, int64))
def _matrix(s: Arrays, code: Arrays, op: Record, w: Int) -> None:
    """Follow unknown elements through a product, into `doubts`: they spoil their rows of D, or their columns."""
    f, at = code.mma[op.imm], PLACES * w
    m, n = f[Field.M], f[Field.N]
    rows, columns = s.matrix_a, s.matrix_b  # not in use yet
    a, b, c = int64(op.a >> 5), int64(op.b >> 5), int64(op.c >> 5)
    for g in range(f[Field.GROUPS]):
        rows[:m] = 0
        columns[:n] = 0
        depth = f[Field.A_COUNT] // m
        for i in range(f[Field.A_COUNT]):
            word = code.words[f[Field.A] + g * f[Field.A_COUNT] + i]
            if a < Row.ZERO and (s.unknown[at + a + (word >> 5)] >> uint32(word & 31)) & _ONE:
                rows[i // depth] = 1
        for i in range(f[Field.B_COUNT]):
            word = code.words[f[Field.B] + g * f[Field.B_COUNT] + i]
            if b < Row.ZERO and (s.unknown[at + b + (word >> 5)] >> uint32(word & 31)) & _ONE:
                columns[i % n] = 1
        for i in range(m * n):
            word = code.words[f[Field.C] + g * m * n + i]
            bad = rows[i // n] | columns[i % n]
            if c < Row.ZERO and (s.unknown[at + c + (word >> 5)] >> uint32(word & 31)) & _ONE:
                bad = uint32(1)
            if bad:
                word = code.words[f[Field.D] + g * m * n + i]
                s.doubts[word >> 5] |= _ONE << uint32(word & 31)


@jit(uint32(STATE, CODE, OP, int64, int64, uint32, uint32))
def _result(s: Arrays, code: Arrays, op: Record, w: Int, habit: Int, any_: Int, all_: Int) -> Int:
    """Return the lanes whose result is unknown, of sources of which any, or all, are unknown in the lanes given."""
    family, what = op.family, op.code
    known = PLACES * w + PREDICATE_AT
    if (family == Family.INTEGER and what == Integer.SEL) or (family == Family.SINGLE and what == Single.SEL):
        q = s.P[w * PREDICATES + op.q] ^ op.q_flip
        chosen = doubt(s, w, op.a, op.a_warp) & q | doubt(s, w, op.b, op.b_warp) & ~q
        return chosen | s.unknown[known + op.q]
    if habit & Habit.MERGES:
        return uint32(0) if habit & Habit.CONSTANT else all_
    if habit & Habit.PACKS and not s.origin[PLACES * w + (op.a >> 5)]:
        return uint32(0)  # the first predicate finds the register as it was: each tests its own bit alone
    if family == Family.TENSOR:
        if any_ and what == Tensor.MMA:
            _matrix(s, code, op, w)
            return uint32(0)
        return _FULL if any_ else uint32(0)
    return any_


@jit(void(STATE, CODE, OP, int64, int64, int64, int64, uint32))
def flow(s: Arrays, code: Arrays, op: Record, w: Int, place: Int, base: Int, habit: Int, m: Int) -> None:
    """Say in `doubts` in which lanes an instruction, no memory access, makes its result of what nothing wrote."""
    first, then, at = s.uses_at[2 * place], s.uses_at[2 * place + 1], PLACES * w
    any_, all_ = uint32(0), _FULL if then > first else uint32(0)
    for i in range(first, then):
        use = s.uses[i]
        any_ |= s.unknown[at + use]
        if use < PREDICATE_AT:
            all_ &= s.unknown[at + use]
    for k in range(16):
        s.doubts[k] = 0
    if not any_:
        return
    out = uint32(0)
    if op.family == Family.PREDICATE:
        what = op.code
        if what == Predicate.PLOP3:
            out = _logic(s, op, w)
        elif what >= Predicate.ISETP and what <= Predicate.HSETP:
            compared = doubt(s, w, op.a, op.a_warp) | doubt(s, w, op.b, op.b_warp)
            if what == Predicate.DSETP:
                compared |= doubt(s, w, op.a + 32, op.a_warp) | doubt(s, w, op.b + 32, op.b_warp)
            compared |= s.unknown[at + PREDICATE_AT + op.q2]
            out = _comparison(s, op, w, base, compared)
        elif what >= Predicate.VOTE and what <= Predicate.R2UR:
            out = _exchanged(s, op, w, base, m)
        else:
            out = any_
    else:
        out = _result(s, code, op, w, habit, any_, all_)
    for k in range(16):
        s.doubts[k] |= out


@jit(void(STATE, int64, int64, uint32, uint32))
def settle(s: Arrays, w: Int, place: Int, m: Int, maybe: Int) -> None:
    """Write `doubts` to the registers that an instruction wrote in lanes `m`; in `maybe` it may have written or not."""
    first, then, end = s.uses_at[2 * place], s.uses_at[2 * place + 1], s.uses_at[2 * place + 2]
    at, origin, row = PLACES * w, int64(0), 0
    for i in range(first, then):
        if s.unknown[at + s.uses[i]]:
            origin = s.origin[at + s.uses[i]]
    for i in range(then, end):
        use = s.uses[i]
        doubts = s.doubts[min(row, 15)]
        row += 1 if use < PREDICATE_AT else 0
        written = m
        if UNIFORM_AT <= use < PREDICATE_AT or use >= PREDICATE_AT + UNIFORM_PREDICATE:
            written = _FULL
            doubts = _FULL if doubts & m else uint32(0)
        before = s.unknown[at + use]
        s.unknown[at + use] = before & ~written | (doubts | maybe) & written
        if s.unknown[at + use] & written:
            s.origin[at + use] = origin
