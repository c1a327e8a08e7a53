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
    FLOAT_LANES,
    INT_LANES,
    LANES,
    Float,
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
from simtc.numerics.operands import INFINITE, NAN, SIGN, ZERO
from simtc.numerics.rounding import to_half, to_single

__all__ = ["TILE", "Step", "Tile", "fused_step"]

_LOWEST = (
    127 - 60
)  # of a scale's exponent field: products of whole operands, below 2**32, come out below 1 all the same


class Tile(NamedTuple):
    """A tile's sizes, and where its matrices are in the scratch memory: offsets in words.

    Products side by side are stacked: `rows` rows of A, C and D after the other, and what each takes of B. That lies in
    panels of eight columns, one behind the other, so that what is multiplied next lies side by side.
    """

    m: Int  # of all of them together
    n: Int
    k: Int
    rows: Int  # of one product
    pitch: Int  # words of a row of C and D: a multiple of eight
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
TILE: Final = _types.NamedUniTuple(int64, len(Tile._fields), Tile)
STEP: Final = _types.NamedTuple((int64,) * 4 + (int32, int32, boolean, boolean, int32, boolean), Step)


@jit(INT_LANES(int32[::1], int64, int64), inline=True)
def _sum(work: Words, a: Int, b: Int) -> Int:
    """Return the exponents of eight products of one number of A."""
    return splat(scalar(work, a)) + load(work, b)


@jit(INT_LANES(int32[::1], int64, int64, FLOAT_LANES), inline=True)
def _aligned(work: Words, a: Int, b: Int, scale: Float) -> Int:
    """Return eight products of one number of A, truncated to multiples of 1 / scale."""
    return truncate(splat_float(scalar(work, a)) * as_float(load(work, b)) * scale)


@jit(INT_LANES(int32[::1], int64, int64, int64, INT_LANES), inline=True)
def _largest(work: Words, a: Int, b: Int, count: Int, largest: Int) -> Int:
    """Step 3: the largest exponent of so many products of eight outputs, and of what was the largest before."""
    for k in range(count):
        largest = greatest(largest, _sum(work, a + k, b + LANES * k))
    return largest


@jit(INT_LANES(int32[::1], int64, int64, int64, FLOAT_LANES), inline=True)
def _add(work: Words, a: Int, b: Int, count: Int, scale: Float) -> Int:
    """Steps 2 and 4: so many exact products of eight outputs, truncated and added exactly."""
    total = splat(np.int32(0))
    for k in range(count):
        total = total + _aligned(work, a + k, b + LANES * k, scale)
    return total


@jit(INT_LANES(int32[::1], TILE, int64, int64, int64, INT_LANES), inline=True)
def _add_significands(work: Words, tile: Tile, a: Int, b: Int, count: Int, top: Int) -> Int:
    """Do as `_add` where A and B are significands: each product has an exponent of its own."""
    total, zero, point = splat(np.int32(0)), splat(np.int32(0)), splat(np.int32(23))
    for k in range(count):
        exponent = _sum(work, tile.a_exponent + a + k, tile.b_exponent + b + LANES * k)
        scale = as_float(greatest(top + exponent, zero) << point)
        total = total + _aligned(work, tile.a + a + k, tile.b + b + LANES * k, scale)
    return total


@jit(INT_LANES(int32[::1], TILE, STEP, int64, int64, int64), inline=True)
def _row(work: Words, tile: Tile, step: Step, at: Int, a: Int, b: Int) -> Int:
    """One fused step for eight outputs of one row, from number `at` on; tell which of C are no numbers.

    `a` and `b` are the numbers of the first elements of A and B that they take.
    """
    bits, count = step.bits, step.end - step.begin
    zero, one, last, point = splat(np.int32(0)), splat(np.int32(1)), splat(np.int32(31)), splat(np.int32(23))
    # Step 1 for C: its exponent, and itself as a float.
    pattern = load(work, step.c + at)
    if step.c_half:
        magnitude = pattern & splat(np.int32(0x7FFF))
        special = above(magnitude, splat(np.int32(0x7BFF)))
        c_exponent = greatest(shift_right(magnitude, splat(np.int32(10))), one) - splat(np.int32(15))
        lifted = as_int(as_float(magnitude << splat(np.int32(13))) * splat_float(np.int32((127 + 112) << 23)))
        pattern = lifted | ((pattern << splat(np.int32(16))) & splat(np.int32(SIGN)))
    else:
        magnitude = pattern & splat(np.int32(0x7FFFFFFF))
        special = above(magnitude, splat(np.int32(0x7F7FFFFF)))
        c_exponent = greatest(shift_right(magnitude, point), one) - splat(np.int32(127))
    c_exponent = select(equal(magnitude, zero), splat(np.int32(ZERO)), c_exponent)
    largest = greatest(splat(step.floor), c_exponent)
    largest = _largest(work, tile.a_exponent + a, tile.b_exponent + b, count, largest)
    # The sum counts multiples of 2**(largest - bits). A float's exponent may not reach that far: C takes two of them.
    top = splat(np.int32(127 + bits)) - largest
    field = least(greatest(top, splat(np.int32(_LOWEST))), splat(np.int32(254)))
    scale, rest = as_float(field << point), greatest(top - field + splat(np.int32(127)), zero)
    addend = truncate(as_float(select(special, zero, pattern)) * scale * as_float(rest << point))
    if step.whole:
        total = _add(work, tile.a + a, tile.b + b, count, scale)
    else:
        total = _add_significands(work, tile, a, b, count, top)
    # The sum with C may need 33 bits: its sign is that of the wrapped sum unless the addition overflowed.
    wrapped = total + addend
    negative = (wrapped ^ ((total ^ wrapped) & (addend ^ wrapped))) >> last
    magnitude = (wrapped ^ negative) - negative
    # Step 5: clearing the bit below the leading one keeps the conversion from rounding up to the next power of two.
    half = shift_right(magnitude, one)
    field = shift_right(as_int(to_float(half & (shift_right(half, one) ^ splat(np.int32(-1))))), point)
    leading = greatest(field - splat(np.int32(126)), zero)
    exponent = largest + leading - splat(bits)
    significand = magnitude << (last - leading)
    if step.d_half:
        pattern = to_half(significand, exponent, negative)
    else:
        pattern = to_single(significand, exponent, negative, step.kept)
    store(work, step.d + at, pattern)
    return special


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
    panel = (i // tile.rows * tile.pitch + j) // LANES
    for k in range(step.begin, step.end):
        a, b = i * tile.k + k, (panel * tile.k + k) * LANES + j % LANES
        e_a, e_b = work[tile.a_exponent + a], work[tile.b_exponent + b]
        if NAN in (e_a, e_b):
            return np.int32(3)
        if INFINITE in (e_a, e_b):
            if ZERO in (e_a, e_b):
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
    found, panel = splat(np.int32(special)), LANES * tile.k
    b = LANES * step.begin
    for first in range(0, tile.m, tile.rows):  # of one product
        for j in range(0, tile.pitch, LANES):
            for i in range(first, first + tile.rows):
                found = found | _row(work, tile, step, i * tile.pitch + j, i * tile.k + step.begin, b)
            b += panel
    if any_set(found):
        _patch(work, tile, step)
