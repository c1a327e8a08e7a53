"""Packed f16 and bf16 operations over 32 lanes: two results a word, each rounded once."""

from __future__ import annotations

import numpy as np

from simtc.jit import Array, Float, Int, Record, jit
from simtc.machine.bits import (
    DEFAULT_NAN,
    as_f32,
    as_u32,
    bf16_to_f32,
    f16_to_f32,
    f32_to_bf16,
    f32_to_f16,
    odd_sum,
    round_f32,
    round_grid,
)
from simtc.machine.micro import Flag, Half
from simtc.machine.single import compare, maximum, transcendental
from simtc.machine.types import OP, WORDS, float32, float64, int64, uint32, void

__all__ = ["half", "narrow", "pick", "widen"]

_ONE = np.uint32(1)


@jit(uint32(uint32, int64, int64))
def pick(word: Int, how: Int, place: Int) -> Int:
    """Select the half that feeds result half `place`: 0 its own, 1 the low one, 2 the high one, 4 the other one."""
    high = how == 2 or (how == 0 and place == 1) or (how == 4 and place == 0)
    return word >> uint32(16) if high else word & uint32(0xFFFF)


@jit(float32(uint32, int64))
def widen(bits: Int, flags: Int) -> Float:
    """Widen one f16 (bf16 under Flag.BF16)."""
    x = bf16_to_f32(bits) if flags & Flag.BF16 else f16_to_f32(bits & uint32(0xFFFF))
    if flags & Flag.FTZ and abs(x) < (float32(2.0**-126) if flags & Flag.BF16 else float32(2.0**-14)):
        return x * float32(0.0)
    return x


@jit(uint32(float64, int64))
def narrow(x: Float, flags: Int) -> Int:
    """Round f64 (exact, or rounded to odd) once to f16 or bf16, to nearest even; .FTZ as in round_flush."""
    if flags & Flag.FTZ:
        fraction, least = (7, 2.0**-126) if flags & Flag.BF16 else (10, 2.0**-14)
        if abs(x) < least and abs(round_grid(x, fraction, -1000, 0)) < least:
            x *= 0.0
    y = round_f32(x, 12)  # toward zero, then odd: what was cut off survives in the last bit
    if np.isfinite(x) and float64(y) != x:
        y = as_f32(as_u32(y) | _ONE)
    if flags & Flag.SATURATE:
        y = float32(0.0) if not y > float32(0.0) else min(y, float32(1.0))
    if flags & Flag.RELU and y <= float32(0.0):
        y = float32(0.0)
    return f32_to_bf16(y) if flags & Flag.BF16 else f32_to_f16(y)


@jit(uint32(uint32, uint32, uint32, int64))
def _product_sign(bits: Int, x: Int, y: Int, flags: Int) -> Int:
    """Give a minimum or maximum of magnitudes the sign of the operands' product (.XORSIGN)."""
    if not flags & Flag.XOR_SIGN or bits == uint32(0x7FFF):
        return bits
    return bits & uint32(0x7FFF) | (x ^ y) & uint32(0x8000)


@jit(float64(float64, float64, float64, int64, int64, int64))
def _evaluate(x: Float, y: Float, z: Float, code: Int, flags: Int, smaller: Int) -> Float:
    """Compute one exact (or odd-rounded) result."""
    if code == Half.ADD:
        return odd_sum(x, y)
    if code == Half.MUL:
        return x * y
    if code == Half.FMA:
        return odd_sum(x * y, z)
    two = maximum(float32(x), float32(y), smaller, flags)
    return float64(maximum(two, float32(z), smaller, flags) if code == Half.MIN_MAX_3 else two)


@jit(void(WORDS, WORDS, OP, int64, int64, int64, uint32))
def half(F: Array, T: Array, op: Record, a: Int, b: Int, c: Int, choose: Int) -> None:
    """Execute one packed micro-operation; variant 1 of ADD, MUL and FMA gives one f32."""
    code, flags, variant = op.code, op.flags, op.variant
    aa, ax, ba, bx, ca, cx = op.a_and, op.a_xor, op.b_and, op.b_xor, op.c_and, op.c_xor
    ah, bh, ch = op.a_half, op.b_half, op.c_half
    if code == Half.MUFU:
        for lane in range(32):
            # the chip's f32 result, cut off
            x = float64(float32(transcendental(float64(widen(pick(F[a + lane] & aa ^ ax, ah, 0), flags)), variant)))
            T[lane] = narrow(round_grid(x, 7, -126, 12) if flags & Flag.BF16 else round_grid(x, 10, -14, 12), flags)
        return
    for lane in range(32):
        wa, wb, wc = F[a + lane] & aa ^ ax, F[b + lane] & ba ^ bx, F[c + lane] & ca ^ cx
        smaller = int64((choose >> uint32(lane)) & _ONE)
        out = uint32(0)
        for place in range(2):
            x = float64(as_f32(wa)) if ah == 3 else float64(widen(pick(wa, ah, place), flags))
            y = float64(as_f32(wb)) if bh == 3 else float64(widen(pick(wb, bh, place), flags))
            z = float64(as_f32(wc)) if ch == 3 else float64(widen(pick(wc, ch, place), flags))
            if code == Half.SET:
                hold = compare(x, y, variant) and smaller
                one = uint32(0x3F80) if flags & Flag.BF16 else uint32(0x3C00)
                bits = (one if op.imm else uint32(0xFFFF)) if hold else uint32(0)
            elif variant == 1:
                r = round_f32(_evaluate(x, y, z, code, flags, smaller), 0)
                out = DEFAULT_NAN if r != r else as_u32(r)  # noqa: PLR0124
                break
            else:
                bits = narrow(_evaluate(x, y, z, code, flags, smaller), flags)
                bits = _product_sign(bits, pick(F[a + lane], ah, place), pick(F[b + lane], bh, place), flags)
            out |= bits << uint32(16 * place)
        T[lane] = out
