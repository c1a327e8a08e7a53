"""f64 operations over 32 lanes; an operand is two rows, low word first, and signs live in the upper one."""

from __future__ import annotations


from simtc.jit import jit
from simtc.machine.bits import as_f64, as_u64, fma64
from simtc.machine.micro import Double
from simtc.machine.types import OP, WORDS, float64, int64, uint32, uint64, void

__all__ = ["double", "read64", "write64"]



@jit(float64(WORDS, int64, uint32, uint32))
def read64(F, at, keep, flip):
    """Read one lane's f64."""
    return as_f64(uint64(F[at + 32] & keep ^ flip) << uint64(32) | uint64(F[at]))


@jit(void(WORDS, int64, float64))
def write64(T, lane, x):
    """Leave one lane's f64 in rows 0 and 1 of the scratch."""
    u = as_u64(x)
    T[lane] = uint32(u & uint64(0xFFFFFFFF))
    T[32 + lane] = uint32(u >> uint64(32))


@jit(void(WORDS, WORDS, OP, int64, int64, int64, uint32))
def double(F, T, op, a, b, c, choose):
    """Execute one f64 micro-operation."""
    code = op.code
    aa, ax, ba, bx, ca, cx = op.a_and, op.a_xor, op.b_and, op.b_xor, op.c_and, op.c_xor
    for lane in range(32):
        x, y = read64(F, a + lane, aa, ax), read64(F, b + lane, ba, bx)
        if code == Double.ADD:
            r = x + y
        elif code == Double.MUL:
            r = x * y
        elif code == Double.FMA:
            r = fma64(x, y, read64(F, c + lane, ca, cx))
        else:
            smaller = (choose >> uint32(lane)) & uint32(1)
            if x != x or y != y:  # noqa: PLR0124
                r = y if x != x else x  # noqa: PLR0124
            else:
                r = x if (x < y) == (smaller != 0) else y
        write64(T, lane, r)
