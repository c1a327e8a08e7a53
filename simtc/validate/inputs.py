"""Operands that find mistakes, drawn from integers alone so that every numpy draws the same ones."""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.errors import unknown
from simtc.numerics import Format, Instruction, format_named

__all__ = ["DISTRIBUTIONS", "as_operand", "draw", "operands"]

DISTRIBUTIONS = ("bits", "wide", "narrow", "cancel", "subnormal", "special", "nans")


def operands(found: Instruction, distribution: str, count: int, seed: int) -> list[NDArray[Any]]:
    """Return bit patterns of A (count, M, K), B (count, K, N) and C (count, M, N), uint64.

    What is drawn depends on the instruction's name, the distribution, the count and the seed alone.
    """
    if distribution not in DISTRIBUTIONS:
        raise unknown("distribution", distribution, DISTRIBUTIONS)
    rng = np.random.Generator(
        np.random.PCG64([zlib.crc32(found.name.encode()), zlib.crc32(distribution.encode()), seed])
    )
    forms = (format_named(found.a), format_named(found.b), format_named(found.c))
    A, B, C = (
        draw(form, (count, *found.shapes[what]), distribution, rng) for what, form in zip("ABC", forms, strict=True)
    )
    if distribution == "cancel":  # neighbours in k nearly cancel, and what is left meets a small C
        A[:, :, 1::2] = A[:, :, ::2] ^ np.uint64(1 << (forms[0].bits - 1))
        nudge = rng.integers(0, 2, B[:, ::2].shape, dtype=np.uint64) << np.uint64(forms[1].ignored_bits)
        B[:, 1::2] = B[:, ::2] ^ nudge
    return [A, B, C]


def draw(form: Format, shape: tuple[int, ...], distribution: str, rng: np.random.Generator) -> NDArray[Any]:
    """Return bit patterns of one format, uint64."""
    anything = rng.integers(0, 1 << form.bits, shape, dtype=np.uint64, endpoint=False) if form.bits < 64 else (
        rng.integers(0, 1 << 63, shape, dtype=np.uint64) << np.uint64(1) | rng.integers(0, 2, shape, dtype=np.uint64)
    )  # fmt: skip
    return _floats(form, anything, distribution, rng) if form.is_float else _integers(form, anything, distribution, rng)


def _integers(form: Format, anything: NDArray[Any], distribution: str, rng: np.random.Generator) -> NDArray[Any]:
    if distribution == "bits" or form.bits == 1:
        return anything
    mask = np.uint64((1 << form.bits) - 1)
    small = (rng.integers(0, 5, anything.shape, dtype=np.uint64) - np.uint64(2 if form.signed else 0)) & mask
    low, high = (np.uint64(limit & int(mask)) for limit in form.limits)
    extreme = np.where(rng.integers(0, 2, anything.shape) == 0, low, high)
    if distribution == "narrow":
        return small
    return np.where(rng.integers(0, 4, anything.shape) == 0, anything, extreme)


def _floats(form: Format, anything: NDArray[Any], distribution: str, rng: np.random.Generator) -> NDArray[Any]:
    fraction_mask = np.uint64((1 << form.fraction_bits) - 1)
    sign = anything & np.uint64(1 << (form.bits - 1))
    fraction = anything & fraction_mask
    few = (np.uint64(1) << rng.integers(0, form.fraction_bits + 1, anything.shape, dtype=np.uint64)) & fraction_mask
    fraction = np.where(rng.integers(0, 3, anything.shape) == 0, few, fraction)
    if distribution == "bits":
        return anything
    spread = {"wide": 12, "narrow": 2, "cancel": 2, "special": 3, "nans": 2, "subnormal": 2}[distribution]
    spread = min(spread, form.bias - 1)
    middle = 1 + spread if distribution == "subnormal" else form.bias
    field = rng.integers(middle - spread, middle + spread + 1, anything.shape).astype(np.uint64)
    number = sign | field << np.uint64(form.fraction_bits) | fraction
    choice = rng.integers(0, 16, anything.shape)
    infinity = np.uint64(form.infinity)
    nan = np.uint64(form.infinity & ~int(fraction_mask)) | np.maximum(fraction, np.uint64(1 << form.ignored_bits))
    if form.special == "nan_only":
        nan = np.full_like(nan, form.first_nan)
    if distribution == "subnormal":
        return np.where(choice < 8, sign | fraction, number)
    if distribution == "special":
        chosen = np.select(
            [choice == 0, choice == 1, choice == 2, choice == 3],
            [sign, sign | (infinity - np.uint64(1)), sign | np.uint64(1 << form.ignored_bits), sign | infinity],
            number,
        )
        rare = (choice == 4) & (rng.integers(0, 8, anything.shape) == 0)
        return np.asarray(np.where(rare, sign | nan, chosen))
    if distribution == "nans":
        return np.asarray(np.select([choice < 2, choice == 2], [sign | nan, sign | infinity], number))
    return np.asarray(number)


def as_operand(patterns: NDArray[Any], form: Format) -> NDArray[Any]:
    """Return patterns as `simtc.mma` takes them: raw bits, or values for what is narrower than a byte.

    Example:
        >>> as_operand(np.array([15], np.uint64), format_named("s4"))
        array([-1])

    """
    if form.bits >= 8:
        return patterns.astype(f"uint{form.bits}")
    values = patterns.astype(np.int64)
    return np.where(values > form.limits[1], values - (1 << form.bits), values) if form.signed else values
