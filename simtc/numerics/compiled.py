"""The compiled path: one tile at a time for other compiled code, or whole batches from Python.

Bit for bit the same as `simtc.numerics.reference`; the same tests run over both.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numba import boolean, int32, int64, types, uint32, void

from simtc.jit import jit
from simtc.numerics.exact import binary_rows, fma_tile, integer_rows, widen_lanes
from simtc.numerics.formats import Format
from simtc.numerics.fused import TILE, Step, Tile, fused_step
from simtc.numerics.lanes import LANES, Int, Words, load, load_four, splat, store, store_four
from simtc.numerics.operands import PATTERN, Pattern, mark_halves, unpack_halves, unpack_lanes
from simtc.numerics.rules import Kind, Rule, rules
from simtc.numerics.unpacked import add_rounded, unpack_bytes

__all__ = ["float_tiles", "mma_batch", "mma_tile", "multiply", "tile_of", "work_words"]

# Columns of the rule table that compiled code reads; a format takes six, from _A and _B on.
_KIND, _PRODUCTS, _BITS, _FLOOR, _KEPT, _C_HALF, _D_HALF, _SATURATE, _HALVES, _A, _B = *range(10), 15
_UNPACKED, _FMA, _INTEGER, _AND = int(Kind.UNPACKED), int(Kind.FMA), int(Kind.INTEGER), int(Kind.AND)


def _columns(rule: Rule) -> list[int]:
    """Flatten a rule to integers of 32 bits."""
    d, a, b, c = rule.formats
    kept = ~((1 << (d.fraction_bits - rule.kept_bits)) - 1) if rule.kept_bits else 0
    numbers = (rule.products, rule.fraction_bits, rule.exponent_floor, kept, c.bits == 16, d.bits == 16, rule.saturate)
    halves = rule.kind == Kind.UNPACKED or (a.name == b.name == "f16")
    return [int(rule.kind), *map(int, numbers), int(halves), *_format_columns(rule, a), *_format_columns(rule, b)]


def _format_columns(rule: Rule, form: Format) -> tuple[int, int, int, int, int, int]:
    if rule.kind == Kind.UNPACKED:  # to f16, whose bits need no telling
        return 0, form.exponent_bits, 0, 0, 0, 0
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


@jit(void(uint32[::1], int64, int64, int64, int32[::1], int64))
def _gather_panels(source: Words, groups: Int, rows: Int, columns: Int, work: Words, place: Int) -> None:
    """Copy matrices one behind the other, each into panels of eight columns; zeros fill the last one."""
    if columns <= LANES:
        _gather(source, groups * rows, columns, work, place, LANES)
        return
    for first in range(0, groups * rows, rows):
        for j in range(0, columns, LANES):
            for i in range(first, first + rows):
                if j + LANES <= columns:
                    store(work, place, load(source, i * columns + j))
                else:
                    for k in range(LANES):
                        work[place + k] = np.int32(source[i * columns + j + k]) if j + k < columns else np.int32(0)
                place += LANES


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


@jit(PATTERN(int64, int64))
def _pattern(rule: Int, first: Int) -> Pattern:
    """Return how an operand's bits are read, from its columns of the table."""
    row = _TABLE[rule]
    return Pattern(row[first], row[first + 1], row[first + 2], row[first + 3], row[first + 4], row[first + 5])


@jit(TILE(int64, _SHAPE))
def tile_of(groups: Int, shape: Shape) -> Tile:
    """Return where the operands of products of floats, `groups` of them, lie in the scratch memory; C begins it."""
    rows, n, k = shape
    m = groups * rows
    pitch, packed = (n + 7) & ~7, (m * k + 7) & ~7
    place_a = 2 * m * pitch
    place_b = place_a + 2 * packed
    return Tile(m, n, k, rows, pitch, place_a, place_a + packed, place_b, place_b + groups * k * pitch)


@jit(boolean(int64, int32[::1], TILE))
def _unpack(rule: Int, work: Words, tile: Tile) -> Int:
    """Replace the patterns of A and B by numbers and exponents; tell whether any is infinite or a NaN."""
    packed, words = tile.a_exponent - tile.a, tile.b_exponent - tile.b
    if _TABLE[rule, _HALVES]:
        special = unpack_halves(work, tile.a, tile.a_exponent, packed)
        special |= unpack_halves(work, tile.b, tile.b_exponent, words)
        if special:
            mark_halves(work, tile.a, tile.a_exponent, packed)
            mark_halves(work, tile.b, tile.b_exponent, words)
    else:
        special = unpack_lanes(work, tile.a, tile.a_exponent, packed, _pattern(rule, _A))
        special |= unpack_lanes(work, tile.b, tile.b_exponent, words, _pattern(rule, _B))
    return special != 0


@jit(int64(int64, int32[::1], TILE))
def multiply(rule: Int, work: Words, tile: Tile) -> Int:
    """Multiply floats whose patterns lie where the tile says; return where D's begin: it has C's shape."""
    row = _TABLE[rule]
    special = _unpack(rule, work, tile)
    old, new = 0, tile.m * tile.pitch
    half, d_half = row[_C_HALF] != 0, row[_D_HALF] != 0
    step = tile.k >> 1 if row[_KIND] == _UNPACKED else min(np.int64(row[_PRODUCTS]), tile.k)
    for begin in range(0, tile.k, step):
        end = min(begin + step, tile.k)
        one = Step(old, new, begin, end, row[_BITS], row[_FLOOR], half, d_half, row[_KEPT], row[_HALVES] != 0)
        fused_step(work, tile, one, special)
        old, new = new, old
        half = d_half
    return old


@jit(void(int64, int64, _SHAPE, *_OPERANDS))
def float_tiles(rule: Int, groups: Int, shape: Shape, a: Words, b: Words, c: Words, d: Words, work: Words) -> None:
    """Do as `mma_tile` for products of floats side by side, one behind the other in each array; of fp8 only one."""
    _, n, k = shape
    tile = tile_of(groups, shape)
    m = tile.m
    row = _TABLE[rule]
    unpacked = row[_KIND] == _UNPACKED
    if unpacked:
        for word in range(tile.a + m * k, tile.b_exponent):
            work[word] = 0
        unpack_bytes(a, m, k, work, tile.a, True, row[_A + 1] == 5)
        unpack_bytes(b, k, n, work, tile.b, False, row[_B + 1] == 5)
        for word in range(0, m * tile.pitch, LANES):
            store(work, word, splat(np.int32(0)))
    else:
        _gather(a, 1, m * k, work, tile.a, tile.a_exponent - tile.a)
        _gather_panels(b, groups, k, n, work, tile.b)
        _gather(c, m, n, work, 0, tile.pitch)
    place = multiply(rule, work, tile)
    if unpacked:
        d_half = row[_D_HALF] != 0
        for i in range(m):
            for j in range(n):
                at = place + i * tile.pitch + j
                work[at] = add_rounded(work[at], np.int32(c[i * n + j]), d_half)
    _scatter(work, place, tile.pitch, d, m, n)


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
        float_tiles(rule, 1, shape, a, b, c, d, work)
    elif kind == _FMA:
        m, n, k = shape
        fma_tile(m, n, k, a, b, c, d)
    else:
        _integer_tile(rule, shape, a, b, c, d, work)


@jit(void(int64, _SHAPE, uint32[:, ::1], uint32[:, ::1], uint32[:, ::1], uint32[:, ::1], int32[::1]), from_python=True)
def mma_batch(rule: Int, shape: Shape, a: Words, b: Words, c: Words, d: Words, work: Words) -> None:
    """Compute as many tiles as D has; each array is (count, words of one tile)."""
    for tile in range(len(d)):
        mma_tile(rule, shape, a[tile], b[tile], c[tile], d[tile], work)
