"""Number formats inside compiled code: reinterpretation, fused multiply-add, f16, and directed rounding."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import types
from numba.extending import intrinsic

from simtc.jit import Float, Int, jit
from simtc.machine.types import float32, float64, int64, uint32, uint64

__all__ = [
    "DEFAULT_NAN",
    "as_f32",
    "as_f64",
    "as_u32",
    "as_u64",
    "bf16_to_f32",
    "f16_to_f32",
    "f32_to_bf16",
    "f32_to_f16",
    "flush",
    "fma32",
    "fma64",
    "integral",
    "odd_sum",
    "round_f32",
    "round_flush",
    "round_grid",
    "zero_sum",
]

DEFAULT_NAN = np.uint32(0x7FFFFFFF)


def _bitcast(source: Any, target: Any) -> Any:
    """Make an intrinsic that reads the bits of one type as another."""

    @intrinsic
    def cast(typing_context: Any, x: Any) -> Any:  # noqa: ARG001 - numba's signature
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            return builder.bitcast(arguments[0], context.get_value_type(target))

        return target(source), generate

    return cast


def _fma(kind: Any) -> Any:
    """Make the fused multiply-add of one type: one rounding, as the chip's FFMA and DFMA."""

    @intrinsic
    def fma(typing_context: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:  # noqa: ARG001
            return builder.fma(*arguments)

        return kind(kind, kind, kind), generate

    return fma


as_f32 = _bitcast(types.uint32, types.float32)
as_u32 = _bitcast(types.float32, types.uint32)
as_f64 = _bitcast(types.uint64, types.float64)
as_u64 = _bitcast(types.float64, types.uint64)
fma32 = _fma(types.float32)
fma64 = _fma(types.float64)

_INF = np.uint32(0x7F800000)
_MAGNITUDE = np.uint32(0x7FFFFFFF)
_SIGN = np.uint32(0x80000000)


@jit(float32(uint32))
def f16_to_f32(h: Int) -> Float:
    """Widen f16 bits; exact."""
    magnitude = (h & uint32(0x7FFF)) << uint32(13)
    exponent = magnitude & uint32(0x0F800000)
    x = magnitude + uint32((127 - 15) << 23)
    if exponent == uint32(0x0F800000):
        x += uint32((128 - 16) << 23)
    elif exponent == uint32(0):
        x = as_u32(as_f32(x + uint32(1 << 23)) - as_f32(uint32(113 << 23)))
    return as_f32(x | (h & uint32(0x8000)) << uint32(16))


@jit(uint32(float32))
def f32_to_f16(value: Float) -> Int:
    """Round to f16, to nearest even; any NaN becomes 0x7FFF."""
    u = as_u32(value)
    sign, x = (u >> uint32(16)) & uint32(0x8000), u & _MAGNITUDE
    if x > _INF:
        return uint32(0x7FFF)
    if x >= uint32(0x477FF000):  # 65520, the first value that rounds to infinity
        return sign | uint32(0x7C00)
    if x < uint32(0x38800000):  # below 2^-14: let an addition of 0.5 round at 2^-24
        return sign | (as_u32(as_f32(x) + as_f32(uint32(0x3F000000))) - uint32(0x3F000000))
    return sign | ((x + uint32(0xC8000FFF) + ((x >> uint32(13)) & uint32(1))) >> uint32(13)) & uint32(0x7FFF)


@jit(float32(uint32))
def bf16_to_f32(h: Int) -> Float:
    """Widen bf16 bits; exact."""
    return as_f32((h & uint32(0xFFFF)) << uint32(16))


@jit(uint32(float32))
def f32_to_bf16(value: Float) -> Int:
    """Round to bf16, to nearest even; any NaN becomes 0x7FFF."""
    u = as_u32(value)
    if u & _MAGNITUDE > _INF:
        return uint32(0x7FFF)
    return (u + uint32(0x7FFF) + ((u >> uint32(16)) & uint32(1))) >> uint32(16)


@jit(float32(float32))
def flush(x: Float) -> Float:
    """Replace a subnormal by the zero of its sign (.FTZ)."""
    u = as_u32(x)
    return as_f32(u & _SIGN) if u & _MAGNITUDE < uint32(0x00800000) else x


@jit(float64(float64, float64))
def odd_sum(x: Float, y: Float) -> Float:
    """Add in f64 and round to odd, so that a second rounding to a narrower format is exact."""
    s = x + y
    if not np.isfinite(s):
        return s
    v = s - x
    error = (x - (s - v)) + (y - v)
    u = as_u64(s)
    if error != 0.0 and not u & uint64(1):
        away = (error > 0.0) == (s > 0.0)
        u = u + uint64(1) if away else u - uint64(1)
    return as_f64(u)


@jit(float32(float64, int64))
def round_f32(x: Float, mode: Int) -> Float:
    """Round f64 (itself exact, or rounded to odd) to f32; mode as Flag.ROUND: 0 nearest, 4 down, 8 up, 12 to zero."""
    y = float32(x)
    if mode == 0 or not np.isfinite(x):
        return y
    wide = float64(y)
    u = as_u32(y)
    if mode == 12:
        return as_f32(u - uint32(1)) if abs(wide) > abs(x) else y
    if mode == 4 and wide > x:
        return (
            as_f32(uint32(0x80000001)) if u & _MAGNITUDE == 0 else as_f32(u + uint32(1) if u & _SIGN else u - uint32(1))
        )
    if mode == 8 and wide < x:
        return as_f32(uint32(1)) if u & _MAGNITUDE == 0 else as_f32(u - uint32(1) if u & _SIGN else u + uint32(1))
    return y


@jit(float32(float64, int64, int64))
def round_flush(x: Float, mode: Int, ftz: Int) -> Float:
    """Round as round_f32; under .FTZ what is tiny becomes a zero of its sign.

    Tiny is what would be below 2 ** -126 if it were rounded to 24 bits with no limit to the exponent. A product just
    below, which f32's coarser grid there rounds up to the smallest normal number, is tiny too (an H200 does so).
    """
    y = round_f32(x, mode)
    if ftz and as_u32(y) & _MAGNITUDE <= uint32(0x00800000) and abs(round_f32(x * 2.0**30, mode)) < float32(2.0**-96):
        return as_f32(as_u32(y) & _SIGN)
    return y


@jit(float64(float64, float64, float64, int64))
def zero_sum(s: Float, x: Float, y: Float, mode: Int) -> Float:
    """Give the sum s of x and y the sign that a zero has when rounding down: minus, unless both were plus."""
    if s == 0.0 and mode == 4 and (as_u64(x) | as_u64(y)) != uint64(0):
        return -0.0
    return s


@jit(float64(float64, int64))
def integral(x: Float, mode: Int) -> Float:
    """Round to an integral value, the sign of zero kept; mode as Flag.ROUND."""
    if mode == 4:
        r = np.floor(x)
    elif mode == 8:
        r = np.ceil(x)
    elif mode == 12:
        r = np.trunc(x)
    else:
        r = np.rint(x)
    return math.copysign(r, x)


@jit(float64(float64, int64, int64, int64))
def round_grid(x: Float, fraction_bits: Int, least_exponent: Int, mode: Int) -> Float:
    """Round f64 (itself exact, or rounded to odd) to a narrow format's grid, whose exponent may grow without bound.

    least_exponent is that of the smallest normal number: below it the grid is as coarse as there.
    """
    if x == 0.0 or not np.isfinite(x):
        return x
    exponent = max(int64((as_u64(x) >> uint64(52)) & uint64(0x7FF)) - 1023, least_exponent)
    unit = as_f64(uint64(exponent - fraction_bits + 1023) << uint64(52))
    return integral(x / unit, mode) * unit
