"""Fences: MEMBAR waits until L2 says that others see what its warp has stored.

That of a block does not: nothing leaves the SM.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from simtc.jit import Arrays, Int, Record
from simtc.machine.types import int64, void
from simtc.results.stall import Stall
from simtc.timing.unit import CLOCK, WARP, Parameters, Unit, compiled, constant

__all__ = ["UNIT", "Fence", "ask", "holds"]

_LOOKS: Final = 8  # cycles between two looks at stores that have not left: their answers take far longer


@dataclass(frozen=True, slots=True, kw_only=True)
class Fence(Parameters):
    """What a board says of fences: off where nothing is known, and a warp waits for its stores alone."""

    answer_cycles: float = constant("clock.fence.answer_ns")  # of a fence, behind that of the last store
    least_cycles: float = constant("clock.fence.least_ns")  # that a fence takes, whatever its warp has stored


UNIT = Unit(name="fence", parameters=Fence, stalls=(Stall.membar,))


@compiled(int64, CLOCK, WARP, int64, int64)
def holds(ck: Arrays, warp: Record, w: Int, now: Int) -> Int:
    """Tell whether a fence has to wait for its warp's stores: until they have left, or else until L2 has answered."""
    answered = now if ck.chip.fence.answer_cycles > 0 else max(int64(warp.stored), int64(warp.executed))
    if warp.stores > 0 or answered > now:
        ck.until[w] = max(answered, now + _LOOKS)
        return int64(1)
    return int64(0)


@compiled(void, CLOCK, WARP, int64)
def ask(ck: Arrays, warp: Record, now: Int) -> None:
    """Let a warp whose fence has just issued wait until L2 has answered its stores, and then the fence."""
    own = ck.chip.fence
    if own.answer_cycles > 0:
        answered = max(now, int64(warp.stored), int64(warp.executed)) + int64(own.answer_cycles)
        warp.ready_at, warp.after = max(warp.ready_at, answered, now + int64(own.least_cycles)), Stall.membar
