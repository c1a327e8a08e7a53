"""What a checked run remembers beside the values: which registers and shared bytes were written, by whom, and when."""

from __future__ import annotations

import numpy as np

from simtc.isa import Kernel, Kind, Operand, operands_read, registers_read, registers_written
from simtc.machine.micro import Family, Integer
from simtc.machine.state import Code, Geometry

__all__ = ["new_shadow"]

_MOVES = (Integer.MOV, Integer.PRMT, Integer.SEL, Integer.LOP3, Integer.SHF)


def _is_known(operand: Operand) -> bool:
    return operand.kind in (Kind.CONSTANT, Kind.IMMEDIATE, Kind.UNIFORM) or (operand.kind, operand.index) == (
        Kind.REGISTER,
        255,
    )


def new_shadow(kernel: Kernel, code: Code, geometry: np.ndarray, slots: int) -> dict[str, np.ndarray]:
    """Return the arrays of a checked run with `slots` resident blocks, by their names in State.

    known: of each register of each warp, the lanes that hold a value. written, read: of each shared byte, who wrote and
    read it last and when (0 never). origin: of each register, 1 + the load that gave it a value that nothing wrote.
    missing: scratch, a lane of the last load each. uses, uses_at: the registers that each instruction reads and writes.
    copies: 1 where an instruction only moves bits, so that it may move unknown ones, 2 where some of them are known.

    Args:
        kernel: what runs: its instructions say which registers they read and write.
        code: the same, lowered.
        geometry: (Geometry.COUNT,) int64.
        slots: blocks resident at once.

    """
    uses: list[int] = []
    places: list[int] = []
    for instruction in kernel.instructions:
        for found in (registers_read(instruction), registers_written(instruction)):
            places.append(len(uses))
            uses += sorted(index for kind, index in found if kind is Kind.REGISTER)
    places += [len(uses)] * 4  # the end, and the trap behind the last instruction
    ops = code.ops
    moves = (ops["family"] == Family.INTEGER) & np.isin(ops["code"], [int(c) for c in _MOVES])
    copies = moves.astype(np.int32)
    for place, instruction in enumerate(kernel.instructions):
        if copies[place] and any(_is_known(operand) for operand in operands_read(instruction)[:3:2]):
            copies[place] = 2
    shared_bytes = -(-int(geometry[Geometry.SHARED_BYTES]) // 16) * 16
    return {
        "known": np.zeros(slots * int(geometry[Geometry.WARPS]) * 256, np.uint32),
        "origin": np.zeros(slots * int(geometry[Geometry.WARPS]) * 256, np.int64),
        "missing": np.zeros(32, np.int64),
        "written": np.zeros(max(slots * shared_bytes, 16), np.int64),
        "read": np.zeros(max(slots * shared_bytes, 16), np.int64),
        "uses": np.array([*uses, 0], np.int32),
        "uses_at": np.array(places, np.int32),
        "copies": copies,
    }
