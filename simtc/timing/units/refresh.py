"""Refresh of DRAM: a bank of every channel at a time, and what asks it waits until that is over.

So lines that lie beside each other wait together, or none does; of lines far apart some wait nearly always. Which bank
a line is in, parities say of the number that it has in its slice, and of which half of 128 KiB it lies in. When it is
refreshed beside a launch is chance: here banks, or rows where no one knows banks, meet that evenly spread as they come.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int
from simtc.machine.types import float64, int64
from simtc.timing.constants import LINE
from simtc.timing.unit import CLOCK, FLOAT, INT, Cells, Parameters, Unit, compiled, constant
from simtc.timing.units.addresses import parity
from simtc.timing.units.slices import in_slice

__all__ = ["UNIT", "Refresh", "met_by_row", "over"]

_BANKS: Final = 16
_BLOCK: Final = 64 << 10  # bytes
_EVEN: Final = 0.6180339887498949  # of which all multiples lie evenly between 0 and 1, but for whole numbers
_STATE = np.dtype([("opened", FLOAT)])  # rows, or banks that were asked
_SCHEDULE = np.dtype([("known", INT), ("before", FLOAT)])  # 1 once asked; what of a period had gone by at cycle 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Refresh(Parameters):
    """What a board says of it."""

    dram_refresh_period_cycles: float = constant("dram_refresh_period_cycles")
    dram_refresh_cycles: float = constant("dram_refresh_cycles")
    bit_0: float = constant("clock.refresh.bit_0")  # of a line's number in its slice: bits whose parity is, of its
    bit_1: float = constant("clock.refresh.bit_1")  # bank's, the lowest bit, the second
    bit_2: float = constant("clock.refresh.bit_2")  # the third
    bit_3: float = constant("clock.refresh.bit_3")  # and the fourth; 0 where no one knows


UNIT = Unit(
    name="refresh",
    parameters=Refresh,
    chip={"refresh": Cells(of=_STATE), "refresh_banks": Cells(of=_SCHEDULE, shape=lambda _: (2 * _BANKS,))},
)


@compiled(float64, CLOCK, float64)
def met_by_row(ck: Arrays, t: Float) -> Float:
    """Return when a bank has been refreshed that is to open a row at t; 0 where it meets none, or turns are known."""
    own = ck.chip.refresh
    if own.dram_refresh_cycles == 0 or own.bit_0 > 0:
        return 0.0
    ck.refresh.opened += 1.0
    left = own.dram_refresh_cycles - ck.refresh.opened * _EVEN % 1.0 * own.dram_refresh_period_cycles
    return t + left if left > 0 else 0.0


@compiled(int64, CLOCK, int64)
def _bank(ck: Arrays, line: Int) -> Int:
    """Return in which bank of which half a line is."""
    own, number = ck.chip.refresh, 2 * in_slice(ck, line) + (line * LINE // _BLOCK & 1)
    low = parity(number, int64(own.bit_0)) + 2 * parity(number, int64(own.bit_1))
    high = parity(number, int64(own.bit_2)) + 2 * parity(number, int64(own.bit_3))
    return _BANKS * parity(line, int64(ck.chip.dram.half_bits)) + 4 * high + low


@compiled(float64, CLOCK, int64, float64)
def over(ck: Arrays, line: Int, t: Float) -> Float:
    """Return when a line's bank, which is asked at t, is not being refreshed: t where no one knows its bank."""
    own = ck.chip.refresh
    if own.bit_0 == 0:
        return t
    one, period = ck.refresh_banks[_bank(ck, line)], own.dram_refresh_period_cycles
    if not one.known:
        ck.refresh.opened += 1.0
        one.known, one.before = 1, ck.refresh.opened * _EVEN % 1.0 * period - t
    return t + max(own.dram_refresh_cycles - (t + one.before) % period, 0.0)
