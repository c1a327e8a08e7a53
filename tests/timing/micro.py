"""Microbenchmarks in machine code: kernels made of a few instructions, as a prober would write them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simtc.arch import device
from simtc.isa import ControlCode, Kernel, Parameter
from simtc.launch import launch
from simtc.sass import parse_instruction

SMS = {"v100_pcie": 70, "titan_v": 70, "t4": 75, "rtx2070": 75, "a100_sxm": 80, "h200": 90}


def line(text, *, stall=1, write=None, read=None, wait=()):
    """Parse one instruction and give it a control code."""
    code = ControlCode(stall=stall, write_barrier=write, read_barrier=read, wait_mask=sum(1 << board for board in wait))
    return replace(parse_instruction(text, address=0), control=code)


def kernel(name, board, body, *, shared_bytes=0):
    """Make a kernel that executes `body` once and ends; parameter 0 is a buffer whose address R2, R3 hold."""
    start = [
        line("MOV R2, c[0x0][0x160]", stall=8),
        line("MOV R3, c[0x0][0x164]", stall=8),
        line("S2R R4, SR_LANEID", stall=8, write=0),
        line("SHF.L.U32 R5, R4, 0x4, RZ", stall=12, wait=(0,)),
    ]
    lines = [*start, *body, line("EXIT", stall=5, wait=(0, 1, 2, 3, 4, 5))]
    placed = tuple(replace(one, address=16 * place) for place, one in enumerate(lines))
    return Kernel(
        name=name, sm=SMS[board], instructions=placed, parameters=(Parameter(offset=0, size=8),), registers=128,
        shared_bytes=shared_bytes,
    )  # fmt: skip


def cycles(board, body, *, shared_bytes=0, warps=1, buffer_bytes=1 << 16, caches="cold", chip=None):
    """Return the cycles of one block that executes `body`."""
    args = [np.zeros(buffer_bytes, np.uint8)]
    one = kernel("micro", board, body, shared_bytes=shared_bytes)
    return launch(one, 1, 32 * warps, args, device=chip or device(board), timing=True, caches=caches).cycles


def each(board, make, count=64, **options):
    """Return the cycles that one more of `make(i)` takes, in the middle of many."""
    few = cycles(board, [make(i) for i in range(count)], **options)
    many = cycles(board, [make(i) for i in range(2 * count)], **options)
    return (many - few) / count
