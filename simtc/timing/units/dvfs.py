"""DVFS: the SMs' clock falls when a tensor instruction has issued, and rises when none has for a while."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simtc.jit import Arrays, Int
from simtc.machine.types import int64, void
from simtc.timing.unit import CLOCK, Cells, Parameters, Unit, compiled, constant

__all__ = ["UNIT", "Dvfs", "note_tensor", "set_pace"]

_PACE = np.dtype(
    [
        ("last_tensor", np.int64),  # when a tensor instruction issued last, UNUSED before
        ("slow", np.int64),  # 1 while the clock is low for them
        ("fast_cycles", np.int64),  # for which it was high between two of them
        ("falls", np.int64),  # how often it fell
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dvfs(Parameters):
    """What a board says of its clock."""

    tensor_hold_cycles: float = constant("tensor_hold_cycles")


UNIT = Unit(name="dvfs", parameters=Dvfs, chip={"pace": Cells(of=_PACE)})


@compiled(void, CLOCK, int64)
def note_tensor(ck: Arrays, now: Int) -> None:
    """Note that a tensor instruction issues: after a pause the clock falls anew."""
    pace = ck.pace
    pause = now - pace.last_tensor - int64(ck.chip.dvfs.tensor_hold_cycles)
    if pace.last_tensor < 0 or pause > 0:
        pace.falls += 1
        pace.fast_cycles += pause if pace.last_tensor >= 0 else 0
    pace.last_tensor = max(pace.last_tensor, now)


@compiled(void, CLOCK, int64)
def set_pace(ck: Arrays, now: Int) -> None:
    """Set the clock for the cycles from now on; it is taken to be low before the first tensor instruction, too.

    Everything is counted in cycles of that clock: what passes in L2 and DRAM then takes other numbers of them.
    """
    pace = ck.pace
    slow = int64(pace.last_tensor < 0 or now - pace.last_tensor <= ck.chip.dvfs.tensor_hold_cycles)
    if slow == pace.slow:
        return
    for i in range(ck.chip_rises.size):
        ck.chip_values[i] *= 1.0 / ck.chip_rises[i] if slow else ck.chip_rises[i]
    pace.slow = slow
