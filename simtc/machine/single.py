"""f32 operations over 32 lanes: each rounds once, NaN results are canonical, .FTZ flushes on the way in and out."""

from __future__ import annotations

import math

import numpy as np

from simtc.jit import Array, Float, Int, Record, jit
from simtc.machine.bits import (
    DEFAULT_NAN,
    as_f32,
    as_f64,
    as_u32,
    as_u64,
    flush,
    fma32,
    odd_sum,
    round_f32,
    round_flush,
    zero_sum,
)
from simtc.machine.micro import Flag, Single
from simtc.machine.types import OP, WORDS, float32, float64, int64, uint32, uint64, void

__all__ = ["compare", "maximum", "single", "transcendental"]

_ONE = np.uint32(1)
_MAGNITUDE = np.uint32(0x7FFFFFFF)


@jit(uint32(float32, int64))
def _finish(x: Float, flags: Int) -> Int:
    """Apply .SAT and .FTZ to a result and make its NaN canonical."""
    if flags & Flag.SATURATE:
        x = float32(0.0) if not x > float32(0.0) else min(x, float32(1.0))
    if flags & Flag.FTZ:
        x = flush(x)
    return DEFAULT_NAN if x != x else as_u32(x)  # noqa: PLR0124 - the NaN test


@jit(float32(float32, float32, int64, int64))
def maximum(x: Float, y: Float, smaller: Int, flags: Int) -> Float:
    """Return the smaller or larger operand: a NaN loses to a number (unless .NAN), and -0 is below +0."""
    if x != x or y != y:  # noqa: PLR0124
        if flags & Flag.NAN or (x != x and y != y):  # noqa: PLR0124
            return as_f32(DEFAULT_NAN)
        return y if x != x else x  # noqa: PLR0124
    if x == y:  # only zeros of two signs differ here
        u, v = as_u32(x), as_u32(y)
        return as_f32(u | v if smaller else u & v)
    return x if (x < y) == (smaller != 0) else y


@jit(int64(float64, float64, int64))
def compare(x: Float, y: Float, how: Int) -> Int:
    """Compare by a mask of accepted relations: 1 less, 2 equal, 4 greater, 8 unordered."""
    if x < y:
        relation = 1
    elif x == y:
        relation = 2
    elif x > y:
        relation = 4
    else:
        relation = 8
    return 1 if how & relation else 0


@jit(float64(float64, int64))
def transcendental(d: Float, which: Int) -> Float:
    """Evaluate MUFU in f64; the caller rounds it once. The chip is up to 2 ulp away: sass_notes/machine.md."""
    if which == 0:
        return math.copysign(math.inf, d) if d == 0.0 else 1.0 / d
    if which == 1:
        return math.copysign(math.inf, d) if d == 0.0 else (math.nan if d < 0.0 else 1.0 / math.sqrt(d))
    if which == 2:
        return 2.0**d
    if which == 3:
        return -math.inf if d == 0.0 else (math.nan if d < 0.0 else math.log2(d))
    if which == 4 or which == 5:
        # the argument was multiplied by 1 / (2 pi) before: it counts turns
        if not np.isfinite(d):
            return math.nan
        turns = 2.0 * math.pi * (d - np.rint(d))
        return math.sin(turns) if which == 4 else math.cos(turns)
    if which == 6:
        return math.nan if d < 0.0 else math.sqrt(d)
    return math.tanh(d)


@jit(uint32(uint32, int64))
def _upper_half(word: Int, which: Int) -> Int:
    """Evaluate MUFU.RCP64H or .RSQ64H: from the upper word of an f64 to that of the result."""
    x = as_f64(
        uint64(word & uint32(0xFFF00000) if (word >> uint32(20)) & uint32(0x7FF) == uint32(0) else word) << uint64(32)
    )
    if x != x:  # noqa: PLR0124
        return uint32(0x7FFFFFFF)
    r = as_u64(transcendental(x, which))
    if r & uint64(0x7FF0000000000000) == uint64(0):
        r &= uint64(0x8000000000000000)
    return (
        uint32(r >> uint64(32)) if r & uint64(0x7FFFFFFFFFFFFFFF) <= uint64(0x7FF0000000000000) else uint32(0x7FFFFFFF)
    )


@jit(uint32(uint32, OP))
def _mufu(word: Int, op: Record) -> Int:
    """Evaluate MUFU in one lane: subnormal arguments and results count as zeros."""
    if op.imm == 1:
        return _upper_half(word, op.variant)
    x = transcendental(float64(flush(as_f32(word))), op.variant)
    return _finish(float32(x), op.flags | Flag.FTZ)


@jit(void(WORDS, WORDS, OP, int64, int64, int64, uint32))
def single(F: Array, T: Array, op: Record, a: Int, b: Int, c: Int, choose: Int) -> None:
    """Execute one f32 micro-operation; `choose` is the lane mask of its source predicate."""
    code, flags, variant = op.code, op.flags, op.variant
    aa, ax, ba, bx, ca, cx = op.a_and, op.a_xor, op.b_and, op.b_xor, op.c_and, op.c_xor
    mode, ftz = flags & Flag.ROUND, flags & Flag.FTZ
    plain = flags & (Flag.ROUND | Flag.SATURATE | Flag.FTZ) == 0
    if code == Single.FMA and plain:
        for lane in range(32):
            x, y, z = as_f32(F[a + lane] & aa ^ ax), as_f32(F[b + lane] & ba ^ bx), as_f32(F[c + lane] & ca ^ cx)
            r = as_u32(fma32(x, y, z))
            T[lane] = DEFAULT_NAN if r & _MAGNITUDE > uint32(0x7F800000) else r
        return
    for lane in range(32):
        x, y, z = as_f32(F[a + lane] & aa ^ ax), as_f32(F[b + lane] & ba ^ bx), as_f32(F[c + lane] & ca ^ cx)
        if flags & Flag.FTZ:
            x, y, z = flush(x), flush(y), flush(z)
        out = uint32(0)
        if code == Single.ADD:
            r = x + y
            if mode != 0:
                p, z64 = float64(x), float64(y)
                r = round_f32(zero_sum(odd_sum(p, z64), p, z64, mode), mode)
            out = _finish(r, flags)
        elif code == Single.MUL:
            r = x * y
            if mode != 0 or op.scale != 0 or (ftz and as_u32(r) & _MAGNITUDE == uint32(0x00800000)):
                r = round_flush(float64(x) * float64(y) * 2.0**op.scale, mode, ftz)
            out = _finish(r, flags)
        elif code == Single.FMA:
            r = fma32(x, y, z)
            if mode != 0 or (ftz and as_u32(r) & _MAGNITUDE == uint32(0x00800000)):
                p, z64 = float64(x) * float64(y), float64(z)
                r = round_flush(zero_sum(odd_sum(p, z64), p, z64, mode), mode, ftz)
            out = _finish(r, flags)
        elif code == Single.MIN_MAX:
            out = as_u32(maximum(x, y, int64((choose >> uint32(lane)) & _ONE), flags))
            if flags & Flag.XOR_SIGN and out != DEFAULT_NAN:
                out = out & _MAGNITUDE | (F[a + lane] ^ F[b + lane]) & ~_MAGNITUDE
        elif code == Single.MUFU:
            out = _mufu(F[a + lane] & aa ^ ax, op)
        elif code == Single.SEL:
            out = as_u32(x) if (choose >> uint32(lane)) & _ONE else as_u32(y)
        elif code == Single.SET:
            hold = compare(float64(x), float64(y), variant) and (choose >> uint32(lane)) & _ONE
            out = (uint32(0x3F800000) if op.imm else uint32(0xFFFFFFFF)) if hold else uint32(0)
        T[lane] = out
