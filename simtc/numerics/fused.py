"""The fused step, compiled: eight outputs of a row at a time.

Why floats carry the products: a product of two significands of at most 11 bits is exact in float32, a multiplication by
a power of two keeps it exact, and the conversion of a float to an integer drops the fraction toward zero, which is what
the hardware's aligner does to a magnitude. The sum then runs in 32-bit integers, which hold it exactly: 32 products of
magnitude below 4 * 2**13, or 16 below 4 * 2**25 less what 11-bit significands leave unused.
"""

from __future__ import annotations

import numpy as np
from numba import boolean, int32, int64, void

from simtc.jit import jit
from simtc.numerics.lanes import (
    LANES,
    Int,
    Words,
    above,
    any_set,
    as_float,
    as_int,
    equal,
    greatest,
    least,
    load,
    scalar,
    select,
    shift_right,
    splat,
    splat_float,
    store,
    to_float,
    truncate,
)  # fmt: skip
from simtc.numerics.rounding import to_half, to_single

__all__ = ["fused_step", "unpack_lanes"]

# What the exponent of an operand says when it is no exponent. Far enough below every real one that sums of two stay
# below every alignment, so such an operand never sets e_max and its scale is 0.
_ZERO, _INFINITE, _NAN = -20000, -20001, -20002
_SIGN = -(2**31)


@jit(int32(int32[::1], int64, int64, int64, int32, int32, int32, int32, int32, int32))
def unpack_lanes(
    work: Words,
    place: Int,
    exponents: Int,
    words: Int,
    fraction: Int,
    width: Int,
    bias: Int,
    ignored: Int,
    infinity: Int,
    first_nan: Int,
) -> Int:
    """Replace bit patterns by significands as floats in [0, 2), and write their exponents; tell whether any is special.

    `place` and `exponents` are offsets into `work`; `words` is a multiple of eight. The other arguments describe the
    format. Infinities and NaNs get a significand of 0, which keeps the sum harmless until `_patch` overwrites it.
    """
    zero, one, sign = splat(np.int32(0)), splat(np.int32(1)), splat(np.int32(_SIGN))
    magnitude_mask = splat(np.int32((1 << (width - 1)) - (1 << ignored)))
    fraction_mask = splat(np.int32((1 << fraction) - 1))
    hidden, to_sign = splat(fraction), splat(np.int32(32 - width))
    last_finite, last_infinite = splat(np.int32(infinity - 1)), splat(np.int32(first_nan - 1))
    unit = splat_float(np.int32((127 - fraction) << 23))
    found = zero
    for word in range(0, words, LANES):
        pattern = load(work, place + word)
        magnitude = pattern & magnitude_mask
        field = shift_right(magnitude, hidden)
        normal = least(field, one)
        special = above(magnitude, last_finite)
        found = found | special
        significand = select(special, zero, (magnitude & fraction_mask) | (normal << hidden))
        exponent = field - normal + splat(np.int32(1 - bias))
        exponent = select(equal(significand, zero), splat(np.int32(_ZERO)), exponent)
        exponent = select(special, splat(np.int32(_INFINITE)), exponent)
        exponent = select(above(magnitude, last_infinite), splat(np.int32(_NAN)), exponent)
        signed = as_int(to_float(significand) * unit) | ((pattern << to_sign) & sign)
        store(work, place + word, signed)
        store(work, exponents + word, exponent)
    return any_set(found)


@jit(
    int32(int32[::1], int64, int64, int64, int64, int64, int64, int64, int64, int64, int32, int32, int32, int32, int32)
)
def _row(
    work: Words,
    c: Int,
    d: Int,
    a: Int,
    a_exponent: Int,
    b: Int,
    b_exponent: Int,
    pitch: Int,
    begin: Int,
    end: Int,
    bits: Int,
    floor: Int,
    c_half: Int,
    d_half: Int,
    kept: Int,
) -> Int:
    """One fused step for eight outputs of one row; tell whether any of C is infinite or a NaN.

    All but the last five are offsets into `work`, or the range of k that the step takes.
    """
    zero, one, last, point = splat(np.int32(0)), splat(np.int32(1)), splat(np.int32(31)), splat(np.int32(23))
    # Step 1 for C: its significand with the leading bit at 2**30, and its exponent.
    fraction = np.int32(10) if c_half else np.int32(23)
    pattern = load(work, c)
    magnitude = pattern & splat(np.int32(0x7FFF) if c_half else np.int32(0x7FFFFFFF))
    special = above(magnitude, splat(np.int32(0x7BFF) if c_half else np.int32(0x7F7FFFFF)))
    hidden = splat(fraction)
    field = shift_right(magnitude, hidden)
    normal = least(field, one)
    c_significand = (magnitude & splat(np.int32((1 << fraction) - 1))) | (normal << hidden)
    c_significand = c_significand << splat(np.int32(30 - fraction))
    c_exponent = field - normal + splat(np.int32(-14) if c_half else np.int32(-126))
    c_exponent = select(equal(magnitude, zero), splat(np.int32(_ZERO)), c_exponent)
    c_sign = (pattern << splat(np.int32(16) if c_half else np.int32(0))) >> last
    # Step 3: the largest exponent; zeros have none.
    largest = greatest(splat(floor), c_exponent)
    for k in range(begin, end):
        largest = greatest(largest, splat(scalar(work, a_exponent + k)) + load(work, b_exponent + k * pitch))
    # Steps 2 and 4: exact products, truncated to multiples of 2**(largest - bits), added exactly.
    top = splat(np.int32(127 + bits)) - largest
    total = zero
    for k in range(begin, end):
        exponent = splat(scalar(work, a_exponent + k)) + load(work, b_exponent + k * pitch)
        scale = as_float(greatest(top + exponent, zero) << point)
        product = splat_float(scalar(work, a + k)) * as_float(load(work, b + k * pitch))
        total = total + truncate(product * scale)
    distance = splat(np.int32(30 - bits)) + largest - c_exponent
    addend = (shift_right(c_significand, least(distance, last)) ^ c_sign) - c_sign
    # The sum with C may need 33 bits: its sign is that of the wrapped sum unless the addition overflowed.
    wrapped = total + addend
    negative = (wrapped ^ ((total ^ wrapped) & (addend ^ wrapped))) >> last
    magnitude = (wrapped ^ negative) - negative
    # Step 5: clearing the bit below the leading one keeps the conversion from rounding up to the next power of two.
    field = shift_right(as_int(to_float(magnitude & (shift_right(magnitude, one) ^ splat(np.int32(-1))))), point)
    leading = greatest(field - splat(np.int32(127)), zero)
    exponent = largest + leading - splat(bits)
    significand = magnitude << (last - leading)
    pattern = to_half(significand, exponent, negative) if d_half else to_single(significand, exponent, negative, kept)
    store(work, d, pattern)
    return any_set(special)


@jit(int32(int32[::1], int64, int64, int64, int64, int64, int64, int64, int64, boolean))
def _special(
    work: Words,
    c: Int,
    a: Int,
    a_exponent: Int,
    b: Int,
    b_exponent: Int,
    pitch: Int,
    begin: Int,
    end: Int,
    c_half: Int,
) -> Int:
    """Step 7 for one output: 0 when all is finite, 1 for +infinity, 2 for -infinity, 3 for NaN."""
    found = 0
    magnitude = work[c] & (0x7FFF if c_half else 0x7FFFFFFF)
    infinity = 0x7C00 if c_half else 0x7F800000
    if magnitude > infinity:
        return np.int32(3)
    if magnitude == infinity:
        found = 2 if (work[c] >> (15 if c_half else 31)) & 1 else 1
    for k in range(begin, end):
        e_a, e_b = work[a_exponent + k], work[b_exponent + k * pitch]
        if _NAN in (e_a, e_b):
            return np.int32(3)
        if _INFINITE in (e_a, e_b):
            if _ZERO in (e_a, e_b):
                return np.int32(3)
            found |= 2 if (work[a + k] ^ work[b + k * pitch]) < 0 else 1
    return np.int32(found)  # both infinities: 1 | 2


@jit(
    void(
        int32[::1], int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, boolean, boolean
    )
)
def _patch(
    work: Words,
    c: Int,
    d: Int,
    a: Int,
    a_exponent: Int,
    b: Int,
    b_exponent: Int,
    m: Int,
    n: Int,
    k: Int,
    pitch: Int,
    begin: Int,
    end: Int,
    c_half: Int,
    d_half: Int,
) -> None:
    """Overwrite the outputs that an infinity or a NaN reaches."""
    infinity, nan, sign = (0x7C00, 0x7FFF, 0x8000) if d_half else (0x7F800000, 0x7FFFFFFF, -(2**31))
    for i in range(m):
        for j in range(n):
            place = i * pitch + j
            found = _special(
                work, c + place, a + i * k, a_exponent + i * k, b + j, b_exponent + j, pitch, begin, end, c_half
            )
            if found == 1:
                work[d + place] = infinity
            elif found == 2:
                work[d + place] = infinity | sign
            elif found == 3:
                work[d + place] = nan


@jit(
    void(
        int32[::1],
        int64,
        int64,
        int64,
        int64,
        int64,
        int64,
        int64,
        int64,
        int64,
        int64,
        int64,
        int64,
        int32,
        int32,
        boolean,
        boolean,
        int32,
        boolean,
    )
)
def fused_step(
    work: Words,
    c: Int,
    d: Int,
    a: Int,
    a_exponent: Int,
    b: Int,
    b_exponent: Int,
    m: Int,
    n: Int,
    k: Int,
    pitch: Int,
    begin: Int,
    end: Int,
    bits: Int,
    floor: Int,
    c_half: Int,
    d_half: Int,
    kept: Int,
    special: Int,
) -> None:
    """One fused step for a whole tile: products `begin` to `end` of every output, C added, D written (not over C)."""
    found = np.int32(special)
    for i in range(m):
        for j in range(0, pitch, LANES):
            found |= _row(
                work,
                c + i * pitch + j,
                d + i * pitch + j,
                a + i * k,
                a_exponent + i * k,
                b + j,
                b_exponent + j,
                pitch,
                begin,
                end,
                bits,
                floor,
                np.int32(c_half),
                np.int32(d_half),
                kept,
            )
    if found:
        _patch(work, c, d, a, a_exponent, b, b_exponent, m, n, k, pitch, begin, end, c_half, d_half)
