"""A launch that is to be timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from simtc.arch import Device
from simtc.machine.arena import Arena
from simtc.machine.lowering import Lowered
from simtc.machine.state import Geometry, Memory

__all__ = ["Request"]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Request:
    """What both clocks need to know of a launch."""

    lowered: Lowered
    device: Device
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    geometry: np.ndarray  # (Geometry.COUNT,) int64
    literals: np.ndarray  # the shared rows, (rows * 32,) uint32
    memory: Memory
    arena: Arena
    rested: Device  # the same while no tensor instruction executes: its clock may be higher then
    warm: bool  # L2 holds the operands
    instruction_limit: int  # of each warp
    slices: int = 0  # room for the timeline
    progress: Callable[[int, int], None] | None = None  # called with what is done and how much there is
    observe: Callable[[Any], None] | None = None  # called with the clock after every four cycles

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    def traced(self) -> np.ndarray:
        """Return a geometry that makes the machine report what its accesses cost."""
        geometry = self.geometry.copy()
        geometry[Geometry.TRACE] = 1
        return geometry
