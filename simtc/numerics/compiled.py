"""The compiled path: one tile at a time for other compiled code, or whole batches from Python.

Bit for bit the same as `simtc.numerics.reference`; the same tests run over both.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import boolean, int32, int64, types, uint32, void

from simtc.jit import jit
from simtc.numerics.exact import binary_rows, fma_tile, integer_rows, widen_lanes
from simtc.numerics.formats import Format, format_named
from simtc.numerics.fused import PATTERN, Pattern, Step, Tile, fused_step, unpack_lanes
from simtc.numerics.lanes import LANES, Int, Words, load, load_four, splat, store, store_four
from simtc.numerics.rules import Kind, Rule, rules
from simtc.numerics.unpacked import add_rounded, unpack_bytes

__all__ = ["mma_batch", "mma_tile", "work_words"]

# Columns of the rule table that compiled code reads; a format takes six, from _A and _B on.
_KIND, _PRODUCTS, _BITS, _FLOOR, _KEPT, _C_HALF, _D_HALF, _SATURATE, _A, _B = *range(9), 14
_UNPACKED, _FMA, _INTEGER, _AND = int(Kind.UNPACKED), int(Kind.FMA), int(Kind.INTEGER), int(Kind.AND)


def _columns(rule: Rule) -> list[int]:
    """Flatten a rule to integers of 32 bits."""
    d, a, b, c = rule.formats
    kept = ~((1 << (d.fraction_bits - rule.kept_bits)) - 1) if rule.kept_bits else 0
    numbers = (rule.products, rule.fraction_bits, rule.exponent_floor, kept, c.bits == 16, d.bits == 16, rule.saturate)
    return [int(rule.kind), *map(int, numbers), *_format_columns(rule, a), *_format_columns(rule, b)]


def _format_columns(rule: Rule, form: Format) -> tuple[int, int, int, int, int, int]:
    if rule.kind == Kind.UNPACKED:
        wide = form.exponent_bits
        form = format_named("f16")  # what the bytes are unpacked to
        return form.fraction_bits, wide, form.bias, 0, form.infinity, form.first_nan
    if form.is_float and form.bits <= 32:
        return form.fraction_bits, form.bits, form.bias, form.ignored_bits, form.infinity, form.first_nan
    return 0, form.bits, int(form.signed), 0, 0, 0


Shape: TypeAlias = tuple[Int, Int, Int]  # m, n, k
_numba: Any = types  # partly typed
_SHAPE = _numba.UniTuple(int64, 3)
_OPERANDS = (uint32[::1], uint32[::1], uint32[::1], uint32[::1], int32[::1])  # A, B, C, D, scratch
_TABLE = np.array([_columns(rule) for rule in rules()], dtype=np.int32)


def work_words(m: int, n: int, k: int) -> int:
    """Return how many int32 words of scratch memory `mma_tile` needs for a tile.

    Example:
        >>> work_words(16, 8, 8)
        640

    """
    pitch, packed = -(-n // LANES) * LANES, -(-m * k // LANES) * LANES
    return 2 * (m * pitch + packed + k * pitch)


@jit(void(uint32[::1], int64, int64, int32[::1], int64, int64))
def _gather(source: Words, rows: Int, columns: Int, work: Words, place: Int, pitch: Int) -> None:
    """Copy a matrix into rows of `pitch` words, a multiple of eight, padded with zeros."""
    if columns == pitch:
        for word in range(0, rows * columns, LANES):
            store(work, place + word, load(source, word))
        return
    if columns == 4 and pitch == LANES:  # one STEP of HMMA.884 writes four columns
        for i in range(rows):
            store(work, place + i * LANES, load_four(source, 4 * i))
        return
    for i in range(rows):
        for j in range(pitch - LANES, pitch):
            work[place + i * pitch + j] = 0
        for j in range(columns):
            work[place + i * pitch + j] = np.int32(source[i * columns + j])


@jit(void(int32[::1], int64, int64, uint32[::1], int64, int64))
def _scatter(work: Words, place: Int, pitch: Int, target: Words, rows: Int, columns: Int) -> None:
    """Copy rows of `pitch` words back to a matrix."""
    if columns == pitch:
        for word in range(0, rows * columns, LANES):
            store(target, word, load(work, place + word))
        return
    if columns == 4 and pitch == LANES:
        for i in range(rows):
            store_four(target, 4 * i, load(work, place + i * LANES))
        return
    for i in range(rows):
        for j in range(columns):
            target[i * columns + j] = np.uint32(work[place + i * pitch + j])


@jit(PATTERN(int64, int64, boolean))
def _pattern(rule: Int, first: Int, unpacked: Int) -> Pattern:
    """Return how an operand's bits are read, from its columns of the table; bytes are f16 once they are unpacked."""
    row = _TABLE[rule]
    width = np.int32(16) if unpacked else row[first + 1]
    return Pattern(row[first], width, row[first + 2], row[first + 3], row[first + 4], row[first + 5])


@jit(void(int64, _SHAPE, *_OPERANDS))
def _float_tile(rule: Int, shape: Shape, a: Words, b: Words, c: Words, d: Words, work: Words) -> None:
    m, n, k = shape
    pitch, packed = (n + 7) & ~7, (m * k + 7) & ~7
    old, new = 0, m * pitch
    place_a = 2 * m * pitch
    place_b = place_a + 2 * packed
    tile = Tile(m, n, k, pitch, place_a, place_a + packed, place_b, place_b + k * pitch)
    row = _TABLE[rule]
    unpacked = row[_KIND] == _UNPACKED
    half, d_half = row[_C_HALF] != 0, row[_D_HALF] != 0
    step = min(np.int64(row[_PRODUCTS]), k)
    if unpacked:
        step = k >> 1
        for j in range(n, pitch):
            for i in range(k):
                work[place_b + i * pitch + j] = 0
        for word in range(m * k, packed):
            work[place_a + word] = 0
        unpack_bytes(a, m, k, work, place_a, k, True, row[_A + 1] == 5)
        unpack_bytes(b, k, n, work, place_b, pitch, False, row[_B + 1] == 5)
        for word in range(old, new, LANES):
            store(work, word, splat(np.int32(0)))
    else:
        _gather(a, 1, m * k, work, place_a, packed)
        _gather(b, k, n, work, place_b, pitch)
        _gather(c, m, n, work, old, pitch)
    special = unpack_lanes(work, tile.a, tile.a_exponent, packed, _pattern(rule, _A, unpacked))
    special |= unpack_lanes(work, tile.b, tile.b_exponent, k * pitch, _pattern(rule, _B, unpacked))
    for begin in range(0, k, step):
        end = min(begin + step, k)
        one = Step(old, new, begin, end, row[_BITS], row[_FLOOR], half, d_half, row[_KEPT])
        fused_step(work, tile, one, special != 0)
        old, new = new, old
        half = d_half
    if unpacked:
        for i in range(m):
            for j in range(n):
                place = old + i * pitch + j
                work[place] = add_rounded(work[place], np.int32(c[i * n + j]), d_half)
    _scatter(work, old, pitch, d, m, n)


@jit(void(int64, _SHAPE, *_OPERANDS))
def _integer_tile(rule: Int, shape: Shape, a: Words, b: Words, c: Words, d: Words, work: Words) -> None:
    m, n, k = shape
    pitch = (n + 7) & ~7
    row = _TABLE[rule]
    words = k if row[_KIND] == _INTEGER else k >> 5
    packed = (m * words + 7) & ~7
    place_a = m * pitch
    place_b = place_a + packed
    _gather(c, m, n, work, 0, pitch)
    _gather(a, 1, m * words, work, place_a, packed)
    _gather(b, words, n, work, place_b, pitch)
    if row[_KIND] == _INTEGER:
        widen_lanes(work, place_a, packed, row[_A + 1], row[_A + 2])
        widen_lanes(work, place_b, words * pitch, row[_B + 1], row[_B + 2])
        integer_rows(work, 0, place_a, place_b, m, k, pitch, row[_SATURATE] != 0)
    else:
        binary_rows(work, 0, place_a, place_b, m, words, pitch, row[_KIND] == _AND)
    _scatter(work, 0, pitch, d, m, n)


@jit(void(int64, _SHAPE, *_OPERANDS))
def mma_tile(rule: Int, shape: Shape, a: Words, b: Words, c: Words, d: Words, work: Words) -> None:
    """Compute D = A B + C for one tile of raw bits, row-major, one element in the low bits of each word.

    `rule` is an index that `rule_index` returns, `shape` (m, n, k). `a` is (m, k), `b` (k, n), `c` and `d` (m, n); `d`
    may be `c`. An f64 takes two words, low first. b1 is packed: k counts bits, `a` is (m, k / 32) words and `b`
    (k / 32, n). `work` holds at least `work_words(m, n, k)` words of anything. Nothing is checked and nothing
    allocated: it is for compiled code.
    """
    kind = _TABLE[rule, _KIND]
    if kind <= _UNPACKED:
        _float_tile(rule, shape, a, b, c, d, work)
    elif kind == _FMA:
        m, n, k = shape
        fma_tile(m, n, k, a, b, c, d)
    else:
        _integer_tile(rule, shape, a, b, c, d, work)


@jit(void(int64, _SHAPE, uint32[:, ::1], uint32[:, ::1], uint32[:, ::1], uint32[:, ::1], int32[::1]))
def mma_batch(rule: Int, shape: Shape, a: Words, b: Words, c: Words, d: Words, work: Words) -> None:
    """Compute as many tiles as D has; each array is (count, words of one tile)."""
    for tile in range(len(d)):
        mma_tile(rule, shape, a[tile], b[tile], c[tile], d[tile], work)
