"""f32 operations over 32 lanes: each rounds once, NaN results are canonical, .FTZ flushes on the way in and out."""

from __future__ import annotations

import math

import numpy as np

from simtc.jit import jit
from simtc.machine.bits import DEFAULT_NAN, as_f32, as_u32, flush, fma32, odd_sum, round_f32
from simtc.machine.micro import Flag, Single
from simtc.machine.types import OP, WORDS, float32, float64, int64, uint32, void

__all__ = ["compare", "maximum", "single", "transcendental"]

_ONE = np.uint32(1)
_MAGNITUDE = np.uint32(0x7FFFFFFF)


@jit(uint32(float32, int64))
def _finish(x, flags):
    """Apply .SAT and .FTZ to a result and make its NaN canonical."""
    if flags & Flag.SATURATE:
        x = float32(0.0) if not x > float32(0.0) else min(x, float32(1.0))
    if flags & Flag.FTZ:
        x = flush(x)
    return DEFAULT_NAN if x != x else as_u32(x)  # noqa: PLR0124 - the NaN test


@jit(float32(float32, float32, int64, int64))
def maximum(x, y, smaller, flags):
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
def compare(x, y, how):
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


@jit(float32(float32, int64))
def transcendental(x, which):
    """Evaluate MUFU: the f64 value rounded once to f32. The chip's tables differ from it by 1 to 2 ulp."""
    d = float64(x)
    if which == 0:
        r = math.copysign(math.inf, d) if d == 0.0 else 1.0 / d
    elif which == 1:
        r = math.copysign(math.inf, d) if d == 0.0 else (math.nan if d < 0.0 else 1.0 / math.sqrt(d))
    elif which == 2:
        r = 2.0**d
    elif which == 3:
        r = -math.inf if d == 0.0 else (math.nan if d < 0.0 else math.log2(d))
    elif which == 4 or which == 5:
        # the argument comes from RRO or a multiplication by 1 / (2 pi): it counts turns
        r = math.nan if not np.isfinite(d) else (math.sin(2.0 * math.pi * d) if which == 4 else math.cos(2.0 * math.pi * d))
    elif which == 6:
        r = math.nan if d < 0.0 else math.sqrt(d)
    else:
        r = math.tanh(d)
    return float32(r)


@jit(void(WORDS, WORDS, OP, int64, int64, int64, uint32))
def single(F, T, op, a, b, c, choose):
    """Execute one f32 micro-operation; `choose` is the lane mask of its source predicate."""
    code, flags, variant = op.code, op.flags, op.variant
    aa, ax, ba, bx, ca, cx = op.a_and, op.a_xor, op.b_and, op.b_xor, op.c_and, op.c_xor
    mode = flags & Flag.ROUND
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
            out = _finish(x + y if mode == 0 else round_f32(odd_sum(float64(x), float64(y)), mode), flags)
        elif code == Single.MUL:
            out = _finish(x * y if mode == 0 else round_f32(float64(x) * float64(y), mode), flags)
        elif code == Single.FMA:
            if mode == 0:
                out = _finish(fma32(x, y, z), flags)
            else:
                out = _finish(round_f32(odd_sum(float64(x) * float64(y), float64(z)), mode), flags)
        elif code == Single.MIN_MAX:
            out = as_u32(maximum(x, y, int64((choose >> uint32(lane)) & _ONE), flags))
        elif code == Single.MUFU:
            out = _finish(transcendental(x, variant), flags)
        elif code == Single.SEL:
            out = as_u32(x) if (choose >> uint32(lane)) & _ONE else as_u32(y)
        elif code == Single.SET:
            hold = compare(float64(x), float64(y), variant) and (choose >> uint32(lane)) & _ONE
            out = (uint32(0x3F800000) if op.imm else uint32(0xFFFFFFFF)) if hold else uint32(0)
        T[lane] = out
