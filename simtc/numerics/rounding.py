"""Step 5 and 6 of the fused step, compiled: normalised sums to bit patterns, eight lanes at a time.

A sum arrives as its significand with the leading one in bit 31 (zero for a zero sum), the exponent of that bit, and a
mask of the negative lanes.
"""

from __future__ import annotations

import numpy as np
from numba import int32

from simtc.jit import jit
from simtc.numerics.lanes import INT_LANES, Int, above, equal, greatest, least, select, shift_right, splat

__all__ = ["to_half", "to_single"]


@jit(INT_LANES(INT_LANES, INT_LANES, INT_LANES, int32))
def to_single(significand: Int, exponent: Int, negative: Int, kept: Int) -> Int:
    """Round to f32 toward zero, with gradual underflow; `kept` masks the fraction bits that the unit writes."""
    zero, last, point = splat(np.int32(0)), splat(np.int32(31)), splat(np.int32(23))
    lowest, infinity = splat(np.int32(-126)), splat(np.int32(0x7F800000))
    normal = greatest(exponent, lowest)
    rounded = shift_right(shift_right(significand, splat(np.int32(8))), least(normal - exponent, last)) & splat(kept)
    # Adding the hidden bit in place lifts the exponent field by one, which a subnormal lacks.
    pattern = rounded + ((normal - lowest) << point)
    pattern = select(above(exponent, splat(np.int32(127))), infinity, pattern)
    return select(equal(rounded, zero), zero, pattern | (negative << last))  # any zero is +0


@jit(INT_LANES(INT_LANES, INT_LANES, INT_LANES))
def to_half(significand: Int, exponent: Int, negative: Int) -> Int:
    """Round to f16 to nearest even, with gradual underflow."""
    zero, one, last, point = splat(np.int32(0)), splat(np.int32(1)), splat(np.int32(31)), splat(np.int32(10))
    lowest, infinity = splat(np.int32(-14)), splat(np.int32(0x7C00))
    # One bit of headroom for the increment; the bit shifted out stays as a sticky one.
    room = shift_right(significand, one) | (significand & one)
    drop = least(splat(np.int32(20)) + greatest(lowest - exponent, zero), last)
    increment = (one << (drop - one)) - one + (shift_right(room, drop) & one)
    rounded = shift_right(room + increment, drop)
    rounded = select(above(splat(np.int32(-25)), exponent), zero, rounded)  # below half of the smallest subnormal
    pattern = least(rounded + ((greatest(exponent, lowest) - lowest) << point), infinity)
    pattern = select(above(exponent, splat(np.int32(15))), infinity, pattern)
    pattern = select(equal(significand, zero), zero, pattern)
    return select(equal(pattern, zero), zero, pattern | (negative & splat(np.int32(0x8000))))  # any zero is +0
