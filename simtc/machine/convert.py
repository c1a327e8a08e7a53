"""Conversions between number formats over 32 lanes, each with one rounding."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from simtc.jit import Array, Float, Int, Record, jit
from simtc.machine.bits import (
    DEFAULT_NAN,
    as_f32,
    as_u32,
    as_u64,
    bf16_to_f32,
    f16_to_f32,
    flush,
    integral,
    round_f32,
    round_flush,
    round_grid,
)
from simtc.machine.double import quiet, read64, write64
from simtc.machine.half import narrow, pick
from simtc.machine.micro import Convert, Flag
from simtc.machine.types import OP, WORDS, float32, float64, int64, uint32, uint64, void

__all__ = ["Format", "convert"]


class Format(IntEnum):
    """Formats a conversion reads or writes; a micro-operation's variant is source + 16 * destination."""

    F16 = 0
    BF16 = 1
    F32 = 2
    F64 = 3
    U8 = 4
    S8 = 5
    U16 = 6
    S16 = 7
    U32 = 8
    S32 = 9
    U64 = 10
    S64 = 11
    E4M3 = 12
    E5M2 = 13
    TF32 = 14


_LOW = np.uint64(0xFFFFFFFF)


@jit(float64(WORDS, int64, uint32, uint32, int64, int64, int64))
def _read_float(F: Array, at: Int, keep: Int, flip: Int, kind: Int, part: Int, flags: Int) -> Float:
    """Read one lane's floating-point operand, exactly."""
    word = F[at] & keep ^ flip
    if kind == Format.F64:
        return read64(F, at, keep, flip)
    if kind == Format.F32:
        x = as_f32(word)
        return float64(flush(x) if flags & Flag.FTZ else x)
    bits = pick(word, part, 0)
    return float64(bf16_to_f32(bits) if kind == Format.BF16 else f16_to_f32(bits))


@jit(uint32(float64, int64, int64))
def _narrow(x: Float, kind: Int, flags: Int) -> Int:
    """Round once to f16, bf16 or tf32 in any rounding mode."""
    mode = flags & Flag.ROUND
    if kind == Format.TF32:
        if mode == 0:  # cvt.rna: ties away from zero
            u = as_u32(round_f32(x, 0))
            return DEFAULT_NAN if x != x else (u + uint32(0x1000)) & uint32(0xFFFFE000)  # noqa: PLR0124
        y = as_u32(round_f32(round_grid(x, 10, -126, mode), mode))
        return (DEFAULT_NAN if x != x else y) & uint32(0xFFFFE000)  # noqa: PLR0124
    half = kind == Format.F16
    flags = (flags & ~int64(Flag.BF16)) | (0 if half else int64(Flag.BF16))
    if mode:
        x = round_grid(x, 10, -14, mode) if half else round_grid(x, 7, -126, mode)
        largest = 65504.0 if half else 255.0 * 2.0**120
        if abs(x) > largest and np.isfinite(x) and not (mode == 8 and x > 0.0) and not (mode == 4 and x < 0.0):
            x = largest if x > 0.0 else -largest
    return narrow(x, flags)


@jit(void(WORDS, int64, float64, int64, int64))
def _write_float(T: Array, lane: Int, x: Float, kind: Int, flags: Int) -> None:
    """Round once and leave the result in the scratch."""
    if kind == Format.F64:
        write64(T, lane, quiet(x) if x != x else x)  # noqa: PLR0124
    elif kind == Format.F32:
        r = round_flush(x, flags & Flag.ROUND, flags & Flag.FTZ)
        if flags & Flag.SATURATE:
            r = float32(0.0) if not r > float32(0.0) else min(r, float32(1.0))
        T[lane] = DEFAULT_NAN if r != r else as_u32(r)  # noqa: PLR0124
    else:
        T[lane] = _narrow(x, kind, flags)


@jit(uint64(uint32, uint32, int64, int64))
def _read_integer(low: Int, high: Int, kind: Int, byte: Int) -> Int:
    """Read one lane's integer, extended to 64 bits by its sign."""
    if kind == Format.U64 or kind == Format.S64:
        return uint64(high) << uint64(32) | uint64(low)
    bits = 8 if kind == Format.U8 or kind == Format.S8 else (16 if kind == Format.U16 or kind == Format.S16 else 32)
    x = (uint64(low) >> uint64(8 * byte)) & ((uint64(1) << uint64(bits)) - uint64(1))
    signed = kind & 1
    if signed and x >> uint64(bits - 1):
        x |= ~uint64(0) << uint64(bits)
    return x


@jit(float64(uint64, int64, int64))
def _integer_to_float(x: Int, signed: Int, mode: Int) -> Float:
    """Convert to f64 in a rounding mode; mode 1 rounds to odd, so that a further rounding is exact."""
    negative = signed and x >> uint64(63)
    m = uint64(0) - x if negative else x
    if m >> uint64(53):
        drop = uint64(1)
        while drop < uint64(11) and m >> (uint64(53) + drop):  # a shift by 64 is undefined
            drop += uint64(1)
        kept, rest = m >> drop, m & ((uint64(1) << drop) - uint64(1))
        tie = uint64(1) << (drop - uint64(1))
        if mode == 1:
            kept |= uint64(1 if rest else 0)
        elif mode == 0:
            kept += uint64(1 if rest > tie or (rest == tie and kept & uint64(1)) else 0)
        elif rest and mode == (4 if negative else 8):
            kept += uint64(1)
        r = float64(kept) * float64(uint64(1) << drop)
    else:
        r = float64(m)
    return -r if negative else r


@jit(uint64(float64, int64, int64, int64))
def _float_to_integer(x: Float, source: Int, kind: Int, rounding: Int) -> Int:
    """Round to an integer (0 nearest even, 4 down, 8 up, 12 toward zero) and clamp to the range of the type."""
    wide = kind == Format.U64 or kind == Format.S64
    if x != x:  # noqa: PLR0124
        if wide:
            return uint64(1) << uint64(63)
        return (
            uint64(0x80008000)
            if source == Format.F64 and kind <= Format.S16
            else uint64(0x80000000 if source == Format.F64 else 0)
        )
    r = integral(x, rounding)
    bits = 64 if wide else (8 if kind <= Format.S8 else (16 if kind <= Format.S16 else 32))
    if kind & 1:
        top = 2.0 ** (bits - 1)
        if r >= top:
            return (uint64(1) << uint64(bits - 1)) - uint64(1)
        return ~uint64(0) << uint64(bits - 1) if r <= -top else uint64(int64(r))
    if r >= 2.0**bits:
        return ~uint64(0) >> uint64(64 - bits)
    return uint64(0) if r <= 0.0 else uint64(r)


@jit(uint32(uint32, int64))
def _fp8_to_f16(byte: Int, kind: Int) -> Int:
    """Widen fp8 to f16; exact."""
    sign = (byte & uint32(0x80)) << uint32(8)
    x = byte & uint32(0x7F)
    if kind == Format.E5M2:
        return uint32(0x7FFF) if x > uint32(0x7C) else sign | x << uint32(8)
    if x == uint32(0x7F):
        return uint32(0x7FFF)
    value = (
        float64(x & uint32(7)) * 2.0**-9
        if x < uint32(8)
        else float64(uint32(8) + (x & uint32(7))) * 2.0 ** float64(int64(x >> uint32(3)) - 10)
    )
    return sign | narrow(value, 0)


@jit(uint32(float64, int64, int64))
def _to_fp8(x: Float, kind: Int, flags: Int) -> Int:
    """Round once to fp8, to nearest even, finite values clamped to the largest (.SATFINITE)."""
    if x != x:  # noqa: PLR0124
        return uint32(0x7F)
    sign = uint32(0x80) if as_u64(x) >> uint64(63) else uint32(0)
    if flags & Flag.RELU and sign:
        return uint32(0)
    wide = kind == Format.E5M2
    fraction, least = (2, -14) if wide else (3, -6)
    y = abs(round_grid(x, fraction, least, 0))
    largest = 57344.0 if wide else 448.0
    y = min(y, largest)
    if y < 2.0**least:
        return sign | uint32(y * 2.0 ** (fraction - least))
    exponent = int64(as_u64(y) >> uint64(52)) - 1023
    part = (as_u64(y) >> uint64(52 - fraction)) & uint64((1 << fraction) - 1)
    return sign | uint32((exponent - least + 1) << fraction) | uint32(part)


@jit(void(WORDS, WORDS, OP, int64, int64, int64, int64))
def _pack_bytes(F: Array, T: Array, op: Record, a: Int, b: Int, c: Int, lane: Int) -> None:
    """Pack two results of eight bits below the lower half of c: from integers, f32, or an f16 pair."""
    source, target = op.variant & 15, op.variant >> 4
    out = F[c + lane] << uint32(16)
    for place in range(2):
        row = a if place or source == Format.F16 else b
        word = F[row + lane] & (op.a_and if place else op.b_and) ^ (op.a_xor if place else op.b_xor)
        if source == Format.S32:
            low, top = (-128, 127) if target == Format.S8 else (0, 255)
            x = int64(word) - (int64(word >> uint32(31)) << 32)
            byte = uint32(min(max(x, low), top) & 255)
        elif source == Format.F16:
            byte = _to_fp8(float64(f16_to_f32(pick(word, 0, place))), target, op.flags)
        elif target == Format.U8 or target == Format.S8:
            byte = uint32(_float_to_integer(float64(as_f32(word)), source, target, op.flags & Flag.ROUND) & uint64(255))
        else:
            byte = _to_fp8(float64(as_f32(word)), target, op.flags)
        out |= byte << uint32(8 * place)
    T[lane] = out


@jit(void(WORDS, WORDS, OP, int64, int64))
def _unpack_bytes(F: Array, T: Array, op: Record, a: Int, lane: Int) -> None:
    """Widen two fp8 bytes to an f16 pair."""
    out = uint32(0)
    for place in range(2):
        byte = (F[a + lane] >> uint32(16 * (op.a_half == 2) + 8 * place)) & uint32(255)
        wide = _fp8_to_f16(byte, op.variant & 15)
        if op.flags & Flag.RELU and wide & uint32(0x8000):
            wide = uint32(0)
        out |= wide << uint32(16 * place)
    T[lane] = out


@jit(uint64(uint32, int64))
def _clamp(word: Int, kind: Int) -> Int:
    """Clamp a signed word (of U16 also an unsigned one's range) to an integer type."""
    bits = 8 if kind <= Format.S8 else 16
    x = int64(word) - (int64(word >> uint32(31)) << 32)
    low, top = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if kind & 1 else (0, (1 << bits) - 1)
    return uint64(min(max(x, low), top))


@jit(uint32(float64, int64))
def _upper_bits(x: Float, target: Int) -> Int:
    """Narrow a NaN of f64: it becomes quiet and keeps the upper bits of its fraction."""
    u = as_u64(quiet(x))
    sign, rest = uint32(u >> uint64(32)) & uint32(0x80000000), u & uint64(0x7FFFFFFFFFFFFFFF)
    if target == Format.F32:
        return sign | uint32(rest >> uint64(29)) & uint32(0x7FFFFFFF) | uint32(0x7F800000)
    if target == Format.BF16:
        return sign >> uint32(16) | uint32(rest >> uint64(45)) & uint32(0x7F) | uint32(0x7F80)
    return sign >> uint32(16) | uint32(rest >> uint64(42)) & uint32(0x3FF) | uint32(0x7C00)


@jit(void(WORDS, WORDS, OP, int64, int64, int64))
def convert(F: Array, T: Array, op: Record, a: Int, b: Int, c: Int) -> None:
    """Execute one conversion."""
    code, flags, part = op.code, op.flags, op.a_half
    source, target = op.variant & 15, op.variant >> 4
    aa, ax, ba, bx = op.a_and, op.a_xor, op.b_and, op.b_xor
    for lane in range(32):
        if code == Convert.F2F:
            x = _read_float(F, a + lane, aa, ax, source, part, flags)
            _write_float(T, lane, x, target, flags)
            if x != x and source == Format.F64 and target != Format.F64:  # noqa: PLR0124
                T[lane] = _upper_bits(x, target)
        elif code == Convert.FRND:
            x = _read_float(F, a + lane, aa, ax, source, part, flags)
            _write_float(T, lane, integral(x, flags & Flag.ROUND) if np.isfinite(x) else x, target, 0)
        elif code == Convert.F2I:
            x = _read_float(F, a + lane, aa, ax, source, part, flags)
            u = _float_to_integer(x, source, target, flags & Flag.ROUND)
            T[lane], T[32 + lane] = uint32(u & _LOW), uint32(u >> uint64(32))
        elif code == Convert.I2F:
            # a negated source (-R) is a two's complement: one was put into aux
            word = (F[a + lane] & aa ^ ax) + uint32(op.aux)
            integer = _read_integer(word, F[a + 32 + lane], source, op.imm)
            x = _integer_to_float(integer, source & 1, flags & Flag.ROUND if target == Format.F64 else 1)
            _write_float(T, lane, x, target, flags)
        elif code == Convert.PACK:
            high = _narrow(_read_float(F, a + lane, aa, ax, source, 0, flags), target, flags)
            if flags & Flag.MERGE:  # one result in the lower half, the upper one from c
                T[lane] = F[c + lane] & uint32(0xFFFF0000) | high
            else:
                low = _narrow(_read_float(F, b + lane, ba, bx, source, 0, flags), target, flags)
                T[lane] = low & uint32(0xFFFFE000) if target == Format.TF32 else high << uint32(16) | low
        elif code == Convert.PACK_INTEGERS:
            T[lane] = uint32(_clamp(F[a + lane], target) & uint64(0xFFFF)) << uint32(16) | uint32(
                _clamp(F[b + lane], target) & uint64(0xFFFF)
            )
        elif code == Convert.I2I:
            T[lane] = uint32(_clamp(F[a + lane], target) & _LOW)
        elif code == Convert.PACK8:
            _pack_bytes(F, T, op, a, b, c, lane)
        else:
            _unpack_bytes(F, T, op, a, lane)
