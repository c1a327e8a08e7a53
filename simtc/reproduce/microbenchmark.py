"""Microbenchmarks in machine code for the clock: kernels of a few instructions, as a prober would write them.

Lane l finds the buffer's address in R2, R3, its own number in R4, and 16 l in R5. Nothing else is set up.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from simtc.arch import Device, device
from simtc.isa import ControlCode, Instruction, Kernel, Parameter
from simtc.run.launch import launch
from simtc.sass import parse_instruction

__all__ = ["SHARED_BYTES", "cycles", "each", "kernel", "line"]

SHARED_BYTES = 16384


def line(
    text: str, *, stall: int = 1, write: int | None = None, read: int | None = None, wait: Sequence[int] = ()
) -> Instruction:
    """Parse one instruction and give it a control code: stall count, barriers that it sets, barriers it waits for.

    Example:
        >>> line("LDS R6, [R6]", write=0, wait=(0,), stall=2).control.stall
        2

    """
    code = ControlCode(stall=stall, write_barrier=write, read_barrier=read, wait_mask=sum(1 << one for one in wait))
    return replace(parse_instruction(text, address=0), control=code)


def kernel(name: str, sm: int, body: Sequence[Instruction], *, shared_bytes: int = 0) -> Kernel:
    """Make a kernel that executes `body` once and ends; its parameter is a buffer."""
    start = [
        line("MOV R2, c[0x0][0x160]", stall=8),
        line("MOV R3, c[0x0][0x164]", stall=8),
        line("S2R R4, SR_LANEID", stall=8, write=0),
        line("SHF.L.U32 R5, R4, 0x4, RZ", stall=12, wait=(0,)),
    ]
    lines = [*start, *body, line("EXIT", stall=5, wait=range(6))]
    placed = tuple(replace(one, address=16 * place) for place, one in enumerate(lines))
    parameters = (Parameter(offset=0, size=8),)
    return Kernel(
        name=name, sm=sm, instructions=placed, parameters=parameters, registers=128, shared_bytes=shared_bytes
    )


def cycles(
    board: str | Device,
    body: Sequence[Instruction],
    *,
    shared_bytes: int = 0,
    warps: int = 1,
    buffer_bytes: int = 1 << 16,
    caches: str = "warm",
) -> int:
    """Return the cycles of one block that executes `body`."""
    chip = device(board) if isinstance(board, str) else board
    one = kernel("micro", int(chip.sm_name.removeprefix("sm_")), body, shared_bytes=shared_bytes)
    args = [np.zeros(buffer_bytes, np.uint8)]
    return launch(one, 1, 32 * warps, args, device=chip, timing=True, caches=caches, hazards="error").cycles


def each(
    board: str | Device,
    make: Callable[[int], Instruction | Sequence[Instruction]],
    count: int = 64,
    *,
    shared_bytes: int = 0,
    warps: int = 1,
    buffer_bytes: int = 1 << 16,
    caches: str = "warm",
) -> float:
    """Return the cycles that one more of `make(i)`, an instruction or a group of them, takes in the middle of many."""

    def body(times: int) -> list[Instruction]:
        groups = (make(i) for i in range(times))
        return [one for group in groups for one in ([group] if isinstance(group, Instruction) else group)]

    few, many = (
        cycles(board, body(times), shared_bytes=shared_bytes, warps=warps, buffer_bytes=buffer_bytes, caches=caches)
        for times in (count, 2 * count)
    )
    return (many - few) / count
