"""f64 operations over 32 lanes; an operand is two rows, low word first, and signs live in the upper one."""

from __future__ import annotations

from simtc.jit import Array, Float, Int, Record, jit
from simtc.machine.bits import as_f64, as_u64
from simtc.machine.directed import fused
from simtc.machine.micro import Double, Flag
from simtc.machine.types import OP, WORDS, float64, int64, uint32, uint64, void

__all__ = ["double", "quiet", "read64", "write64"]


@jit(float64(WORDS, int64, uint32, uint32))
def read64(F: Array, at: Int, keep: Int, flip: Int) -> Float:
    """Read one lane's f64."""
    return as_f64(uint64(F[at + 32] & keep ^ flip) << uint64(32) | uint64(F[at]))


@jit(void(WORDS, int64, float64))
def write64(T: Array, lane: Int, x: Float) -> None:
    """Leave one lane's f64 in rows 0 and 1 of the scratch."""
    u = as_u64(x)
    T[lane] = uint32(u & uint64(0xFFFFFFFF))
    T[32 + lane] = uint32(u >> uint64(32))


@jit(float64(float64))
def quiet(x: Float) -> Float:
    """Make a NaN quiet; f64 operations hand its other bits on."""
    return as_f64(as_u64(x) | uint64(1) << uint64(51))


@jit(float64(float64, float64, float64))
def _not_a_number(x: Float, y: Float, z: Float) -> Float:
    """Choose a result's NaN: the second operand's, else the third's, else the first's, or make one."""
    if y != y:  # noqa: PLR0124 - the NaN test
        return quiet(y)
    if z != z:  # noqa: PLR0124
        return quiet(z)
    return quiet(x) if x != x else as_f64(uint64(0xFFF8000000000000))  # noqa: PLR0124


@jit(void(WORDS, WORDS, OP, int64, int64, int64))
def double(F: Array, T: Array, op: Record, a: Int, b: Int, c: Int) -> None:
    """Execute one f64 micro-operation."""
    code, mode = op.code, op.flags & Flag.ROUND
    full, none = uint32(0xFFFFFFFF), uint32(0)
    aa, ax, ba, bx, ca, cx = op.a_and, op.a_xor, op.b_and, op.b_xor, op.c_and, op.c_xor
    for lane in range(32):
        x, y, z = read64(F, a + lane, aa, ax), read64(F, b + lane, ba, bx), 0.0
        if code == Double.ADD:
            r = x + y if mode == 0 else fused(x, 1.0, y, mode)
        elif code == Double.MUL:
            # a zero of the product's own sign leaves an exact zero, and every rounding, as they are
            r = x * y if mode == 0 else fused(x, y, as_f64((as_u64(x) ^ as_u64(y)) & uint64(1) << uint64(63)), mode)
        else:
            z = read64(F, c + lane, ca, cx)
            r = fused(x, y, z, mode)
        if r != r:  # noqa: PLR0124 - a NaN operand's sign stays as the register has it
            third = read64(F, c + lane, full, none) if code == Double.FMA else 0.0
            r = _not_a_number(read64(F, a + lane, full, none), read64(F, b + lane, full, none), third)
        write64(T, lane, r)
