"""Matrix operations: gather the fragments from the lanes, multiply exactly as the generation does, scatter the result.

Which lane and register holds an element comes from simtc.layout, the arithmetic from simtc.numerics; nothing about
either is known here. An entry of `Code.mma` describes one machine instruction; several groups (Volta's quad pairs) are
independent products side by side.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from simtc.jit import Array, Arrays, Int, jit
from simtc.machine.state import CODE, STATE
from simtc.machine.types import WORDS, int32, int64, uint32, uint64, void
from simtc.numerics.compiled import float_tiles, mma_tile, multiply, tile_of
from simtc.numerics.lanes import (
    INT_LANES,
    LANES,
    fourths,
    load,
    load_halves,
    load_pairs,
    shift_right,
    splat,
    store,
    store_halves,
    store_pairs,
)

__all__ = ["Field", "tensor", "transpose"]


class Field(IntEnum):
    """Columns of the table of matrix instructions."""

    RULE = 0  # row of simtc.numerics' rule table
    M = 1
    N = 2
    K = 3
    GROUPS = 4
    A = 5  # where this operand's element places start in Code.words and Code.shifts
    B = 6
    C = 7
    D = 8
    A_BITS = 9
    B_BITS = 10
    C_BITS = 11
    D_BITS = 12
    A_COUNT = 13  # elements of one group (b1: words of 32)
    B_COUNT = 14
    STRAIGHT = 15  # 1: the fragments lie as `_straight` says
    COUNT = 16


@jit(void(CODE, WORDS, WORDS, int64, int64, int64, int64))
def _gather(code: Arrays, F: Array, out: Array, rows: Int, places: Int, count: Int, bits: Int) -> None:
    """Collect elements from the lanes, one a word (f64: two)."""
    words, shifts = code.words, code.shifts
    first, start = uint64(places), uint64(rows)  # unsigned: no index counts from the end
    if bits == 64:
        for i in range(uint64(count)):
            at = start + uint64(uint32(words[first + i]))
            out[uint64(2) * i], out[uint64(2) * i + uint64(1)] = F[at], F[at + uint64(32)]
    elif bits == 32:
        for i in range(uint64(count)):
            out[i] = F[start + uint64(uint32(words[first + i]))]
    else:
        keep = uint32((1 << bits) - 1)
        for i in range(uint64(count)):
            word = F[start + uint64(uint32(words[first + i]))]
            out[i] = (word >> uint32(shifts[first + i])) & keep


@jit(void(CODE, WORDS, WORDS, int64, int64, int64))
def _scatter(code: Arrays, T: Array, values: Array, places: Int, count: Int, bits: Int) -> None:
    """Spread results over the lanes."""
    words, shifts = code.words, code.shifts
    first = uint64(places)
    for i in range(uint64(count)):
        at = uint64(uint32(words[first + i]))
        if bits == 64:
            T[at], T[at + uint64(32)] = values[uint64(2) * i], values[uint64(2) * i + uint64(1)]
        elif bits == 32:
            T[at] = values[i]
        else:
            T[at] |= values[i] << uint32(shifts[first + i])


@jit(void(int32[::1], int64, INT_LANES), inline=True)
def _store_halves_apart(work: Array, at: Int, words: Int) -> None:
    """Store the low halves of eight words, and behind them the high ones."""
    store(work, at, words & splat(np.int32(0xFFFF)))
    store(work, at + LANES, shift_right(words, splat(np.int32(16))))


@jit(void(CODE, STATE, int64, int64, int64, int64))
def _straight(code: Arrays, s: Arrays, entry: Int, a: Int, b: Int, c: Int) -> None:
    """Multiply 16-bit fragments of m16n8, eight elements at a time, as all chips since Turing hold them.

    Eight elements of a row of A are the halves of four lanes that follow one another, and so are those of a row of C
    and D in f16; in f32 the even ones are in one register and the odd ones in the next. Of B, eight rows are one
    register: each column is four lanes.
    """
    f, words, F, T, work = code.mma[entry], code.words, s.F, s.T, s.work
    m, n, k = f[Field.M], f[Field.N], f[Field.K]
    tile = tile_of(1, (m, n, k))
    for i in range(0, m * k, LANES):
        store(work, tile.a + i, load_halves(F, a + words[f[Field.A] + i]))
    for i in range(0, k, LANES):
        first, second, third, fourth = fourths(F, b + words[f[Field.B] + i * n])
        at = tile.b + i * LANES
        _store_halves_apart(work, at, first)
        _store_halves_apart(work, at + 2 * LANES, second)
        _store_halves_apart(work, at + 4 * LANES, third)
        _store_halves_apart(work, at + 6 * LANES, fourth)
    for i in range(0, m * n, LANES):
        at = c + words[f[Field.C] + i]
        store(work, i, load_halves(F, at) if f[Field.C_BITS] == 16 else load_pairs(F, at))
    place = multiply(f[Field.RULE], work, tile)
    for i in range(0, m * n, LANES):
        at = int64(words[f[Field.D] + i])
        if f[Field.D_BITS] == 16:
            store_halves(T, at, load(work, place + i))
        else:
            store_pairs(T, at, load(work, place + i))


@jit(void(CODE, STATE, int64, int64, int64, int64, int64))
def tensor(code: Arrays, s: Arrays, entry: Int, a: Int, b: Int, c: Int, d_rows: Int) -> None:
    """Execute one matrix instruction whose operands start at rows a, b, c; the result is left in the scratch."""
    f = code.mma[entry]
    if f[Field.STRAIGHT]:
        _straight(code, s, entry, a, b, c)
        return
    m, n, k = f[Field.M], f[Field.N], f[Field.K]
    F, T, A, B, C, D = s.F, s.T, s.matrix_a, s.matrix_b, s.matrix_c, s.matrix_d
    for i in range(32 * d_rows):
        T[i] = 0
    groups = f[Field.GROUPS]
    _gather(code, F, A, a, f[Field.A], groups * f[Field.A_COUNT], f[Field.A_BITS])
    _gather(code, F, B, b, f[Field.B], groups * f[Field.B_COUNT], f[Field.B_BITS])
    _gather(code, F, C, c, f[Field.C], groups * m * n, f[Field.C_BITS])
    if groups > 1:  # Volta's quad pairs
        float_tiles(f[Field.RULE], groups, (m, n, k), A, B, C, D, s.work)
    else:
        mma_tile(f[Field.RULE], (m, n, k), A, B, C, D, s.work)
    _scatter(code, T, D, f[Field.D], groups * m * n, f[Field.D_BITS])


@jit(void(WORDS, WORDS, int64))
def transpose(F: Array, T: Array, a: Int) -> None:
    """Transpose an 8x8 matrix of 16-bit elements across the lanes (MOVM.16.MT88)."""
    for lane in range(32):
        g, t = lane >> 2, lane & 3
        word = uint32(0)
        for i in range(2):
            source = 4 * (2 * t + i) + (g >> 1)
            word |= ((F[a + source] >> uint32(16 * (g & 1))) & uint32(0xFFFF)) << uint32(16 * i)
        T[lane] = word
