"""Operands on their way into the fused step, compiled: bit patterns to floats and exponents, eight at a time."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numba import int32, int64, types, void

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
    select,
    shift_right,
    splat,
    splat_float,
    store,
    to_float,
)

__all__ = ["INFINITE", "NAN", "PATTERN", "SIGN", "ZERO", "Pattern", "mark_halves", "unpack_halves", "unpack_lanes"]

# What the exponent of an operand says when it is no exponent. Far enough below every real one that sums of two stay
# below every alignment, so such an operand never sets e_max and its scale is 0.
ZERO, INFINITE, NAN = -20000, -20001, -20002
SIGN = -(2**31)


class Pattern(NamedTuple):
    """How a format's bits are read: int32 numbers."""

    fraction: Int
    width: Int
    bias: Int
    ignored: Int  # low bits that the hardware does not read
    infinity: Int  # the first magnitude that is no number
    first_nan: Int


# numba is partly typed; to the type checker its types are whatever they are.
_types: Any = types
PATTERN: Final = _types.NamedUniTuple(int32, len(Pattern._fields), Pattern)


@jit(int32(int32[::1], int64, int64, int64, PATTERN))
def unpack_lanes(work: Words, place: Int, exponents: Int, words: Int, form: Pattern) -> Int:
    """Replace bit patterns by significands as floats in [0, 2), and write their exponents; tell whether any is special.

    `place` and `exponents` are offsets into `work`; `words` is a multiple of eight. Infinities and NaNs get a
    significand of 0, which keeps the sum harmless until `_patch` overwrites it.
    """
    zero, one, sign = splat(np.int32(0)), splat(np.int32(1)), splat(np.int32(SIGN))
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
        exponent = select(equal(significand, zero), splat(np.int32(ZERO)), exponent)
        exponent = select(special, splat(np.int32(INFINITE)), exponent)
        exponent = select(above(magnitude, last_infinite), splat(np.int32(NAN)), exponent)
        signed = as_int(to_float(significand) * unit) | ((pattern << to_sign) & sign)
        store(work, place + word, signed)
        store(work, exponents + word, exponent)
    return any_set(found)


@jit(int32(int32[::1], int64, int64, int64))
def unpack_halves(work: Words, place: Int, exponents: Int, words: Int) -> Int:
    """Do as `unpack_lanes` does for f16, in half of its operations; what stands for an infinity or a NaN is no zero.

    An f16's fraction and exponent, put where a float32 has them, are the number divided by 2**112, subnormals too.
    """
    zero, one, sign = splat(np.int32(0)), splat(np.int32(1)), splat(np.int32(SIGN))
    magnitude_mask, last_finite, bias = splat(np.int32(0x7FFF)), splat(np.int32(0x7BFF)), splat(np.int32(15))
    lift, hidden, wider = splat_float(np.int32((127 + 112) << 23)), splat(np.int32(10)), splat(np.int32(13))
    none, to_sign = splat(np.int32(ZERO)), splat(np.int32(16))
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
        exponent = select(above(magnitude, last_finite), splat(np.int32(INFINITE)), exponent)
        store(work, exponents + word, select(above(magnitude, last_infinite), splat(np.int32(NAN)), exponent))
