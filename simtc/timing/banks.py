"""How often each instruction of a kernel reads each bank of the registers."""

from __future__ import annotations

from simtc.arch import Device
from simtc.isa import Instruction, Kernel, Kind
from simtc.isa.opcodes import opcode_of
from simtc.isa.registers import operands_read, registers_written

__all__ = ["bank_reads"]

_ZERO = 255  # RZ
_READS_AT_DISPATCH = ("alu", "fma", "fmaheavy", "fp16", "fp64")


def bank_reads(kernel: Kernel, device: Device, *, keeps: bool) -> list[tuple[int, int]]:
    """Return the cycles in which each instruction reads the even and the odd bank, as (even, odd).

    A double is two registers, one of each bank. What an instruction marks `reuse` is kept for its operand, one register
    of each bank, until the next one of that bank is read there or the register is written; nothing where not `keeps`.
    """
    banks, at_once = int(device.sm.issue.register_banks), int(device.sm.issue.bank_reads)
    kept: dict[tuple[int, int], int] = {}
    found: list[tuple[int, int]] = []
    for instruction in kernel.instructions:
        operands = _operands(instruction)
        new = {index for i, index, _ in operands if kept.get((i, index % banks)) != index and index < _ZERO}
        even, odd = (-(-sum(index % banks == bank for index in new) // at_once) for bank in range(2))
        found.append((even, odd))
        for i, index, again in operands:
            kept[i, index % banks] = index if again and keeps else -1
        written = {index for kind, index in registers_written(instruction) if kind is Kind.REGISTER}
        kept = {place: index for place, index in kept.items() if index not in written}
    return found


def _operands(instruction: Instruction) -> list[tuple[int, int, bool]]:
    """Return the place of each register that dispatch reads, its number, and whether it is kept."""
    unit = opcode_of(instruction).unit
    if unit not in _READS_AT_DISPATCH:
        return []
    return [
        (i, operand.index + half, "reuse" in operand.modifiers)
        for i, operand in enumerate(operands_read(instruction))
        if operand.kind is Kind.REGISTER
        for half in range(2 if unit == "fp64" else 1)
    ]
