"""Operations whose result is a predicate, and those that move data between lanes.

A predicate is a 32-bit mask of lanes. Each function returns its two destination masks, the first in the low word.
"""

from __future__ import annotations

import math

import numpy as np

from simtc.jit import Array, Arrays, Int, Record, jit
from simtc.machine.bits import as_f32, flush
from simtc.machine.double import read64
from simtc.machine.half import pick, widen
from simtc.machine.micro import Flag, Predicate
from simtc.machine.offsets import addresses
from simtc.machine.packed import int32_of
from simtc.machine.single import compare
from simtc.machine.state import LOCAL_WINDOW, SHARED_WINDOW, STATE
from simtc.machine.types import OP, WORDS, float64, int64, uint32, uint64

__all__ = ["comparison", "exchange", "lookup", "predicate"]

_ONE = np.uint32(1)
_FULL = np.uint32(0xFFFFFFFF)
_WINDOW = np.int64(24)  # windows are 16 MiB


@jit(uint64(uint32, uint32, int64, int64))
def _combine(hold: Int, other: Int, how: Int, also: Int) -> Int:
    """Join a comparison with a source predicate: 0 and, 1 or, 2 xor; `also` asks for the complement's mask too."""
    no = ~hold
    if how == 0:
        first, second = hold & other, no & other
    elif how == 1:
        first, second = hold | other, no | other
    else:
        first, second = hold ^ other, no ^ other
    return uint64(first) | (uint64(second) << uint64(32) if also else uint64(0))


@jit(uint64(WORDS, OP, int64, int64, uint32, uint32))
def _isetp(F: Array, op: Record, a: Int, b: Int, q: Int, low_holds: Int) -> Int:
    """Compare integers; .EX continues a 64-bit comparison whose low words compared as `low_holds`."""
    how, flags, bx = op.imm, op.flags, op.b_xor
    flip = uint32(0x80000000) if flags & Flag.SIGNED else uint32(0)
    less, equal = uint32(0), uint32(0)
    one = uint32(op.aux >> 8)  # a negated operand b
    for lane in range(32):
        x, y = F[a + lane] ^ flip, ((F[b + lane] ^ bx) + one) ^ flip
        less |= uint32(x < y) << uint32(lane)
        equal |= uint32(x == y) << uint32(lane)
    greater = ~(less | equal)
    hold = (less if how & 1 else uint32(0)) | (equal if how & 2 else uint32(0)) | (greater if how & 4 else uint32(0))
    if flags & Flag.EXTENDED:
        strict = (less if how & 1 else uint32(0)) | (greater if how & 4 else uint32(0))
        hold = strict | equal & low_holds
    return _combine(hold, q, op.variant, 1)


@jit(uint64(WORDS, OP, int64, int64, uint32))
def _fsetp(F: Array, op: Record, a: Int, b: Int, q: Int) -> Int:
    """Compare f32, f64 or packed f16; packed results are the low and the high half."""
    aa, ax, ba, bx = op.a_and, op.a_xor, op.b_and, op.b_xor
    flags, code, how = op.flags, op.code, op.imm
    hold, upper = uint32(0), uint32(0)
    for lane in range(32):
        if code == Predicate.DSETP:
            x, y = read64(F, a + lane, aa, ax), read64(F, b + lane, ba, bx)
            if how >= 16:  # .MIN, .MAX: is x the result; are both NaN
                first = y != y or (x < y if how == 16 else x > y)  # noqa: PLR0124
                if x == y:  # zeros: minus is below plus
                    first = (math.copysign(1.0, x) < 0.0) == (how == 16)
                hold |= uint32(first and x == x) << uint32(lane)  # noqa: PLR0124
                upper |= uint32(x != x and y != y) << uint32(lane)  # noqa: PLR0124
                continue
        elif code == Predicate.FSETP:
            fx, fy = as_f32(F[a + lane] & aa ^ ax), as_f32(F[b + lane] & ba ^ bx)
            if flags & Flag.FTZ:
                fx, fy = flush(fx), flush(fy)
            x, y = float64(fx), float64(fy)
        else:
            wa, wb = F[a + lane] & aa ^ ax, F[b + lane] & ba ^ bx
            x, y = float64(widen(pick(wa, op.a_half, 1), flags)), float64(widen(pick(wb, op.b_half, 1), flags))
            upper |= uint32(compare(x, y, how)) << uint32(lane)
            x, y = float64(widen(pick(wa, op.a_half, 0), flags)), float64(widen(pick(wb, op.b_half, 0), flags))
        hold |= uint32(compare(x, y, how)) << uint32(lane)
    if code == Predicate.HSETP or how >= 16:
        low = _combine(hold, q, op.variant, 0) & uint64(0xFFFFFFFF)
        return low | _combine(upper, q, op.variant, 0) << uint64(32)
    return _combine(hold, q, op.variant, 1)


@jit(uint32(uint32, uint32, uint32, int64))
def lookup(x: Int, y: Int, z: Int, lut: Int) -> Int:
    """Evaluate a three-input truth table over lane masks."""
    out = uint32(0)
    for k in range(8):
        if (lut >> k) & 1:
            out |= (x if k & 4 else ~x) & (y if k & 2 else ~y) & (z if k & 1 else ~z)
    return out


@jit(uint32(WORDS, int64, uint32))
def _signs(F: Array, a: Int, flip: Int) -> Int:
    """Collect the lanes whose word has its top bit set."""
    out = uint32(0)
    for lane in range(32):
        out |= ((F[a + lane] ^ flip) >> uint32(31)) << uint32(lane)
    return out


@jit(uint64(WORDS, WORDS, OP, int64, int64, int64))
def _shuffle(F: Array, T: Array, op: Record, a: Int, b: Int, c: Int) -> Int:
    """Read another lane's register: 0 IDX, 1 UP, 2 DOWN, 3 BFLY; c holds the clamp and the segment mask."""
    inside = uint32(0)
    for lane in range(32):
        n, control = int64(F[b + lane] & uint32(31)), int64(F[c + lane])
        clamp, segment = control & 31, (control >> 8) & 31
        top = (lane & segment) | (clamp & ~segment)
        if op.variant == 0:
            j = (lane & segment) | (n & ~segment)
            within = j <= top
        elif op.variant == 1:
            j = lane - n
            within = j >= top
        else:
            j = lane + n if op.variant == 2 else lane ^ n
            within = j <= top
        if not within:
            j = lane
        inside |= uint32(within) << uint32(lane)
        T[lane] = F[a + j]
    return uint64(inside)


@jit(uint32(uint32, uint32, int64, int64))
def _reduce(x: Int, y: Int, how: Int, signed: Int) -> Int:
    """Join two words: 0 or, 1 and, 2 xor, 3 sum, 4 minimum, 5 maximum."""
    if how == 0:
        return x | y
    if how == 1:
        return x & y
    if how == 2:
        return x ^ y
    if how == 3:
        return x + y
    less = int32_of(x) < int32_of(y) if signed else x < y
    return x if less == (how == 4) else y


@jit(uint64(WORDS, WORDS, OP, int64, uint32, int64))
def _match(F: Array, T: Array, op: Record, a: Int, m: Int, first: Int) -> Int:
    """Find the lanes that hold the same value."""
    same_as_first = uint32(0)
    for lane in range(32):
        same = uint32(0)
        for other in range(32):
            equal = F[a + lane] == F[a + other]
            if op.aux:
                equal = equal and F[a + 32 + lane] == F[a + 32 + other]
            same |= uint32(equal) << uint32(other)
        T[lane] = same & m
        if lane == first:
            same_as_first = same & m
    if op.variant == 0:
        return uint64(0)
    everyone = same_as_first == m
    for lane in range(32):
        T[lane] = m if everyone else uint32(0)
    return uint64(_FULL if everyone else uint32(0))


@jit(uint64(WORDS, WORDS, OP, int64, int64, int64, uint32, uint32))
def exchange(F: Array, T: Array, op: Record, a: Int, b: Int, c: Int, q: Int, m: Int) -> Int:
    """Execute a vote, shuffle, match or reduction among the lanes of `m`."""
    code = op.code
    if code == Predicate.SHFL:
        return _shuffle(F, T, op, a, b, c)
    first = int64(0)
    while first < 31 and not (m >> uint32(first)) & _ONE:
        first += 1
    value, result = uint32(0), uint32(0)
    if code == Predicate.VOTE and op.variant == 3:  # ELECT
        value, result = uint32(first), uint64(_ONE << uint32(first))
    elif code == Predicate.VOTE:  # variant 0 ANY, 1 ALL, 2 EQ
        value = q & m
        if op.variant == 0:
            result = _FULL if value else uint32(0)
        else:
            result = _FULL if value == m or (op.variant == 2 and value == 0) else uint32(0)
    elif code == Predicate.REDUX:
        value = F[a + first]
        for lane in range(first + 1, 32):
            if (m >> uint32(lane)) & _ONE:
                value = _reduce(value, F[a + lane], op.variant, op.flags & Flag.SIGNED)
    elif code == Predicate.R2UR:
        value = F[a + first]
        result = (q >> uint32(first)) & _ONE
        result = _FULL if result else uint32(0)
    elif code == Predicate.MATCH:  # variant 0 ANY, 1 ALL; d_rows tells nothing: aux is 1 for 64-bit values
        return _match(F, T, op, a, m, first)
    for lane in range(32):
        T[lane] = value
    return uint64(result)


@jit(uint64(WORDS, OP, int64, int64, uint32, uint32))
def comparison(F: Array, op: Record, a: Int, b: Int, q: Int, q2: Int) -> Int:
    """Compare two operands, and join what holds with the predicate `q`."""
    return _isetp(F, op, a, b, q, q2) if op.code == Predicate.ISETP else _fsetp(F, op, a, b, q)


@jit(uint32(STATE, OP, int64, int64))
def _query_space(s: Arrays, op: Record, a: Int, b: Int) -> Int:
    """Tell whose generic addresses are of a space: 0 shared, 1 local, 2 global, which is all that has no window."""
    addresses(s.F, s.address, op, a, b, op.imm, op.wide)
    out = uint32(0)
    for lane in range(32):
        window = s.address[lane] >> _WINDOW
        space = 0 if window == SHARED_WINDOW >> _WINDOW else 1 if window == LOCAL_WINDOW >> _WINDOW else 2
        out |= uint32(space == op.variant) << uint32(lane)
    return out


@jit(uint64(STATE, OP, int64, int64, int64, int64, uint32, uint32))
def predicate(s: Arrays, op: Record, at: Int, a: Int, b: Int, c: Int, q: Int, m: Int) -> Int:
    """Execute one micro-operation of comparison or predicate logic; `at` is the warp's first predicate."""
    code, F, T, P = op.code, s.F, s.T, s.P
    q2, q3 = P[at + op.q2] ^ op.q2_flip, P[at + op.q3] ^ op.q3_flip
    if code >= Predicate.ISETP and code <= Predicate.HSETP:
        return comparison(F, op, a, b, q, q2)
    if code == Predicate.PLOP3:
        return uint64(lookup(q, q2, q3, op.imm)) | uint64(lookup(q, q2, q3, op.aux)) << uint64(32)
    if code == Predicate.PLOP3_SIGNS:
        x = _signs(F, a, op.a_xor) if op.variant & 1 else q
        y = _signs(F, b, op.b_xor) if op.variant & 2 else q2
        z = _signs(F, c, op.c_xor) if op.variant & 4 else q3
        return uint64(lookup(x, y, z, op.imm)) | uint64(lookup(x, y, z, op.aux)) << uint64(32)
    if code == Predicate.P2R:
        for lane in range(32):
            word = uint32(0)
            for k in range(7):
                word |= ((P[at + op.variant + k] >> uint32(lane)) & _ONE) << uint32(k)
            word = word << uint32(8 * op.imm)
            keep = F[b + lane] << uint32(8 * op.imm)
            T[lane] = word & keep | F[a + lane] & ~keep
        return uint64(0)
    if code == Predicate.R2P:
        for k in range(7):
            word = uint32(0)
            for lane in range(32):
                word |= ((F[a + lane] >> uint32(k + 8 * op.imm)) & _ONE) << uint32(lane)
            if (F[b] >> uint32(k)) & _ONE:
                P[at + k] = word & m | P[at + k] & ~m
        return uint64(0)
    if code == Predicate.QUERY_SPACE:
        return uint64(_query_space(s, op, a, b))
    if code == Predicate.FCHK:
        # division needs the slow path where the quotient or an operand leaves the normal range
        slow = uint32(0)
        for lane in range(32):
            x, y = (F[a + lane] >> uint32(23)) & uint32(255), (F[b + lane] >> uint32(23)) & uint32(255)
            gap = int64(x) - int64(y)
            bad = x == 0 or x == 255 or y == 0 or y == 255 or gap < -125 or gap > 125 or y >= 253 or x < 24
            slow |= uint32(bad) << uint32(lane)
        return uint64(slow)
    return exchange(F, T, op, a, b, c, q, m)
