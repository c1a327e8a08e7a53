"""Conversions between number formats over 32 lanes, each with one rounding."""

from __future__ import annotations

import math
from enum import IntEnum

import numpy as np

from simtc.jit import jit
from simtc.machine.bits import DEFAULT_NAN, as_f32, as_u32, bf16_to_f32, f16_to_f32, flush, round_f32
from simtc.machine.double import read64, write64
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
def _read_float(F, at, keep, flip, kind, part, flags):
    """Read one lane's floating-point operand, exactly."""
    word = F[at] & keep ^ flip
    if kind == Format.F64:
        return read64(F, at, keep, flip)
    if kind == Format.F32:
        x = as_f32(word)
        return float64(flush(x) if flags & Flag.FTZ else x)
    bits = pick(word, part, 0)
    return float64(bf16_to_f32(bits) if kind == Format.BF16 else f16_to_f32(bits))


@jit(void(WORDS, int64, float64, int64, int64))
def _write_float(T, lane, x, kind, flags):
    """Round once and leave the result in the scratch."""
    if kind == Format.F64:
        write64(T, lane, x)
    elif kind == Format.F32:
        r = round_f32(x, flags & Flag.ROUND)
        if flags & Flag.FTZ:
            r = flush(r)
        if flags & Flag.SATURATE:
            r = float32(0.0) if not r > float32(0.0) else min(r, float32(1.0))
        T[lane] = DEFAULT_NAN if r != r else as_u32(r)  # noqa: PLR0124
    elif kind == Format.TF32:
        u = as_u32(round_f32(x, 0))
        T[lane] = DEFAULT_NAN if x != x else (u + uint32(0x1000)) & uint32(0xFFFFE000)  # noqa: PLR0124
    else:
        T[lane] = narrow(x, flags | (Flag.BF16 if kind == Format.BF16 else 0))


@jit(uint64(uint32, uint32, int64, int64))
def _read_integer(low, high, kind, byte):
    """Read one lane's integer, extended to 64 bits by its sign."""
    if kind == Format.U64 or kind == Format.S64:
        return uint64(high) << uint64(32) | uint64(low)
    bits = 8 if kind == Format.U8 or kind == Format.S8 else (16 if kind == Format.U16 or kind == Format.S16 else 32)
    x = (uint64(low) >> uint64(8 * byte)) & ((uint64(1) << uint64(bits)) - uint64(1))
    signed = kind & 1
    if signed and x >> uint64(bits - 1):
        x |= ~uint64(0) << uint64(bits)
    return x


@jit(float64(uint64, int64))
def _integer_to_float(x, signed):
    """Convert to f64; beyond 53 bits what does not fit is kept as a sticky last bit."""
    negative = signed and x >> uint64(63)
    m = uint64(0) - x if negative else x
    if m >> uint64(53):
        sticky = uint64(1) if m & uint64(0x7FF) else uint64(0)
        r = float64(m >> uint64(11) | sticky) * 2048.0
    else:
        r = float64(m)
    return -r if negative else r


@jit(float64(float64, int64))
def _round(x, rounding):
    """Round to an integral value."""
    if rounding == 4:
        return math.floor(x)
    if rounding == 8:
        return math.ceil(x)
    if rounding == 12:
        return math.trunc(x) if abs(x) < 2.0**53 else x
    return np.rint(x)


@jit(uint64(float64, int64, int64))
def _float_to_integer(x, kind, rounding):
    """Round to an integer (0 nearest even, 4 down, 8 up, 12 toward zero) and clamp to the range of the type."""
    wide = kind == Format.U64 or kind == Format.S64
    if x != x:  # noqa: PLR0124
        return uint64(1) << uint64(63) if wide else uint64(0)
    r = _round(x, rounding)
    bits = 64 if wide else (8 if kind <= Format.S8 else (16 if kind <= Format.S16 else 32))
    if kind & 1:
        top = 2.0 ** (bits - 1)
        if r >= top:
            return (uint64(1) << uint64(bits - 1)) - uint64(1)
        return uint64(1) << uint64(63) if r < -(2.0**63) else uint64(int64(max(r, -top)))
    if r >= 2.0**bits:
        return ~uint64(0) >> uint64(64 - bits)
    return uint64(0) if r <= 0.0 else uint64(r)


@jit(uint32(uint32, int64))
def _fp8_to_f16(byte, kind):
    """Widen fp8 to f16; exact."""
    sign = (byte & uint32(0x80)) << uint32(8)
    x = byte & uint32(0x7F)
    if kind == Format.E5M2:
        return uint32(0x7FFF) if x > uint32(0x7C) else sign | x << uint32(8)
    if x == uint32(0x7F):
        return uint32(0x7FFF)
    value = float64(x & uint32(7)) * 2.0**-9 if x < uint32(8) else float64(uint32(8) + (x & uint32(7))) * 2.0 ** float64(int64(x >> uint32(3)) - 10)
    return sign | narrow(value, 0)


@jit(void(WORDS, WORDS, OP, int64, int64, int64, int64))
def _bytes(F, T, op, a, b, c, lane):
    """Pack saturated bytes (I2IP) below the bytes of c, or unpack two fp8 bytes to f16."""
    target = op.variant >> 4
    if op.code == Convert.PACK8:
        low, top = (-128, 127) if target == Format.S8 else (0, 255)
        out = F[c + lane] << uint32(16)
        for place in range(2):
            word = F[(a if place else b) + lane]
            x = int64(word) - (int64(word >> uint32(31)) << 32)
            out |= uint32(min(max(x, low), top) & 255) << uint32(8 * place)
        T[lane] = out
        return
    out = uint32(0)
    for place in range(2):
        byte = (F[a + lane] >> uint32(16 * (op.a_half == 2) + 8 * place)) & uint32(255)
        out |= _fp8_to_f16(byte, op.variant & 15) << uint32(16 * place)
    T[lane] = out


@jit(void(WORDS, WORDS, OP, int64, int64, int64))
def convert(F, T, op, a, b, c):
    """Execute one conversion."""
    code, flags, part = op.code, op.flags, op.a_half
    source, target = op.variant & 15, op.variant >> 4
    aa, ax, ba, bx = op.a_and, op.a_xor, op.b_and, op.b_xor
    for lane in range(32):
        if code == Convert.F2F:
            _write_float(T, lane, _read_float(F, a + lane, aa, ax, source, part, flags), target, flags)
        elif code == Convert.FRND:
            x = _read_float(F, a + lane, aa, ax, source, part, flags)
            _write_float(T, lane, _round(x, flags & Flag.ROUND) if np.isfinite(x) else x, target, 0)
        elif code == Convert.F2I:
            x = _read_float(F, a + lane, aa, ax, source, part, flags)
            u = _float_to_integer(x, target, flags & Flag.ROUND)
            T[lane], T[32 + lane] = uint32(u & _LOW), uint32(u >> uint64(32))
        elif code == Convert.I2F:
            # a negated source (-R) is a two's complement: one was put into aux
            word = (F[a + lane] & aa ^ ax) + uint32(op.aux)
            x = _integer_to_float(_read_integer(word, F[a + 32 + lane], source, op.imm), source & 1)
            _write_float(T, lane, x, target, flags)
        elif code == Convert.PACK:
            high = _read_float(F, a + lane, aa, ax, source, 0, flags)
            low = _read_float(F, b + lane, ba, bx, source, 0, flags)
            kind = flags | (Flag.BF16 if target == Format.BF16 else 0)
            T[lane] = narrow(high, kind) << uint32(16) | narrow(low, kind)
        elif code == Convert.I2I:
            x = int64(_read_integer(F[a + lane], uint32(0), Format.S32, 0))
            low = float64(-(2 ** (7 if target == Format.S8 else 15)) if target & 1 else 0)
            T[lane] = uint32(int64(max(float64(x), low)) & int64(0xFFFFFFFF))
        else:
            _bytes(F, T, op, a, b, c, lane)
