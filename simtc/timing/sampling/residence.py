"""Which sectors L2 holds when a launch, or a wave of its blocks, begins."""

from __future__ import annotations

import numpy as np

from simtc.arch import Device
from simtc.machine.state import Memory
from simtc.timing.clock import Clock, new_clock_of
from simtc.timing.constants import WAYS
from simtc.timing.setup import lines_of_l2, once_bytes
from simtc.timing.unit import Sizes
from simtc.timing.units.l2_tags import NEVER, STAYS, warm_l2

__all__ = ["forget", "resident"]


def forget(clock: Clock, *, unused: bool) -> None:
    """Make a part of L2 lose what it holds, or only what was put there and has not been used."""
    lost = clock.l2_used == STAYS if unused else slice(None)
    clock.l2_tags[lost] = 0
    clock.l2_dirty[lost] = 0
    clock.l2_ready.reshape(-1, 4)[lost] = NEVER


def resident(device: Device, memory: Memory) -> np.ndarray:
    """Return the sectors that a board's L2 holds after the operands have passed through it, the next to leave first."""
    lines = lines_of_l2(device, int(once_bytes(device)))
    whole = new_clock_of(
        Sizes(sms=1, slots=1, warps=1, sub_cores=1, instructions=1, blocks=1, l1_lines=1, l2_lines=lines)
    )
    whole.chip["l2_tags"]["l2_sets"], whole.chip["dram"]["dram_measured_bytes_per_cycle"] = lines // WAYS, 1.0
    bundled = whole.bundled
    for start, end in zip(memory.starts, memory.ends, strict=True):
        warm_l2(bundled, int(start) >> 5, (int(end) + 31) >> 5)
    order = np.argsort(whole.l2_used)
    sectors, ready = 4 * (whole.l2_tags[order, None] - 1) + np.arange(4), whole.l2_ready.reshape(-1, 4)[order]
    found: np.ndarray = sectors[(ready < NEVER) & (sectors >= 0)]
    return found
