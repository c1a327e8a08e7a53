"""LDGSTS: copies from global to shared memory, which a later group (LDGDEPBAR) waits for."""

from __future__ import annotations

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import WAVEFRONT
from simtc.timing.unit import CLOCK, WARP, Unit, compiled

__all__ = ["TAGS", "UNIT", "grouped_at", "landing", "write_cycles"]

TAGS = 2  # times as many lines as other loads may wait at the tags of L1
_WAVEFRONTS = 2  # written to shared memory in the time that one of a load takes

UNIT = Unit(name="ldgsts", warp=(("copies_done", np.int64),))  # when the warp's copies will have landed


@compiled(float64, CLOCK, int64)
def write_cycles(ck: Arrays, wavefronts: Int) -> Float:
    """Return how long the data stage writes what a copy brings."""
    return wavefronts * WAVEFRONT / ck.chip.shared_memory.data_stage_bytes_per_cycle / _WAVEFRONTS


@compiled(void, WARP, int64)
def landing(warp: Record, at: Int) -> None:
    """Note when a copy lands."""
    warp.copies_done = max(warp.copies_done, at)


@compiled(float64, WARP, float64)
def grouped_at(warp: Record, done: Float) -> Float:
    """Return when the copies before a group, which is there itself by `done`, have landed."""
    return max(done, float64(warp.copies_done))
