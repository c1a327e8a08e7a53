"""The constants by which an instruction is timed: its own row of the chip's tables, or an estimate that says so."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache

from simtc.arch import Device, Sm
from simtc.arch.generation import input_type
from simtc.arch.memory import MemoryOperation
from simtc.arch.sections import Pipe, SpecialOperation, TensorInstruction
from simtc.errors import BadInputError, nearest
from simtc.isa import Instruction, Kernel, lane_bytes, matrices
from simtc.isa.opcodes import opcode_of

__all__ = ["estimates", "memory_row", "pipe_constants", "special_row", "tensor_row"]

_SIGNED = {"U8": "S8", "U4": "S4"}  # products of unsigned numbers run at the same rate
_BITS = {"b1": 1, "s4": 4, "s8": 8}  # of types that one multiplier takes, by cutting its operands
_SHAPE = re.compile(r"(16|8)8(\d+)|(\d+)x(\d+)x(\d+)")


@lru_cache(maxsize=64)
def estimates(kernel: Kernel, device: Device) -> tuple[str, ...]:
    """Return a note for each kind of instruction in a kernel that has no row of its own in the board's tables."""
    found: dict[str, None] = {}
    for instruction in kernel.instructions:
        opcode = opcode_of(instruction)
        if opcode.unit == "tensor":
            found[tensor_row(instruction, device)[1]] = None
        elif opcode.like and opcode.access not in ("", "exchange"):
            found[memory_row(instruction, device)[2]] = None
        elif opcode.like:
            found[special_row(instruction, device.sm)[1]] = None
    return tuple(note for note in found if note)


def _refusal(instruction: Instruction, sm: Sm, close: str | None) -> BadInputError:
    hint = f"; the nearest that is known is {close}" if close else ""
    return BadInputError(
        f"nothing is known of the timing of {instruction.mnemonic} at {instruction.address:#06x} on {sm.name}{hint}. "
        f"Try: simtc arch {sm.name}"
    )


def pipe_constants(instruction: Instruction, sm: Sm) -> Pipe:
    """Return the constants of the arithmetic pipe that executes an instruction.

    Raises:
        BadInputError: the generation has no such pipe.

    """
    opcode = opcode_of(instruction)
    name = opcode.row or opcode.unit
    if name == "fmaheavy":
        name = "imad_wide" if {"WIDE", "HI"} & set(instruction.modifiers) else "imad"
    pipe: Pipe | None = getattr(sm.pipes, name)
    if pipe is None:
        raise _refusal(instruction, sm, None)
    return pipe


def special_row(instruction: Instruction, sm: Sm) -> tuple[SpecialOperation, str]:
    """Return the constants of an instruction of variable latency outside memory, and a note where it is an estimate.

    Raises:
        BadInputError: nothing is known of it.

    """
    opcode = instruction.opcode
    if opcode in sm.special:
        return sm.special[opcode], ""
    if opcode_of(instruction).unit == "xu":
        return sm.pipes.xu, ""
    like = opcode_of(instruction).like
    if not like:
        raise _refusal(instruction, sm, nearest(opcode, sm.special))
    return (sm.pipes.xu if like == "MUFU" else sm.special[like]), f"{opcode} is timed as {like}: no number is known"


def memory_row(instruction: Instruction, device: Device) -> tuple[MemoryOperation, int, str]:
    """Return the constants of a memory instruction, the bits that each lane moves, and a note on an estimate.

    Raises:
        BadInputError: nothing is known of it.

    """
    opcode, table = instruction.opcode, device.sm.memory
    said = opcode_of(instruction)
    like = said.like or said.row or opcode
    if opcode in ("LDSM", "STSM"):
        count = matrices(instruction)
        bits, key = 32 * count, f"LDSM.{count}" if opcode == "LDSM" else f"STS.{32 * count}"
    else:
        bits = 8 * max(lane_bytes(instruction), 4)
        key = f"{like}.{bits}"
    if key not in table:
        raise _refusal(instruction, device.sm, nearest(key, table))
    return table[key], bits, f"{opcode} is timed as {like}: no number is known" if said.like else ""


def tensor_row(instruction: Instruction, device: Device) -> tuple[TensorInstruction, str]:
    """Return the constants of a matrix instruction, by the longest name in the chip's table, and a note on an estimate.

    Raises:
        BadInputError: nothing is known of an instruction with these operands.

    """
    table = device.sm.tensor
    shape, *rest = instruction.modifiers
    shape = shape.replace("x", "") if instruction.opcode == "DMMA" else shape  # DMMA.8x8x4 on sm_90
    names = [_SIGNED.get(m, m) for m in rest if not m.startswith("STEP")]
    for length in range(len(names), -1, -1):
        key = ".".join((instruction.opcode, shape, *names[:length]))
        if key in table:
            return table[key], ""
    return _estimated(instruction, device.sm, ".".join((instruction.opcode, shape, *names)))


def _work(name: str) -> tuple[int, int]:
    """Return the multiply-adds of a matrix instruction and the bits of its A; zeros where its shape is not read."""
    found = _SHAPE.fullmatch(name.split(".")[1])
    if found is None:
        return 0, 0
    m, n, k = (int(found[1]), 8, int(found[2])) if found[1] else (int(found[place]) for place in (3, 4, 5))
    return m * n * k, m * k * _BITS.get(input_type(name), 0)


def _estimated(instruction: Instruction, sm: Sm, name: str) -> tuple[TensorInstruction, str]:
    """Return the row of the next larger instruction of the same type, or of as many operands of an integer type.

    A smaller instruction takes as long: m8n8 does on the A100 (Sun et al. 2022), where half of the unit stays idle.
    """
    fma, bits = _work(name)
    kind, opcode = input_type(name), instruction.opcode
    same = {key: row for key, row in sm.tensor.items() if key.startswith(f"{opcode}.") and input_type(key) == kind}
    alike = same or {key: row for key, row in sm.tensor.items() if bits and _work(key)[1]}
    if not fma or not alike:
        raise _refusal(instruction, sm, nearest(name, sm.tensor))
    sizes = {key: _work(key)[0 if same else 1] for key in alike}
    own = fma if same else bits
    shared = {key: len({*key.split(".")} & {*name.split(".")}) for key in alike}
    above = [key for key in alike if sizes[key] >= own]
    like = min(above or alike, key=lambda key: (sizes[key] if above else -sizes[key], -shared[key]))
    times = max(own / sizes[like], 1)
    row = alike[like]
    later = round((times - 1) * row.issue_interval_cycles)
    found = replace(
        row,
        fma=fma,
        issue_interval_cycles=row.issue_interval_cycles + later,
        register_port_cycles=round(times * row.register_port_cycles),
        latency_first_cycles=row.latency_first_cycles + later,
        latency_second_cycles=row.latency_second_cycles + later,
        chain_safe_cycles=row.chain_safe_cycles + later,
    )
    longer = f"{times:g} times {like}" if times > 1 else like
    return found, f"{name} is timed as {longer}: no number of its own is known on {sm.name}"
