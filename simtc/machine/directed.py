"""f64 arithmetic in the directed rounding modes: x * y + z in 128-bit integers, rounded once.

The processor that simulates rounds to nearest; DADD, DMUL and DFMA with .RM, .RP and .RZ (division and square root use
them to decide a last bit) are done by hand.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import types

from simtc.jit import Float, Int, jit
from simtc.machine.bits import as_f64, as_u64, fma64
from simtc.machine.types import float64, int64, uint64

__all__ = ["fused"]

_ONE = np.uint64(1)
_FRACTION = np.uint64((1 << 52) - 1)
_LOW = np.uint64(0xFFFFFFFF)
_PAIR: Any = types.UniTuple(uint64, 2)  # type: ignore[no-untyped-call] # numba
Pair: TypeAlias = tuple[Int, Int]


@jit(int64(float64))
def _exponent(x: Float) -> Int:
    """Return the exponent field, 1 for subnormals: the weight of the lowest bit is 2 ** (it - 1075)."""
    return max(int64((as_u64(x) >> uint64(52)) & uint64(0x7FF)), 1)


@jit(uint64(float64))
def _significand(x: Float) -> Int:
    u = as_u64(x)
    hidden = _ONE << uint64(52) if (u >> uint64(52)) & uint64(0x7FF) else uint64(0)
    return u & _FRACTION | hidden


@jit(_PAIR(uint64, uint64))
def _product(x: Int, y: Int) -> Pair:
    """Multiply to 128 bits: high word, low word."""
    a, b, c, d = x >> uint64(32), x & _LOW, y >> uint64(32), y & _LOW
    middle = (b * d >> uint64(32)) + (a * d & _LOW) + (b * c & _LOW)
    return a * c + (a * d >> uint64(32)) + (b * c >> uint64(32)) + (middle >> uint64(32)), x * y


@jit(_PAIR(uint64, uint64, int64))
def _shift_right(high: Int, low: Int, n: Int) -> Pair:
    """Shift a 128-bit number right; what falls off is kept as a sticky lowest bit."""
    if n <= 0:
        return high, low
    if n >= 128:
        return uint64(0), uint64(1 if high | low else 0)
    if n >= 64:
        lost = low | (high << uint64(128 - n) if n > 64 else uint64(0))
        return uint64(0), high >> uint64(n - 64) | uint64(1 if lost else 0)
    lost = low << uint64(64 - n)
    return high >> uint64(n), low >> uint64(n) | high << uint64(64 - n) | uint64(1 if lost else 0)


@jit(float64(uint64, uint64, int64, int64, int64))
def _round(high: Int, low: Int, exponent: Int, negative: Int, mode: Int) -> Float:
    """Round a 128-bit number whose lowest bit weighs 2 ** exponent."""
    if high | low == uint64(0):
        return -0.0 if negative else 0.0
    length = int64(128)
    while not (high >> uint64(63)) & _ONE:  # put the leading one on top
        high, low = high << _ONE | low >> uint64(63), low << _ONE
        length -= 1
    exponent += length - 128
    field = exponent + 75 + 1075  # of the 53 bits on top
    drop = int64(75)
    if field < 1:
        drop += 1 - field
        field = 1
    rest_high, rest_low = high, low
    if drop < 128:
        kept = high >> uint64(drop - 64) if drop < 128 else uint64(0)
        back = kept << uint64(drop - 64)
        rest_high -= back
    else:
        kept = uint64(0)
    up = rest_high | rest_low != uint64(0) and ((mode == 8 and not negative) or (mode == 4 and negative))
    kept += uint64(1 if up else 0)
    bits = uint64(field - 1) * (_ONE << uint64(52)) + kept  # the hidden bit raises the exponent field by one
    if field >= 2046 and bits >= uint64(0x7FF) << uint64(52):
        outward = (mode == 8 and not negative) or (mode == 4 and negative)
        bits = uint64(0x7FF) << uint64(52) if outward else (uint64(0x7FF) << uint64(52)) - _ONE
    return as_f64(bits | uint64(negative) << uint64(63))


@jit(float64(float64, float64, float64, int64))
def fused(x: Float, y: Float, z: Float, mode: Int) -> Float:
    """Return x * y + z with one rounding: 0 nearest even, 4 down, 8 up, 12 toward zero (Flag.ROUND)."""
    nearest = fma64(x, y, z)
    if mode == 0 or not (np.isfinite(x) and np.isfinite(y) and np.isfinite(z)):
        return nearest
    sign_p = int64((as_u64(x) ^ as_u64(y)) >> uint64(63))
    sign_z = int64(as_u64(z) >> uint64(63))
    if x == 0.0 or y == 0.0:
        if z != 0.0:
            return z
        return nearest if sign_p == sign_z else (-0.0 if mode == 4 else 0.0)
    p_high, p_low = _product(_significand(x) << uint64(10), _significand(y) << uint64(10))  # 126 bits
    p_exponent = _exponent(x) + _exponent(y) - 2150 - 20
    z_high, z_low = _significand(z) << uint64(9), uint64(0)  # 126 bits
    z_exponent = _exponent(z) - 1075 - 73
    if z == 0.0:
        z_exponent = p_exponent
    exponent = max(p_exponent, z_exponent)
    p_high, p_low = _shift_right(p_high, p_low, exponent - p_exponent)
    z_high, z_low = _shift_right(z_high, z_low, exponent - z_exponent)
    if sign_p == sign_z:
        low = p_low + z_low
        return _round(p_high + z_high + uint64(1 if low < p_low else 0), low, exponent, sign_p, mode)
    if p_high > z_high or (p_high == z_high and p_low > z_low):
        borrow = uint64(1 if p_low < z_low else 0)
        return _round(p_high - z_high - borrow, p_low - z_low, exponent, sign_p, mode)
    if p_high == z_high and p_low == z_low:
        return -0.0 if mode == 4 else 0.0
    borrow = uint64(1 if z_low < p_low else 0)
    return _round(z_high - p_high - borrow, z_low - p_low, exponent, sign_z, mode)
