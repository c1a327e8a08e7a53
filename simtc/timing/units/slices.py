"""Which slice of L2 has a line.

An SM asks a slice of its own half of L2, which copies what hangs on the other one; atomics go to the half on which the
line hangs. Of the slices of a half, a line has the one whose number is the remainder of the line's: a number whose six
lowest bits are parities of bits of the address, and the others those of the address from 128 KiB on. Eight slices
after each other are behind one stack of memory.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from simtc.jit import Arrays, Int
from simtc.machine.types import int64
from simtc.timing.constants import LINE
from simtc.timing.unit import CLOCK, Parameters, Unit, compiled, constant
from simtc.timing.units.addresses import hashed, parity

__all__ = ["UNIT", "Slices", "are_known", "slice_of", "stack_of"]

_OF_STACK: Final = 8  # slices of a half behind one stack of memory
_BESIDE: Final = 1024  # lines in a row whose numbers differ by parities alone
_NUMBERS: Final = 64  # that these have


@dataclass(frozen=True, slots=True, kw_only=True)
class Slices(Parameters):
    """Bits of addresses, as numbers, whose parities say where a line is; 0 where no one knows."""

    bit_0: float = constant(  # of the address, whose parity is the lowest bit of a line's number
        "clock.slices.bit_0", scales=lambda own, scale: own.bit_0 if scale.share == 1 else 0.0
    )
    bit_1: float = constant("clock.slices.bit_1")  # the same for its second bit
    bit_2: float = constant("clock.slices.bit_2")  # for its third
    bit_3: float = constant("clock.slices.bit_3")  # for its fourth
    bit_4: float = constant("clock.slices.bit_4")  # for its fifth
    bit_5: float = constant("clock.slices.bit_5")  # and for its sixth


UNIT = Unit(name="slices", parameters=Slices)


@compiled(int64, CLOCK)
def are_known(ck: Arrays) -> Int:
    """Tell whether the way from addresses to slices is known: of a board, all of whose SMs are executed."""
    return int64(ck.chip.slices.bit_0 != 0)


@compiled(int64, CLOCK, int64, int64, int64)
def slice_of(ck: Arrays, line: Int, half: Int, slices: Int) -> Int:
    """Return which of so many slices a line has in a half of L2; where that is unknown, one as if by chance of all."""
    if not are_known(ck):
        return hashed(line, 8) % slices
    own, at, of_half = ck.chip.slices, line * LINE, slices // 2
    low = parity(at, int64(own.bit_0)) + 2 * parity(at, int64(own.bit_1)) + 4 * parity(at, int64(own.bit_2))
    high = parity(at, int64(own.bit_3)) + 2 * parity(at, int64(own.bit_4)) + 4 * parity(at, int64(own.bit_5))
    return half * of_half + (_NUMBERS * (line // _BESIDE) + 8 * high + low) % of_half


@compiled(int64, CLOCK, int64, int64)
def stack_of(ck: Arrays, number: Int, slices: Int) -> Int:
    """Return behind which stack one of so many slices of a half is."""
    return number // _OF_STACK if are_known(ck) else number % max(slices // _OF_STACK, 1)
