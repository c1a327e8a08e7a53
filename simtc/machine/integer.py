"""Integer, logic, shift and move operations over 32 lanes.

Each loop reads source rows `a`, `b`, `c` of the register file `F` and leaves its result in the rows of the scratch `T`
(row 0, and row 1 for 64-bit results; rows 2 and 3 receive carries as 0 or 1 a lane). The step commits them.
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Array, Int, Record, jit
from simtc.machine.micro import Flag, Integer
from simtc.machine.packed import int32_of, packed
from simtc.machine.types import OP, WORDS, int64, uint32, uint64, void

__all__ = ["integer"]

_LOW = np.uint64(0xFFFFFFFF)
_ONE = np.uint32(1)


@jit(uint32(int64, int64))
def _minterm(lut: Int, k: Int) -> Int:
    return uint32(0xFFFFFFFF) if (lut >> k) & 1 else uint32(0)


@jit(void(WORDS, WORDS, OP, int64, int64, int64, uint32))
def _mad_wide(F: Array, T: Array, op: Record, a: Int, b: Int, c: Int, carry: Int) -> None:
    """Multiply to 64 bits and add the 64-bit c; HI keeps the upper word."""
    signed = op.flags & Flag.SIGNED
    wide = op.code == Integer.MAD_WIDE
    negate = op.flags & Flag.NEGATE_PRODUCT
    cx, imm = op.c_xor, uint64(op.imm)
    carry_out = op.flags & Flag.CARRY_OUT
    for lane in range(32):
        x, y = uint64(F[a + lane]), uint64(F[b + lane])
        p = x * y
        if signed:
            p -= (y << uint64(32)) if x >> uint64(31) else uint64(0)
            p -= (x << uint64(32)) if y >> uint64(31) else uint64(0)
        if negate:
            p = uint64(0) - p
        z = uint64(F[c + lane] ^ cx) | uint64(F[c + 32 + lane] ^ cx) << uint64(32)
        if not wide:
            z = uint64(F[c + lane] ^ cx) << uint64(32) if op.flags & Flag.EXTENDED else z
        s = p + z + imm
        s += uint64((carry >> uint32(lane)) & _ONE) << (uint64(0) if wide else uint64(32))
        if carry_out:
            T[64 + lane] = uint32(s < p)
        T[lane] = uint32(s & _LOW) if wide else uint32(s >> uint64(32))
        T[32 + lane] = uint32(s >> uint64(32))


@jit(void(WORDS, WORDS, OP, int64, int64, int64))
def _shift(F: Array, T: Array, op: Record, a: Int, b: Int, c: Int) -> None:
    """Funnel shift of (c, a) by b; variant is the width the operand is seen as: 32, 64 (U64), 33 (S32), 65 (S64)."""
    left, high, wrap = op.flags & Flag.LEFT, op.flags & Flag.HIGH, op.flags & Flag.WRAP
    variant = op.variant
    limit = uint64(32) if variant == 32 or variant == 33 else uint64(64)
    for lane in range(32):
        n = uint64(F[b + lane])
        n = n & (limit - uint64(1)) if wrap else min(n, limit)
        low, top = uint64(F[a + lane]), uint64(F[c + lane])
        both = top << uint64(32) | low
        if left:
            x = both << n if n < uint64(64) else uint64(0)
            out = x >> uint64(32) if high else x
        elif variant == 33 and high:  # arithmetic shift of the upper word alone
            n32 = min(n, uint64(31))
            out = uint64(int64(int32_of(uint32(top))) >> int64(n32))
        elif variant == 32 and high:
            out = top >> n if n < uint64(32) else uint64(0)
        elif variant == 65:
            n64 = min(n, uint64(63))
            x = uint64(int64(both) >> int64(n64))
            out = x >> uint64(32) if high else x
        else:
            x = both >> n if n < uint64(64) else uint64(0)
            out = x >> uint64(32) if high else x
        T[lane] = uint32(out & _LOW)


@jit(void(WORDS, WORDS, OP, int64, int64, int64, uint32))
def _lea(F: Array, T: Array, op: Record, a: Int, b: Int, c: Int, carry: Int) -> None:
    """Add b to (c, a) shifted left by imm; HI takes the upper word of the shifted pair."""
    flags, shift = op.flags, uint64(op.imm)
    ax, bx, cx = op.a_xor, op.b_xor, op.c_xor
    one = uint64(op.aux)  # 1 where a or b is negated
    sign_extend = flags & Flag.SIGNED
    for lane in range(32):
        low = uint64(F[a + lane])
        x = (low << shift) & _LOW
        if flags & Flag.HIGH:
            top = uint64(F[c + lane] ^ cx)
            if sign_extend:
                top = _LOW if low >> uint64(31) else uint64(0)
            x = ((top << uint64(32) | low) >> (uint64(32) - shift)) & _LOW
        x = x ^ uint64(ax)
        s = x + uint64(F[b + lane] ^ bx) + one + uint64((carry >> uint32(lane)) & _ONE)
        T[lane] = uint32(s & _LOW)
        T[64 + lane] = uint32(s >> uint64(32) != 0)


@jit(void(WORDS, WORDS, int64, int64, int64, int64))
def _permute(F: Array, T: Array, mode: Int, a: Int, b: Int, c: Int) -> None:
    """Pick four bytes of (c, a) by the nibbles of b; bit 3 of a nibble replicates that byte's sign."""
    for lane in range(32):
        both = uint64(F[c + lane]) << uint64(32) | uint64(F[a + lane])
        s = uint64(F[b + lane])
        out = uint64(0)
        for i in range(4):
            n = (s >> uint64(4 * i)) & uint64(15)
            if mode == 1:  # F4E: four bytes forward from s
                n = ((s & uint64(3)) + uint64(i)) & uint64(7)
            elif mode == 2:  # B4E: four bytes backward
                n = ((s & uint64(3)) - uint64(i)) & uint64(7)
            elif mode == 3:  # RC8: one byte everywhere
                n = s & uint64(3)
            elif mode == 4:  # ECL: edge clamp left
                n = max(s & uint64(3), uint64(i))
            elif mode == 5:  # ECR: edge clamp right
                n = min(s & uint64(3), uint64(i))
            elif mode == 6:  # RC16: one half everywhere
                n = (s & uint64(1)) * uint64(2) + uint64(i & 1)
            byte = (both >> (uint64(8) * (n & uint64(7)))) & uint64(255)
            if mode == 0 and n & uint64(8):
                byte = uint64(255) if byte & uint64(128) else uint64(0)
            out |= byte << uint64(8 * i)
        T[lane] = uint32(out)


@jit(void(WORDS, WORDS, OP, int64, int64, int64, uint32, uint32))
def integer(F: Array, T: Array, op: Record, a: Int, b: Int, c: Int, carry: Int, carry2: Int) -> None:
    """Execute one integer micro-operation; `carry` and `carry2` are the lane masks of its source predicates."""
    code = op.code
    aa, ax, ba, bx, cx = op.a_and, op.a_xor, op.b_and, op.b_xor, op.c_xor
    imm, flags, variant = op.imm, op.flags, op.variant
    if code == Integer.MOV:
        for lane in range(32):
            T[lane] = F[a + lane] & aa ^ ax
    elif code == Integer.ADD3:
        # imm counts the negated operands: -x is ~x + 1, and the ones join the sum so that carries come out right
        for lane in range(32):
            x = uint64(F[a + lane] ^ ax) + uint64(F[b + lane] ^ bx) + uint64(F[c + lane] ^ cx) + uint64(imm)
            x += uint64((carry >> uint32(lane)) & _ONE) + uint64((carry2 >> uint32(lane)) & _ONE)
            T[lane] = uint32(x & _LOW)
            T[64 + lane] = uint32(x >> uint64(32) >= uint64(1))
            T[96 + lane] = uint32(x >> uint64(32) >= uint64(2))
    elif code == Integer.MAD:
        factor = uint32(0xFFFFFFFF) if flags & Flag.NEGATE_PRODUCT else _ONE
        for lane in range(32):
            x = F[a + lane] * F[b + lane] * factor + (F[c + lane] ^ cx) + uint32(imm)
            T[lane] = x + ((carry >> uint32(lane)) & _ONE)
    elif code == Integer.MAD_WIDE or code == Integer.MAD_HI:
        _mad_wide(F, T, op, a, b, c, carry)
    elif code == Integer.LOP3:
        k0, k1, k2, k3 = _minterm(imm, 0), _minterm(imm, 1), _minterm(imm, 2), _minterm(imm, 3)
        k4, k5, k6, k7 = _minterm(imm, 4), _minterm(imm, 5), _minterm(imm, 6), _minterm(imm, 7)
        for lane in range(32):
            x, y, z = F[a + lane] ^ ax, F[b + lane] ^ bx, F[c + lane] ^ cx
            low = ~x & (~y & (~z & k0 | z & k1) | y & (~z & k2 | z & k3))
            T[lane] = low | x & (~y & (~z & k4 | z & k5) | y & (~z & k6 | z & k7))
    elif code == Integer.SHF:
        _shift(F, T, op, a, b, c)
    elif code == Integer.LEA:
        _lea(F, T, op, a, b, c, carry)
    elif code == Integer.PRMT:
        _permute(F, T, variant, a, b, c)
    elif code == Integer.MIN_MAX:
        # source predicate true: minimum
        flip = uint32(0x80000000) if flags & Flag.SIGNED else uint32(0)
        for lane in range(32):
            x, y = F[a + lane], F[b + lane]
            take_x = ((x ^ flip) < (y ^ flip)) == (((carry >> uint32(lane)) & _ONE) != 0)
            T[lane] = x if take_x else y
    elif code == Integer.SEL:
        for lane in range(32):
            T[lane] = (F[a + lane] & aa ^ ax) if (carry >> uint32(lane)) & _ONE else (F[b + lane] & ba ^ bx)
    elif code == Integer.ABS:
        for lane in range(32):
            x = F[a + lane]
            T[lane] = uint32(0) - x if x >> uint32(31) else x
    else:
        packed(F, T, op, a, b, c, carry)
