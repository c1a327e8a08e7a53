"""A launch that is to be timed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from simtc.arch import Device
from simtc.machine.arena import Arena
from simtc.machine.lowering import Lowered
from simtc.machine.state import Event, Geometry, Memory, Outcome, State
from simtc.timing.clock import Clock

__all__ = ["ENDLESS", "Request", "limit_reached"]

# Of a part of a launch these may mean that it waits for the other blocks.
ENDLESS = (Outcome.INSTRUCTION_LIMIT, Outcome.LAUNCH_LIMIT, Outcome.DEADLOCK, Outcome.HANGS)


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
    launch_limit: int  # of the blocks under way together
    is_strict: bool = False  # a fixed-latency result that is read early is an error, not a note
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


def limit_reached(request: Request, state: State, clock: Clock) -> int:
    """Return a fault if warps under way have executed more instructions than they may, and say which; or 0."""
    most_of_all = int(state.warps["executed"].max())  # of those that have ended too: in all but endless launches enough
    if most_of_all <= min(request.instruction_limit, request.launch_limit // len(state.warps)):
        return 0
    executed = np.where(clock.warps["resident"], state.warps["executed"], 0)
    most = int(np.argmax(executed))
    if executed[most] <= request.instruction_limit and executed.sum() <= request.launch_limit:
        return 0
    longest = state.warps[most]
    state.event[Event.PC], state.event[Event.WARP] = longest["pc"], longest["index"]
    state.event[Event.BLOCK] = clock.running[longest["block"]]
    return int(Outcome.INSTRUCTION_LIMIT if executed[most] > request.instruction_limit else Outcome.LAUNCH_LIMIT)
