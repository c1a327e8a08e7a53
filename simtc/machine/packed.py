"""Bit counting, bit fields, and arithmetic on bytes and halves packed in a word, over 32 lanes."""

from __future__ import annotations

import numpy as np

from simtc.jit import Array, Int, Record, jit
from simtc.machine.micro import Flag, Integer
from simtc.machine.types import OP, WORDS, int64, uint32, uint64, void

__all__ = ["int32_of", "packed"]

_LOW = np.uint64(0xFFFFFFFF)
_ONE = np.uint32(1)


@jit(int64(uint32))
def int32_of(x: Int) -> Int:
    """Sign-extend a word."""
    return int64(x) - (int64(x >> uint32(31)) << int64(32))


@jit(uint32(uint32, uint32))
def _reverse(x: Int, bits: Int) -> Int:
    out = uint32(0)
    for i in range(bits):
        out |= ((x >> uint32(i)) & _ONE) << uint32(bits - uint32(1) - uint32(i))
    return out


@jit(uint32(uint32, int64, int64))
def _leading(x: Int, signed: Int, shift_amount: Int) -> Int:
    """Find the leading one (of a signed value: the leading bit that differs from the sign)."""
    if signed and x >> uint32(31):
        x = ~x
    if x == 0:
        return uint32(0xFFFFFFFF)
    place = uint32(31)
    while not (x >> place) & _ONE:
        place -= _ONE
    return uint32(31) - place if shift_amount else place


@jit(uint32(uint32, uint32, uint32, int64, int64))
def _dot_product(x: Int, y: Int, z: Int, code: Int, variant: Int) -> Int:
    """Sum products of bytes (DP4A) or of halves and bytes (DP2A); variant bits 0, 1: a, b signed; bit 2: high bytes."""
    total = int64(z)
    count = 4 if code == Integer.DP4A else 2
    for i in range(count):
        p_bits = 8 if count == 4 else 16
        p = int64((x >> uint32(p_bits * i)) & uint32((1 << p_bits) - 1))
        q = int64((y >> uint32(8 * (i + (2 if variant & 4 else 0)))) & uint32(255))
        if variant & 1 and p >> (p_bits - 1):
            p -= 1 << p_bits
        if variant & 2 and q >> 7:
            q -= 256
        total += p * q
    return uint32(total & int64(0xFFFFFFFF))


@jit(uint32(uint32, uint32, uint32, OP, uint32, int64))
def _video(x: Int, y: Int, z: Int, op: Record, smaller: Int, bits: Int) -> Int:
    """Execute VIADD.16x2, VIMNMX, VIMNMX3, VIADDMNMX on one number of 16 or 32 bits."""
    keep = uint64((uint64(1) << uint64(bits)) - uint64(1))
    flip = uint64(1) << uint64(bits - 1) if op.flags & Flag.SIGNED else uint64(0)
    p, q, r = uint64(x) & keep, uint64(y) & keep, uint64(z) & keep
    if op.imm & 10:  # the second operand, if negative, is ~y and one to add
        p = (p + q + uint64(op.aux)) & keep
        q = r
    if op.imm & 8:
        return uint32(p)
    if (p ^ flip < q ^ flip) != (smaller != 0):
        p = q
    if op.imm & 4 and (p ^ flip < r ^ flip) != (smaller != 0):
        p = r
    if op.flags & Flag.RELU and flip and p & flip:
        p = uint64(0)
    return uint32(p)


@jit(uint32(uint32, uint32, uint32, int64, int64))
def _byte_differences(x: Int, y: Int, z: Int, signed: Int, accumulate: Int) -> Int:
    """Execute VABSDIFF4: the four differences, or their sum and z."""
    out, total = uint32(0), z
    for i in range(4):
        p, q = int64((x >> uint32(8 * i)) & uint32(255)), int64((y >> uint32(8 * i)) & uint32(255))
        if signed:
            p, q = (p ^ 128) - 128, (q ^ 128) - 128
        d = uint32(abs(p - q))
        out |= d << uint32(8 * i)
        total += d
    return total if accumulate else out


@jit(void(WORDS, WORDS, OP, int64, int64, int64, uint32))
def packed(F: Array, T: Array, op: Record, a: Int, b: Int, c: Int, choose: Int) -> None:
    """Execute bit counting, bit fields, and packed dot products."""
    code, flags, variant, ax = op.code, op.flags, op.variant, op.a_xor
    for lane in range(32):
        x, y, z = F[a + lane] ^ ax, F[b + lane], F[c + lane]
        out = uint32(0)
        if code == Integer.POPC:
            for i in range(32):
                out += (x >> uint32(i)) & _ONE
        elif code == Integer.FLO:
            out = _leading(x, flags & Flag.SIGNED, variant)
        elif code == Integer.BREV:
            out = _reverse(x, uint32(32))
        elif code == Integer.BMSK:
            start, width = (
                (x & uint32(31), y & uint32(31)) if flags & Flag.WRAP else (min(x, uint32(32)), min(y, uint32(32)))
            )
            out = uint32(((uint64(1) << uint64(width)) - uint64(1)) << uint64(start) & _LOW)
        elif code == Integer.SGXT:
            width = uint64(y & uint32(31)) if flags & Flag.WRAP else uint64(min(y, uint32(32)))
            keep = (uint64(1) << width) - uint64(1)
            out = uint32(uint64(x) & keep)
            if flags & Flag.SIGNED and width > 0 and (uint64(x) >> (width - uint64(1))) & uint64(1):
                out |= uint32(~keep & _LOW)
        elif code == Integer.VABSDIFF:
            out = (x - y if x > y else y - x) + z
            if flags & Flag.SIGNED:
                p, q = int32_of(x), int32_of(y)
                out = uint32(p - q if p > q else q - p) + z
        elif code == Integer.VABSDIFF4:
            out = _byte_differences(x, y, z, flags & Flag.SIGNED, variant)
        elif code == Integer.VIDEO:
            smaller = (choose >> uint32(lane)) & _ONE
            y ^= op.b_xor
            if op.imm & 1:
                out = _video(x, y, z, op, smaller, 16)
                out |= _video(x >> uint32(16), y >> uint32(16), z >> uint32(16), op, smaller, 16) << uint32(16)
            else:
                out = _video(x, y, z, op, smaller, 32)
        else:
            out = _dot_product(x, y, z, code, variant)
        T[lane] = out
