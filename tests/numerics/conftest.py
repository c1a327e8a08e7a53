"""What the tests of this room share: both paths, and operands that find mistakes."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.numerics import format_named


@pytest.fixture(params=["compiled", "reference"])
def reference(request):
    """Run a test over both paths: the value of `mma`'s argument."""
    return request.param == "reference"


@pytest.fixture(scope="session")
def operands():
    """Return the function that makes raw-bit operands A, B, C for an instruction."""
    return _operands


def _awkward(form, shape, rng):
    """Return bit patterns where mistakes show: close exponents, few bits set, ties, subnormals, zeros, specials."""
    if not form.is_float:
        return rng.integers(0, 1 << form.bits, shape, dtype=np.uint64)
    mantissa = form.fraction_bits
    anywhere = rng.integers(0, 1 << form.bits, shape, dtype=np.uint64)
    sign = rng.integers(0, 2, shape, dtype=np.uint64) << np.uint64(form.bits - 1)
    spread = rng.choice([1, 3, 12, 40])
    near = form.bias + rng.integers(-spread, spread + 1, shape)
    field = np.clip(near, 0, (1 << form.exponent_bits) - 2).astype(np.uint64) << np.uint64(mantissa)
    few = (np.uint64(1) << rng.integers(0, mantissa + 1, shape, dtype=np.uint64)) & np.uint64((1 << mantissa) - 1)
    full = rng.integers(0, 1 << mantissa, shape, dtype=np.uint64)
    fraction = np.where(rng.random(shape) < 0.5, few, full)
    tiny = sign | few
    zero = sign
    special = np.where(rng.random(shape) < 0.5, np.uint64(form.infinity), np.uint64(form.first_nan)) | sign
    weights = rng.choice([0, 1]) * np.array([0.05, 0.05, 0.1, 0.01])
    kinds = rng.choice(5, shape, p=[1 - weights.sum(), *weights])
    return np.choose(kinds, [sign | field | fraction, anywhere, tiny, zero, special])


def _operands(found, count, seed):
    """Return raw-bit operands A, B, C of `count` products for an instruction; s4, u4 and b1 by value."""
    rng = np.random.default_rng(seed)
    arrays = []
    for what, name in zip("ABC", (found.a, found.b, found.c), strict=True):
        form = format_named(name)
        patterns = _awkward(form, (count, *found.shapes[what]), rng)
        if form.bits < 8:
            arrays.append(np.vectorize(form.integer, otypes=[np.int64])(patterns.astype(object)))
        else:
            arrays.append(patterns.astype(f"uint{form.bits}"))
    return arrays
