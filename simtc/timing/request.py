"""A launch that is to be timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from simtc.arch import Device
from simtc.machine.arena import Arena
from simtc.machine.lowering import Lowered
from simtc.machine.state import Event, Geometry, Memory, Outcome, State

__all__ = ["Request", "limit_reached"]


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

    @property
    def blocks(self) -> int:
        """Blocks of the grid."""
        return self.grid[0] * self.grid[1] * self.grid[2]

    def traced(self) -> np.ndarray:
        """Return a geometry that makes the machine report what its accesses cost."""
        geometry = self.geometry.copy()
        geometry[Geometry.TRACE] = 1
        return geometry


def limit_reached(request: Request, state: State) -> int:
    """Return a fault if a warp has executed more instructions than it may, and say which; or 1."""
    longest = state.warps[int(np.argmax(state.warps["executed"]))]
    if longest["executed"] <= request.instruction_limit:
        return 1
    state.event[Event.PC], state.event[Event.WARP] = longest["pc"], longest["index"]
    x, y, z = (int(state.blocks[longest["block"]][axis]) for axis in "xyz")
    state.event[Event.BLOCK] = x + request.grid[0] * (y + request.grid[1] * z)
    return int(Outcome.INSTRUCTION_LIMIT)
