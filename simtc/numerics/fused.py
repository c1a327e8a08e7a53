"""The fused step, compiled: eight outputs of a row at a time.

Why floats carry the products: a product of two significands of at most 11 bits is exact in float32, a multiplication by
a power of two keeps it exact, and the conversion of a float to an integer drops the fraction toward zero, which is what
the hardware's aligner does to a magnitude. The sum then runs in 32-bit integers, which hold it exactly: 32 products of
magnitude below 4 * 2**13, or 16 below 4 * 2**25 less what 11-bit significands leave unused.

An f16 is kept whole, not as its significand, since float32 holds the product of any two: then one scale serves all
products of an output, where wider exponents need one for each.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import boolean, int32, int64, types, void

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

__all__ = ["PATTERN", "TILE", "Pattern", "Step", "Tile", "fused_step", "mark_halves", "unpack_halves", "unpack_lanes"]

# What the exponent of an operand says when it is no exponent. Far enough below every real one that sums of two stay
# below every alignment, so such an operand never sets e_max and its scale is 0.
_ZERO, _INFINITE, _NAN = -20000, -20001, -20002
_SIGN = -(2**31)
_LOWEST = (
    127 - 60
)  # of a scale's exponent field: products of whole operands, below 2**32, come out below 1 all the same


class Pattern(NamedTuple):
    """How a format's bits are read: int32 numbers."""

    fraction: Int
    width: Int
    bias: Int
    ignored: Int  # low bits that the hardware does not read
    infinity: Int  # the first magnitude that is no number
    first_nan: Int


class Tile(NamedTuple):
    """A tile's sizes, and where its matrices are in the scratch memory: offsets in words.

    Products side by side are stacked: `rows` rows of A, C and D after the other, and k rows of B for each.
    """

    m: Int  # of all of them together
    n: Int
    k: Int
    rows: Int  # of one product
    pitch: Int  # words of a row of B, C and D: a multiple of eight
    a: Int  # significands
    a_exponent: Int
    b: Int
    b_exponent: Int


class Step(NamedTuple):
    """One fused step: where C and D are, which products it adds, and how it rounds."""

    c: Int
    d: Int
    begin: Int  # the first k, and the one behind the last
    end: Int
    bits: Int  # of the sum below the largest exponent's
    floor: Int  # of that exponent
    c_half: Int  # whether C and D are f16
    d_half: Int
    kept: Int  # mask of the bits that remain of an f32 result
    whole: Int  # whether A's and B's floats are the operands themselves, not their significands alone


# numba is partly typed; to the type checker its types are whatever they are.
_types: Any = types
PATTERN: Final = _types.NamedUniTuple(int32, len(Pattern._fields), Pattern)
TILE: Final = _types.NamedUniTuple(int64, len(Tile._fields), Tile)
STEP: Final = _types.NamedTuple((int64,) * 4 + (int32, int32, boolean, boolean, int32, boolean), Step)


@jit(int32(int32[::1], int64, int64, int64, PATTERN))
def unpack_lanes(work: Words, place: Int, exponents: Int, words: Int, form: Pattern) -> Int:
    """Replace bit patterns by significands as floats in [0, 2), and write their exponents; tell whether any is special.

    `place` and `exponents` are offsets into `work`; `words` is a multiple of eight. Infinities and NaNs get a
    significand of 0, which keeps the sum harmless until `_patch` overwrites it.
    """
    zero, one, sign = splat(np.int32(0)), splat(np.int32(1)), splat(np.int32(_SIGN))
    magnitude_mask = splat(np.int32((1 << (form.width - 1)) - (1 << form.ignored)))
    fraction_mask = splat(np.int32((1 << form.fraction) - 1))
    hidden, to_sign = splat(form.fraction), splat(np.int32(32 - form.width))
    last_finite, last_infinite = splat(np.int32(form.infinity - 1)), splat(np.int32(form.first_nan - 1))
    unit = splat_float(np.int32((127 - form.fraction) << 23))
    found = zero
    for word in range(0, words, LANES):
        pattern = load(work, place + word)
        magnitude = pattern & magnitude_mask
        field = shift_right(magnitude, hidden)
        normal = least(field, one)
        special = above(magnitude, last_finite)
        found = found | special
        significand = select(special, zero, (magnitude & fraction_mask) | (normal << hidden))
        exponent = field - normal + splat(np.int32(1 - form.bias))
        exponent = select(equal(significand, zero), splat(np.int32(_ZERO)), exponent)
        exponent = select(special, splat(np.int32(_INFINITE)), exponent)
        exponent = select(above(magnitude, last_infinite), splat(np.int32(_NAN)), exponent)
        signed = as_int(to_float(significand) * unit) | ((pattern << to_sign) & sign)
        store(work, place + word, signed)
        store(work, exponents + word, exponent)
    return any_set(found)


@jit(int32(int32[::1], int64, int64, int64))
def unpack_halves(work: Words, place: Int, exponents: Int, words: Int) -> Int:
    """Do as `unpack_lanes` does for f16, in half of its operations; what stands for an infinity or a NaN is no zero.

    An f16's fraction and exponent, put where a float32 has them, are the number divided by 2**112, subnormals too.
    """
    zero, one, sign = splat(np.int32(0)), splat(np.int32(1)), splat(np.int32(_SIGN))
    magnitude_mask, last_finite, bias = splat(np.int32(0x7FFF)), splat(np.int32(0x7BFF)), splat(np.int32(15))
    lift, hidden, wider = splat_float(np.int32((127 + 112) << 23)), splat(np.int32(10)), splat(np.int32(13))
    none, to_sign = splat(np.int32(_ZERO)), splat(np.int32(16))
    found = zero
    for word in range(0, words, LANES):
        pattern = load(work, place + word)
        magnitude = pattern & magnitude_mask
        found = found | above(magnitude, last_finite)
        exponent = greatest(shift_right(magnitude, hidden), one) - bias
        value = as_int(as_float(magnitude << wider) * lift)
        store(work, place + word, value | ((pattern << to_sign) & sign))
        store(work, exponents + word, select(equal(magnitude, zero), none, exponent))
    return any_set(found)


@jit(void(int32[::1], int64, int64, int64))
def mark_halves(work: Words, place: Int, exponents: Int, words: Int) -> None:
    """Say of f16 operands that were unpacked which are no numbers: they came out as 2**16 or more."""
    magnitude_mask, last_infinite = splat(np.int32(0x7FFFFFFF)), splat(np.int32((127 + 16) << 23))
    last_finite = splat(np.int32(((127 + 16) << 23) - 1))
    for word in range(0, words, LANES):
        magnitude = load(work, place + word) & magnitude_mask
        exponent = load(work, exponents + word)
        exponent = select(above(magnitude, last_finite), splat(np.int32(_INFINITE)), exponent)
        store(work, exponents + word, select(above(magnitude, last_infinite), splat(np.int32(_NAN)), exponent))


@jit(int32(int32[::1], TILE, STEP, int64, int64), inline=True)
def _row(work: Words, tile: Tile, step: Step, i: Int, j: Int) -> Int:
    """One fused step for eight outputs of one row, from (i, j) on; tell whether any of C is infinite or a NaN."""
    c_half, bits, pitch = step.c_half, step.bits, tile.pitch
    a, a_exponent = tile.a + i * tile.k, tile.a_exponent + i * tile.k
    own = i // tile.rows * tile.k * pitch + j
    b, b_exponent = tile.b + own, tile.b_exponent + own
    zero, one, last, point = splat(np.int32(0)), splat(np.int32(1)), splat(np.int32(31)), splat(np.int32(23))
    # Step 1 for C: its significand with the leading bit at 2**30, and its exponent.
    fraction = np.int32(10) if c_half else np.int32(23)
    pattern = load(work, step.c + i * pitch + j)
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
    largest = greatest(splat(step.floor), c_exponent)
    for k in range(step.begin, step.end):
        largest = greatest(largest, splat(scalar(work, a_exponent + k)) + load(work, b_exponent + k * pitch))
    # Steps 2 and 4: exact products, truncated to multiples of 2**(largest - bits), added exactly.
    top = splat(np.int32(127 + bits)) - largest
    total = zero
    if step.whole:
        scale = as_float(least(greatest(top, splat(np.int32(_LOWEST))), splat(np.int32(254))) << point)
        for k in range(step.begin, step.end):
            product = splat_float(scalar(work, a + k)) * as_float(load(work, b + k * pitch))
            total = total + truncate(product * scale)
    else:
        for k in range(step.begin, step.end):
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
    if step.d_half:
        pattern = to_half(significand, exponent, negative)
    else:
        pattern = to_single(significand, exponent, negative, step.kept)
    store(work, step.d + i * pitch + j, pattern)
    return any_set(special)


@jit(int32(int32[::1], TILE, STEP, int64, int64))
def _special(work: Words, tile: Tile, step: Step, i: Int, j: Int) -> Int:
    """Step 7 for one output: 0 when all is finite, 1 for +infinity, 2 for -infinity, 3 for NaN."""
    found = 0
    c = step.c + i * tile.pitch + j
    magnitude = work[c] & (0x7FFF if step.c_half else 0x7FFFFFFF)
    infinity = 0x7C00 if step.c_half else 0x7F800000
    if magnitude > infinity:
        return np.int32(3)
    if magnitude == infinity:
        found = 2 if (work[c] >> (15 if step.c_half else 31)) & 1 else 1
    for k in range(step.begin, step.end):
        a, b = i * tile.k + k, j + (i // tile.rows * tile.k + k) * tile.pitch
        e_a, e_b = work[tile.a_exponent + a], work[tile.b_exponent + b]
        if _NAN in (e_a, e_b):
            return np.int32(3)
        if _INFINITE in (e_a, e_b):
            if _ZERO in (e_a, e_b):
                return np.int32(3)
            found |= 2 if (work[tile.a + a] ^ work[tile.b + b]) < 0 else 1
    return np.int32(found)  # both infinities: 1 | 2


@jit(void(int32[::1], TILE, STEP))
def _patch(work: Words, tile: Tile, step: Step) -> None:
    """Overwrite the outputs that an infinity or a NaN reaches."""
    infinity, nan, sign = (0x7C00, 0x7FFF, 0x8000) if step.d_half else (0x7F800000, 0x7FFFFFFF, -(2**31))
    for i in range(tile.m):
        for j in range(tile.n):
            d = step.d + i * tile.pitch + j
            found = _special(work, tile, step, i, j)
            if found == 1:
                work[d] = infinity
            elif found == 2:
                work[d] = infinity | sign
            elif found == 3:
                work[d] = nan


@jit(void(int32[::1], TILE, STEP, boolean))
def fused_step(work: Words, tile: Tile, step: Step, special: Int) -> None:
    """One fused step for a whole tile: C and the step's products of every output, to D, which is not where C is."""
    found = np.int32(special)
    for i in range(tile.m):
        for j in range(0, tile.pitch, LANES):
            found |= _row(work, tile, step, i, j)
    if found:
        _patch(work, tile, step)
