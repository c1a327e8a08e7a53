"""Arrays by value and by bits: exact, or refused with the reason."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from simtc.errors import BadInputError
from simtc.numerics import format_named
from simtc.numerics.patterns import from_patterns, to_patterns

F16, F32, BF16, E4M3, TF32, S4 = map(format_named, ("f16", "f32", "bf16", "e4m3", "tf32", "s4"))


@pytest.mark.parametrize(
    ("values", "form", "expected"),
    [
        (np.array([1.0, -0.0, np.inf]), F16, [0x3C00, 0x8000, 0x7C00]),
        (np.array([2.0**-24, 65504.0]), F16, [1, 0x7BFF]),
        (np.array([1, -2], np.int64), BF16, [0x3F80, 0xC000]),
        (np.array([3], np.uint64), F32, [0x40400000]),
        (np.array([1.5], ml_dtypes.bfloat16), F32, [0x3FC00000]),
        (np.array([448.0, 2.0**-9]), E4M3, [0x7E, 0x01]),
        (np.array([0x7E], np.uint8), E4M3, [0x7E]),
        (np.array([1.0], np.float32), TF32, [0x3F800000]),
        (np.array([1, 2], np.uint32), TF32, [1, 2]),
        (np.array([-8, 7], np.int8), S4, [8, 7]),
        (np.array([-8, 7], ml_dtypes.int4), S4, [8, 7]),
        (np.array([-1.0]), S4, [15]),
        (np.array([True, False]), format_named("b1"), [1, 0]),
        (np.array([0xFF], np.uint8), format_named("s8"), [0xFF]),
        (np.array([-1], np.int16), format_named("s8"), [0xFF]),
        (np.array([5], np.uint16), format_named("s8"), [5]),
        (np.array([2**32 - 1], np.uint32), format_named("s32"), [2**32 - 1]),
        (np.array([np.nan]), F16, [0x7E00]),
        (np.array([np.nan], np.float16), E4M3, [0x7F]),
        (np.array([0x7C01], np.uint16).view(np.float16), F16, [0x7C01]),
        (np.longdouble([0.5]), F16, [0x3800]),
    ],
)
def test_patterns(values, form, expected):
    assert to_patterns(values, form, "A").tolist() == expected


@pytest.mark.parametrize(
    ("values", "form", "message"),
    [
        (np.array([[0.5, 0.1]]), F16, r"A\[0, 1\] = 0.1 is not a value of f16: round to f16 first"),
        (np.array([65536.0, 1e9]), F16, r"A\[0\] = 65536.0 is not a value of f16 \(and 1 more\)"),
        (np.array([np.inf]), E4M3, r"A\[0\] = inf is not a value of e4m3"),
        (np.array([449]), E4M3, r"A\[0\] = 449 is not a value of e4m3"),
        (np.array([1 + 2.0**-12], np.float32), TF32, r"is not a value of tf32"),
        (np.array([2**53 + 1]), format_named("f64"), r"A\[0\] = 9007199254740993 is not a value of f64"),
        (np.array([8], np.uint8), S4, r"A\[0\] = 8 is not a value of s4, which holds -8 to 7"),
        (np.array([-1]), format_named("u8"), r"is not a value of u8, which holds 0 to 255"),
        (np.array([1.5]), format_named("s8"), r"A\[0\] = 1.5 is not a value of s8"),
        (np.array([np.nan]), format_named("s8"), r"A\[0\] = nan is not a value of s8"),
        (np.array([2], np.uint8), format_named("b1"), r"which holds 0 to 1"),
        (np.array([2**40]), format_named("s32"), r"which holds -2147483648 to 2147483647"),
        (
            np.array([0x7FC00001], np.uint32).view(np.float32),
            F16,
            r"A\[0\] is a NaN whose payload 0x8000020000000 does not",
        ),
        (
            np.array([0x7E01], np.uint16).view(np.float16),
            E4M3,
            r"NaN whose payload .* does not fit e4m3: give numpy's own",
        ),
        (np.array(["1"]), F16, r"A has dtype <U1: f16 takes numbers or uint16 bit patterns"),
        (np.array([1j]), F16, r"A has dtype complex128"),
        (np.array([None]), S4, r"A has dtype object: s4 takes numbers$"),
    ],
)
def test_what_a_format_cannot_hold(values, form, message):
    with pytest.raises(BadInputError, match=message):
        to_patterns(values, form, "A")


@given(st.sampled_from(["f16", "bf16", "e4m3", "e5m2"]), st.integers(0, 0xFFFF))
@example("bf16", 0x7F81)
def test_values_and_bits_agree(name, number):
    form = format_named(name)
    pattern = np.array([number % (1 << form.bits)], f"uint{form.bits}")
    native = from_patterns(pattern, form, raw=False)
    assert to_patterns(pattern, form, "A") == to_patterns(native, form, "A") == pattern
    with np.errstate(invalid="ignore"):  # a signalling NaN
        double = native.astype(np.float64)
    if not np.isnan(double):
        assert to_patterns(double, form, "A") == pattern
