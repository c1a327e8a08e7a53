"""D = A B + C over whole arrays, exactly as one architecture's instruction computes it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simtc.errors import BadInputError
from simtc.numerics.formats import format_named
from simtc.numerics.instructions import Instruction, instruction_named
from simtc.numerics.patterns import from_patterns, is_raw, to_patterns
from simtc.numerics.rules import Kind

__all__ = ["mma"]


def mma(instr: str, A: ArrayLike, B: ArrayLike, C: ArrayLike, *, arch: str, reference: bool = False) -> NDArray[Any]:
    """Return D = A B + C with every bit as the architecture's instruction computes it.

    Args:
        instr: SHAPE.D.A.B.C, such as `m16n8k8.f32.f16.f16.f32`; see `simtc mma --list`.
        A: (..., M, K). Unsigned integers of the type's width are raw bits; other numbers are taken by value.
        B: (..., K, N), likewise.
        C: (..., M, N), likewise. Leading dimensions broadcast.
        arch: `volta`, `turing`, `ampere`, `ada`, `hopper`, or an SM version such as `sm_75`.
        reference: use the readable path in exact integers instead of the compiled one; the bits are the same.

    Returns:
        (..., M, N), raw bits if C is raw bits, else values of D's type.

    Raises:
        BadInputError: unknown instruction or architecture, wrong shape or dtype, or a value that the type cannot hold.

    Example:
        >>> A, B, C = np.ones((16, 8), np.float16), np.ones((8, 8), np.float16), np.zeros((16, 8), np.float32)
        >>> mma("m16n8k8.f32.f16.f16.f32", A, B, C, arch="turing")[0, 0]
        np.float32(8.0)

    """
    found = instruction_named(instr, arch)
    batch, operands = _operands(found, {"A": A, "B": B, "C": C})
    raw = is_raw(np.asarray(C).dtype, found.formats[3])
    count = math.prod(batch)
    a, b, c = (_expand(patterns, batch) for patterns in operands)
    compute = _by_reference if reference else _compiled
    d = compute(found, a, b, c) if count else np.zeros((0, found.m, found.n), np.uint32)
    return from_patterns(d.reshape(*batch, found.m, found.n), found.formats[0], raw=raw)


def _operands(found: Instruction, given: dict[str, ArrayLike]) -> tuple[tuple[int, ...], list[NDArray[Any]]]:
    """Check shapes, and return the common batch shape and the operands' bit patterns."""
    arrays = {what: np.asarray(array) for what, array in given.items()}
    for what, (rows, columns) in found.shapes.items():
        if arrays[what].shape[-2:] != (rows, columns):
            raise BadInputError(
                f"{what} has shape {arrays[what].shape}: {found.name} takes (..., {rows}, {columns})"
                + (", one quad pair's product" if found.opcode == "HMMA.884" and found.m == 8 else "")
            )
    leading = {what: array.shape[:-2] for what, array in arrays.items()}
    try:
        batch = np.broadcast_shapes(*leading.values())
    except ValueError:
        shapes = ", ".join(f"{what} {shape}" for what, shape in leading.items())
        raise BadInputError(f"the leading dimensions do not broadcast: {shapes}") from None
    forms = dict(zip("ABC", found.formats[1:], strict=True))
    return batch, [to_patterns(arrays[what], forms[what], what) for what in "ABC"]


def _expand(patterns: NDArray[Any], batch: tuple[int, ...]) -> NDArray[Any]:
    """Return (count, rows, columns), contiguous and writable, as compiled code wants it."""
    whole = np.broadcast_to(patterns, batch + patterns.shape[-2:])
    return np.require(whole, requirements=["C", "W"]).reshape(math.prod(batch), *patterns.shape[-2:])


def _compiled(found: Instruction, a: NDArray[Any], b: NDArray[Any], c: NDArray[Any]) -> NDArray[Any]:
    from simtc.numerics.compiled import mma_batch, work_words  # noqa: PLC0415 - numba starts slowly

    if found.arithmetic.kind in (Kind.XOR, Kind.AND):
        a, b = _pack_bits(a), _pack_bits(b.swapaxes(1, 2)).swapaxes(1, 2)
    if found.c == "f16" and found.sum_type == "f32" and found.opcode != "HMMA.884":
        c = c.astype(np.uint16).view(np.float16).astype(np.float32).view(np.uint32)
    a, b, c = (_words(operand) for operand in (a, b, c))
    d = np.empty_like(c)
    work = np.empty(work_words(found.m, found.n, found.k), np.int32)
    mma_batch(found.rule, (found.m, found.n, found.k), a, b, c, d, work)
    if found.d == "f64":
        return d.view(np.uint64)
    if found.d == "f16" and found.sum_type == "f32":
        with np.errstate(over="ignore"):  # F2F.F16.F32 rounds to nearest even, and what is too large becomes infinite
            half = d.view(np.float32).astype(np.float16)
        return np.where(np.isnan(half), np.uint16(0x7FFF), half.view(np.uint16))
    return d


def _pack_bits(bits: NDArray[Any]) -> NDArray[Any]:
    """Pack the last dimension, 32 elements of b1 to a word, the first in the lowest bit."""
    packed = np.packbits(bits.astype(np.uint8), axis=-1, bitorder="little")
    return np.ascontiguousarray(packed).view("<u4")


def _words(operand: NDArray[Any]) -> NDArray[np.uint32]:
    """Return (count, words of one matrix): f64 as two words, low first."""
    flat = np.ascontiguousarray(operand).reshape(len(operand), -1)
    return flat.view("<u4") if flat.dtype == np.uint64 else flat.astype(np.uint32, copy=False)


def _by_reference(found: Instruction, a: NDArray[Any], b: NDArray[Any], c: NDArray[Any]) -> NDArray[Any]:
    from simtc.numerics.reference import convert, dot  # noqa: PLC0415 - as the compiled path is

    form_d, _, _, form_c = found.formats
    form_sum = format_named(found.sum_type)
    form_in, form_out = found.arithmetic.formats[3], found.arithmetic.formats[0]
    before: Callable[[int], int] = (lambda x: x) if form_in is form_c else lambda x: convert(form_c, form_in, x)
    after: Callable[[int], int] = (lambda x: x) if form_out is form_d else lambda x: convert(form_sum, form_d, x)
    tiles = [
        [
            [
                after(dot(found.arithmetic, row, column, before(addend)))
                for column, addend in zip(columns, addends, strict=True)
            ]
            for row, addends in zip(rows, matrix, strict=True)
        ]
        for rows, columns, matrix in zip(a.tolist(), b.swapaxes(1, 2).tolist(), c.tolist(), strict=True)
    ]
    return np.array(tiles, np.uint64)
