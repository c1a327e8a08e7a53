"""What a compiled driver reports as a number, as the sentence a user reads."""

from __future__ import annotations

import numpy as np

from simtc.errors import KernelFaultError
from simtc.isa import Kernel
from simtc.machine.arena import Arena
from simtc.machine.state import Event, Outcome, State

__all__ = ["UNTOUCHED", "fault_error", "instruction_text", "lanes_text"]

UNTOUCHED = "No array was written: all are as they were before the launch"

_WHAT = {
    Outcome.OUT_OF_BOUNDS: "out-of-bounds global access",
    Outcome.MISALIGNED: "misaligned access",
    Outcome.SHARED_OUT_OF_BOUNDS: "out-of-bounds shared memory access",
    Outcome.SHARED_MISALIGNED: "misaligned shared memory access",
    Outcome.LOCAL_OUT_OF_BOUNDS: "out-of-bounds local memory access",
    Outcome.CONSTANT_OUT_OF_BOUNDS: "out-of-bounds constant bank access",
    Outcome.BAD_BRANCH: "branch to an address outside the kernel",
    Outcome.TRAPPED: "trap",
    Outcome.OUTSIDE_CALL: "call of a function outside the kernel (printf, assert, malloc or a function pointer)",
    Outcome.DEADLOCK: "a barrier that can never complete",
    Outcome.HANGS: "a wait for a scoreboard that nothing brings down",
    Outcome.INSTRUCTION_LIMIT: "instruction limit reached",
    Outcome.LAUNCH_LIMIT: "instruction limit of the launch reached by blocks that have not ended",
}
_ADDRESSED = (Outcome.OUT_OF_BOUNDS, Outcome.MISALIGNED)
_PLACED = (
    Outcome.SHARED_OUT_OF_BOUNDS,
    Outcome.SHARED_MISALIGNED,
    Outcome.LOCAL_OUT_OF_BOUNDS,
    Outcome.CONSTANT_OUT_OF_BOUNDS,
    Outcome.BAD_BRANCH,
)


def fault_error(
    outcome: int, kernel: Kernel, state: State, arena: Arena, grid: tuple[int, int, int]
) -> KernelFaultError:
    """Build the error for a fault: kernel, instruction, source line, block, warp, lane, address.

    Args:
        outcome: a negative Outcome.
        kernel: what ran.
        state: whose event array holds the details.
        arena: to say where an address lies.
        grid: the launch's grid, to name the block.

    """
    event = state.event
    what = Outcome(outcome)
    place = int(event[Event.PC])
    number = int(event[Event.BLOCK])
    block = (number % grid[0], number // grid[0] % grid[1], number // (grid[0] * grid[1]))
    where = f"{kernel.name} at {instruction_text(kernel, place)}, block {block}, warp {int(event[Event.WARP])}"
    found = _particulars(what, event, arena)
    return KernelFaultError(f"{_WHAT[what]}: {where}{found}. {UNTOUCHED}")


def instruction_text(kernel: Kernel, place: int) -> str:
    """Write an instruction's address, its text, and its source line if that is known."""
    if place >= len(kernel.instructions):
        return "the end"
    one = kernel.instructions[place]
    line = f" ({one.source[0]}:{one.source[1]})" if one.source else ""
    return f"{one.address:#06x} {one.text or one.mnemonic}{line}"


def _particulars(what: Outcome, event: np.ndarray, arena: Arena) -> str:
    """Say which lanes, which address or register, and what to do."""
    lane, address = f", lane {int(event[Event.LANE])}", int(event[Event.ADDRESS])
    if what in _ADDRESSED:
        return f"{lane}, address {address:#x}: {arena.describe(address)}"
    if what in _PLACED:
        return f"{lane}, address {address:#x}"
    if what is Outcome.DEADLOCK:
        return f", lanes {lanes_text(int(event[Event.MASK]))} wait there"
    if what is Outcome.INSTRUCTION_LIMIT:
        return "; if it does end, raise the limit with --max-instructions (instruction_limit=)"
    if what is Outcome.LAUNCH_LIMIT:
        return "; if they do end, raise the limit with --max-launch-instructions (launch_limit=)"
    return ""


def lanes_text(mask: int) -> str:
    """Write a lane mask as ranges.

    Example:
        >>> lanes_text(0b1011)
        '0-1 3'

    """
    runs: list[list[int]] = []
    for lane in (lane for lane in range(32) if mask >> lane & 1):
        if runs and lane == runs[-1][-1] + 1:
            runs[-1].append(lane)
        else:
            runs.append([lane])
    return " ".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else f"{run[0]}" for run in runs)
