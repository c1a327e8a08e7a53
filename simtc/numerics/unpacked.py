"""Hopper's mma.sync on fp8, compiled: no tensor-core operation of its own, but what the machine code does instead.

The code unpacks the bytes to f16 so that bytes 0 and 1 of every 32-bit register feed a first HMMA whose C is 0, bytes 2
and 3 a second one chained on it, and adds C with one ordinary rounded addition (FADD, or HADD2 for f16).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import boolean, int32, int64, uint32, void
from numba.extending import intrinsic

from simtc.jit import jit
from simtc.numerics.lanes import LANES, Int, Words

__all__ = ["add_rounded", "unpack_bytes"]


@jit(int32(int32, boolean))
def _to_half(pattern: Int, wide_exponent: Int) -> Int:
    """F2FP.F16.E4M3.UNPACK_B or .E5M2: every fp8 value is an f16 value; an e4m3 subnormal becomes a normal one."""
    if wide_exponent:
        return np.int32((pattern & 0xFF) << 8)
    sign, magnitude = (pattern & 0x80) << 8, pattern & 0x7F
    if magnitude == 0x7F:
        return np.int32(0x7FFF)
    if magnitude > 7:
        return np.int32(sign | ((magnitude << 7) + (8 << 10)))
    if magnitude == 0:
        return np.int32(sign)
    leading = 2 if magnitude > 3 else 1 if magnitude > 1 else 0
    return np.int32(sign | (6 + leading) << 10 | (magnitude << (10 - leading)) & 0x3FF)


@jit(void(uint32[::1], int64, int64, int32[::1], int64, boolean, boolean))
def unpack_bytes(
    source: Words, rows: Int, columns: Int, work: Words, place: Int, along_rows: Int, wide_exponent: Int
) -> None:
    """Unpack a matrix into `work`, its k reordered so that the first HMMA's elements come first.

    k runs along the rows of A (`along_rows`) and down the columns of B, which is put into panels of eight columns.
    """
    k = columns if along_rows else rows
    for i in range(rows):
        for j in range(columns):
            old = j if along_rows else i
            new = (old >> 1 & 1) * (k >> 1) + (old >> 2 << 1) + (old & 1)
            to = i * k + new if along_rows else (j // LANES * k + new) * LANES + j % LANES
            work[place + to] = _to_half(np.int32(source[i * columns + j]), wide_exponent)


def _emit_add(_context: Any, x: Any, y: Any) -> Any:  # noqa: ARG001 - numba's signature
    """The IEEE sum of two float32 values, as bits."""

    def emit(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        terms = (builder.bitcast(value, ir.FloatType()) for value in values)
        return builder.bitcast(builder.fadd(*terms), ir.IntType(32))

    return int32(int32, int32), emit


_add_32: Any = intrinsic(_emit_add)


@jit(int64(int32))
def _fixed_point(pattern: Int) -> Int:
    """A finite f16 in units of 2**-24, of which every one is a multiple."""
    field = pattern >> 10 & 0x1F
    value = np.int64(pattern & 0x3FF if field == 0 else (pattern & 0x3FF | 0x400) << (field - 1))
    return -value if pattern & 0x8000 else value


@jit(int32(int32, int32))
def _add_16(x: Int, y: Int) -> Int:
    """HADD2: the IEEE sum of two f16 values, rounded to nearest even; a NaN is 0x7FFF."""
    if x & 0x7FFF > 0x7C00 or y & 0x7FFF > 0x7C00:
        return np.int32(0x7FFF)
    if x & 0x7FFF == 0x7C00:
        return np.int32(0x7FFF) if y & 0x7FFF == 0x7C00 and x != y else np.int32(x)
    if y & 0x7FFF == 0x7C00:
        return np.int32(y)
    total = _fixed_point(x) + _fixed_point(y)
    if total == 0:
        return np.int32(x & y & 0x8000)
    sign, total = (0x8000, -total) if total < 0 else (0, total)
    drop = 0
    while total >> drop >= 0x800:
        drop += 1
    if drop:
        total += (1 << (drop - 1)) - 1 + (total >> drop & 1)
        total >>= drop
    pattern = (drop << 10) + total if total >= 0x400 else total
    return np.int32(sign | min(pattern, 0x7C00))


@jit(int32(int32, int32, boolean))
def add_rounded(x: Int, y: Int, half: Int) -> Int:
    """FADD, or HADD2 for f16; a NaN comes out canonical."""
    if half:
        return _add_16(x, y)
    total = _add_32(x, y)
    return np.int32(0x7FFFFFFF) if total & 0x7FFFFFFF > 0x7F800000 else total
