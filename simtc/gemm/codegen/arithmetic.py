"""Numbers made of a thread's number: sums over its bits, quotients, and divisions without a rest."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from simtc.gemm.codegen.assembly import Code

__all__ = ["divide", "divide_whole", "linear"]

_SHIFT = 20  # of the reciprocal by which a thread's number is divided
_THREADS = 1024


def linear(
    code: Code, into: int, thread: int, work: int, weights: Mapping[int, int], *, start: str = "RZ", xor: bool = False
) -> None:
    """Compute `start` plus (xor: exclusive or) the weights of the bits that are set in the thread's number.

    Neighbouring bits whose weights double are one field: shift, mask, multiply.
    """
    bits = sorted(bit for bit, weight in weights.items() if weight)
    ratio = {bit: weights[bit] / (1 << bit) for bit in bits}
    fields = [list(run) for _, run in groupby(bits, key=lambda bit: (ratio[bit], bit - bits.index(bit)))]
    total = start
    for run in fields:
        field = thread
        if run[0]:
            code.add(f"SHF.R.U32.HI R{work}, RZ, {run[0]:#x}, R{thread}")
            field = work
        code.add(f"LOP3.LUT R{work}, R{field}, {(1 << len(run)) - 1:#x}, RZ, 0xc0, !PT")
        if xor and total != "RZ":
            code.add(f"IMAD R{work}, R{work}, {weights[run[0]]:#x}, RZ")
            code.add(f"LOP3.LUT R{into}, R{into}, R{work}, RZ, 0x3c, !PT")
        else:
            code.add(f"IMAD R{into}, R{work}, {weights[run[0]]:#x}, {total}")
        total = f"R{into}"
    if not fields and start != f"R{into}":
        code.add(f"MOV R{into}, {start}")


def divide(code: Code, into: int, thread: int, divisor: int, *, rest: int | None = None) -> None:
    """Divide a thread's number, which is below 1024, by a constant up to it; `rest` is the register of the rest.

    A power of two is a shift. Any other divisor is multiplied by: by its reciprocal with 20 bits, which is too large by
    so little that no quotient of so small a number comes out wrong.

    Example:
        >>> code = Code(75)
        >>> divide(code, 1, 0, 96)
        >>> [line.text for line in code.lines]
        ['IMAD R1, R0, 0x2aab, RZ', 'SHF.R.U32.HI R1, RZ, 0x14, R1']
        >>> all(x * 0x2AAB >> 20 == x // 96 for x in range(1024))
        True

    """
    if not 1 <= divisor <= _THREADS:
        raise ValueError(f"a thread's number divided by {divisor}")
    if divisor & divisor - 1:
        code.add(f"IMAD R{into}, R{thread}, {-(-(1 << _SHIFT) // divisor):#x}, RZ")
        code.add(f"SHF.R.U32.HI R{into}, RZ, {_SHIFT:#x}, R{into}")
    else:
        code.add(f"SHF.R.U32.HI R{into}, RZ, {divisor.bit_length() - 1:#x}, R{thread}")
    if rest is not None:
        code.add(f"IMAD R{rest}, R{into}, {-divisor & 0xFFFFFFFF:#x}, R{thread}")


def divide_whole(code: Code, into: int, number: int, divisor: int) -> None:
    """Divide a multiple of a constant by it: a shift, and a product with the odd part's inverse modulo 2^32.

    Example:
        >>> code = Code(75)
        >>> divide_whole(code, 1, 0, 48)
        >>> [line.text for line in code.lines]
        ['SHF.R.U32.HI R1, RZ, 0x4, R0', 'IMAD R1, R1, 0xaaaaaaab, RZ']
        >>> ((7 * 48 >> 4) * 0xAAAAAAAB) % 2**32
        7

    """
    twos = (divisor & -divisor).bit_length() - 1
    code.add(f"SHF.R.U32.HI R{into}, RZ, {twos:#x}, R{number}")
    if divisor >> twos != 1:
        code.add(f"IMAD R{into}, R{into}, {pow(divisor >> twos, -1, 1 << 32):#x}, RZ")
