"""IMMA, BMMA and DMMA, compiled: sums that need no aligner."""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import boolean, int32, int64, uint32, void
from numba.extending import intrinsic

from simtc.jit import jit
from simtc.numerics.lanes import LANES, Int, Words, load, population, scalar, select, splat, store

__all__ = ["binary_rows", "fma_tile", "integer_rows", "widen_lanes"]

_QUIET = 0x8000000000000
_NAN_64 = -0x8000000000000  # 0xFFF8000000000000, what CUDA names CUDART_NAN


@jit(void(int32[::1], int64, int64, int32, int32))
def widen_lanes(work: Words, place: Int, words: Int, bits: Int, signed: Int) -> None:
    """Replace the low `bits` of each word by the integer that they hold."""
    up, mask = splat(np.int32(32 - bits)), splat(np.int32((1 << bits) - 1))
    for word in range(place, place + words, LANES):
        value = load(work, word)
        value = (value << up) >> up if signed else value & mask
        store(work, word, value)


@jit(void(int32[::1], int64, int64, int64, int64, int64, int64, boolean))
def integer_rows(work: Words, c: Int, a: Int, b: Int, m: Int, k: Int, pitch: Int, saturate: Int) -> None:
    """Add A B to C in place, wrapping to 32 bits or clamping the exact sum."""
    last, largest = splat(np.int32(31)), splat(np.int32(2**31 - 1))
    for i in range(m):
        for j in range(0, pitch, LANES):
            total = splat(np.int32(0))
            for x in range(k):
                total = total + splat(scalar(work, a + i * k + x)) * load(work, b + x * pitch + j)
            addend = load(work, c + i * pitch + j)
            wrapped = total + addend
            if saturate:
                # Both of one sign and the sum of the other: the exact sum left the range on the side of that sign.
                overflow = ((total ^ wrapped) & (addend ^ wrapped)) >> last
                wrapped = select(overflow, (total >> last) ^ largest, wrapped)
            store(work, c + i * pitch + j, wrapped)


@jit(void(int32[::1], int64, int64, int64, int64, int64, int64, boolean))
def binary_rows(work: Words, c: Int, a: Int, b: Int, m: Int, words: Int, pitch: Int, conjunction: Int) -> None:
    """Add the number of bits set in a xor b (or a and b) over the packed words of k to C in place."""
    for i in range(m):
        for j in range(0, pitch, LANES):
            total = load(work, c + i * pitch + j)
            for word in range(words):
                x, y = splat(scalar(work, a + i * words + word)), load(work, b + word * pitch + j)
                total = total + population(x & y if conjunction else x ^ y)
            store(work, c + i * pitch + j, total)


def _emit_fma(_context: Any, x: Any, y: Any, z: Any) -> Any:  # noqa: ARG001 - numba's signature
    """One IEEE fused multiply-add on the bits of three float64 values."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        double = ir.DoubleType()
        return builder.bitcast(builder.fma(*(builder.bitcast(value, double) for value in values)), ir.IntType(64))

    return int64(int64, int64, int64), emit


_fma: Any = intrinsic(_emit_fma)


@jit(int64(uint32[::1], int64))
def _read_64(words: Words, place: Int) -> Int:
    return np.int64(words[2 * place]) | np.int64(words[2 * place + 1]) << 32


@jit(boolean(int64))
def _is_nan(pattern: Int) -> Int:
    return pattern & 0x7FFFFFFFFFFFFFFF > 0x7FF0000000000000


@jit(int64(int64, int64, int64))
def _multiply_add(x: Int, y: Int, z: Int) -> Int:
    """Captured: a NaN operand comes through, quieted: B's, else C's, else A's. Model: which NaN is made from none."""
    if _is_nan(y):
        return y | _QUIET
    if _is_nan(z):
        return z | _QUIET
    if _is_nan(x):
        return x | _QUIET
    result = _fma(x, y, z)
    return np.int64(_NAN_64) if _is_nan(result) else result


@jit(void(int64, int64, int64, uint32[::1], uint32[::1], uint32[::1], uint32[::1]))
def fma_tile(m: Int, n: Int, k: Int, a: Words, b: Words, c: Words, d: Words) -> None:
    """DMMA: two words an element, low first."""
    for i in range(m):
        for j in range(n):
            total = _read_64(c, i * n + j)
            for x in range(k):
                total = _multiply_add(_read_64(a, i * k + x), _read_64(b, x * n + j), total)
            d[2 * (i * n + j)] = np.uint32(total & 0xFFFFFFFF)
            d[2 * (i * n + j) + 1] = np.uint32(total >> 32 & 0xFFFFFFFF)
