"""Formats against numpy and ml_dtypes, for every pattern there is."""

from __future__ import annotations

import ml_dtypes
import numpy as np
import pytest

from simtc.errors import BadInputError
from simtc.numerics import FORMATS, format_named
from simtc.numerics.formats import Format, Unpacked

NATIVE = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "e4m3": ml_dtypes.float8_e4m3fn, "e5m2": ml_dtypes.float8_e5m2}


@pytest.mark.parametrize("name", NATIVE)
def test_every_pattern(name):
    form = format_named(name)
    patterns = np.arange(1 << form.bits, dtype=f"uint{form.bits}")
    with np.errstate(invalid="ignore"):  # signalling NaNs
        values = patterns.view(NATIVE[name]).astype(np.float64)
    for pattern, value in zip(patterns.tolist(), values.tolist(), strict=True):
        found = form.unpack(pattern)
        if np.isnan(value):
            assert found.special == "nan"
        elif np.isinf(value):
            assert found.special == "inf"
            assert form.pack(found) == pattern
        else:
            assert found.significand * 2.0 ** (found.exponent - form.fraction_bits) == abs(value)
            assert found.sign == np.signbit(value)
            assert form.pack(found) == pattern


def test_subnormals_keep_the_smallest_exponent():
    lowest = {"f16": -14, "bf16": -126, "tf32": -126, "f32": -126, "f64": -1022, "e4m3": -6, "e5m2": -14}
    for name, exponent in lowest.items():
        form = format_named(name)
        smallest = 1 << form.ignored_bits
        assert form.unpack(smallest) == Unpacked(sign=0, significand=smallest, exponent=exponent)


def test_tf32_ignores_thirteen_bits():
    form = format_named("tf32")
    assert form.unpack(0x3F801FFF) == form.unpack(0x3F800000)
    assert form.unpack(0x7F801FFF).special == "inf"  # what is left of this NaN's payload is nothing
    assert form.unpack(0x7F802000).special == "nan"


@pytest.mark.parametrize(
    ("name", "low", "high"), [("s8", -128, 127), ("u8", 0, 255), ("s4", -8, 7), ("u4", 0, 15), ("b1", 0, 1)]
)
def test_integers(name, low, high):
    form = format_named(name)
    values = [form.integer(pattern) for pattern in range(1 << form.bits)]
    assert sorted(values) == list(range(low, high + 1))
    assert form.limits == (low, high)


@pytest.mark.parametrize("name", FORMATS)
def test_repr_is_the_value(name):
    form = format_named(name)
    assert eval(repr(form), {"Format": Format}) == form  # noqa: S307 - the promise is that it can be evaluated


def test_a_format_that_contradicts_itself_is_refused():
    with pytest.raises(ValueError, match="do not fill 16 bits"):
        Format(name="x", bits=16, exponent_bits=5, fraction_bits=9, bias=15, special="ieee")
    with pytest.raises(ValueError, match="bias"):
        Format(name="x", bits=16, exponent_bits=5, fraction_bits=10, bias=16, special="ieee")


@pytest.mark.parametrize(
    "value", [Unpacked(sign=0, significand=1, exponent=0), Unpacked(sign=0, significand=1024, exponent=16)]
)
def test_what_a_format_cannot_hold_does_not_pack(value):
    with pytest.raises(ValueError, match="is not a value of f16"):
        format_named("f16").pack(value)


def test_unknown_format():
    with pytest.raises(BadInputError, match=r"unknown number format 'fp16'.*did you mean 'f16'"):
        format_named("fp16")
