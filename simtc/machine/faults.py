"""What a compiled driver reports as a number, as the sentence a user reads."""

from __future__ import annotations

from simtc.errors import KernelFaultError
from simtc.isa import Kernel
from simtc.machine.arena import Arena
from simtc.machine.state import Event, Outcome, State

__all__ = ["fault_error"]

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
    Outcome.INSTRUCTION_LIMIT: "instruction limit reached",
}
_ADDRESSED = (Outcome.OUT_OF_BOUNDS, Outcome.MISALIGNED)


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
    instruction = kernel.instructions[place] if place < len(kernel.instructions) else None
    text = f"{instruction.address:#06x} {instruction.text or instruction.mnemonic}" if instruction else "the end"
    line = f" ({instruction.source[0]}:{instruction.source[1]})" if instruction and instruction.source else ""
    where = f"{kernel.name} at {text}{line}, block {block}, warp {int(event[Event.WARP])}"
    message = f"{_WHAT[what]}: {where}"
    if what in _ADDRESSED:
        address = int(event[Event.ADDRESS])
        message += f", lane {int(event[Event.LANE])}, address {address:#x}: {arena.describe(address)}"
    elif what in (Outcome.SHARED_OUT_OF_BOUNDS, Outcome.SHARED_MISALIGNED, Outcome.LOCAL_OUT_OF_BOUNDS,
                  Outcome.CONSTANT_OUT_OF_BOUNDS, Outcome.BAD_BRANCH):  # fmt: skip
        message += f", lane {int(event[Event.LANE])}, address {int(event[Event.ADDRESS]):#x}"
    elif what is Outcome.INSTRUCTION_LIMIT:
        message += "; if it does end, raise the limit with --max-instructions (instruction_limit=)"
    return KernelFaultError(message)
