"""How many consecutive registers an operand names: rules by kind of instruction, derived from shapes and sizes."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from simtc.errors import BadInputError
from simtc.isa.program import Instruction

__all__ = ["RULES", "Widths", "lane_bytes", "matrices", "mma_shape"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Widths:
    """Registers of the result, and of each register among the sources, addresses left out; the last one repeats."""

    result: int = 1
    sources: tuple[int, ...] = (1,)

    def source(self, place: int) -> int:
        """Return the width of the source register at `place`, counted from 0."""
        return self.sources[min(place, len(self.sources) - 1)]


_BYTES = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "U64": 8, "S64": 8, "F64": 8, "128": 16}
_BITS = {"F16": 16, "BF16": 16, "F32": 32, "TF32": 32, "E4M3": 8, "E5M2": 8, "S8": 8, "U8": 8, "S4": 4, "U4": 4}
_SHAPE = re.compile(r"(16|8)(8)(4|8|16|32|64|128|256)\Z")
_LANES, _REGISTER_BITS = 32, 32


def _single(_: Instruction) -> Widths:
    return Widths()


def _double(_: Instruction) -> Widths:
    return Widths(result=2, sources=(2,))


def _clock(instruction: Instruction) -> Widths:
    """CS2R reads a counter of 64 bits unless told otherwise."""
    return Widths(result=1 if "32" in instruction.modifiers else 2)


def _target(_: Instruction) -> Widths:
    """A code address in registers is 64 bits wide."""
    return Widths(sources=(2,))


def _multiply(instruction: Instruction) -> Widths:
    """WIDE keeps the 64-bit product; HI adds a 64-bit number to it and keeps the upper half."""
    if "WIDE" in instruction.modifiers:
        return Widths(result=2, sources=(1, 1, 2))
    if "HI" in instruction.modifiers:
        return Widths(sources=(1, 1, 2))
    return Widths()


def matrices(instruction: Instruction) -> int:
    """Return how many 8x8 matrices LDSM or STSM moves, one register each.

    Example:
        >>> matrices(Instruction(address=0, opcode="LDSM", modifiers=("16", "M88", "4")))
        4

    """
    return next((int(name) for name in instruction.modifiers if name in ("2", "4")), 1)


def lane_bytes(instruction: Instruction) -> int:
    """Return how many bytes each lane of a load, a store, a copy or an atomic moves.

    Example:
        >>> lane_bytes(Instruction(address=0, opcode="LDG", modifiers=("E", "U8")))
        1

    """
    return next((_BYTES[name] for name in instruction.modifiers if name in _BYTES), 4)


def _memory(instruction: Instruction) -> Widths:
    size = max(lane_bytes(instruction) // 4, 1)
    return Widths(result=size, sources=(size,))


def _matrices(instruction: Instruction) -> Widths:
    count = matrices(instruction)
    return Widths(result=count, sources=(count,))


def _convert(instruction: Instruction) -> Widths:
    names = instruction.modifiers
    if instruction.opcode == "F2F":  # result's format, then the source's
        formats = [name for name in names if name in _BITS or name == "F64"]
        wide = [name == "F64" for name in formats]
        return Widths(result=1 + wide[0], sources=(1 + wide[-1],)) if wide else Widths()
    integer, floating = bool({"S64", "U64"} & set(names)), "F64" in names
    if instruction.opcode == "I2F":
        return Widths(result=1 + floating, sources=(1 + integer,))
    if instruction.opcode == "F2I":
        return Widths(result=1 + integer, sources=(1 + floating,))
    return Widths(result=1 + floating, sources=(1 + floating,))


def mma_shape(instruction: Instruction) -> tuple[int, int, int]:
    """Return m, n and k of a matrix instruction.

    Raises:
        BadInputError: its modifiers name no shape.

    Example:
        >>> mma_shape(Instruction(address=0, opcode="HMMA", modifiers=("16816", "F32")))
        (16, 8, 16)

    """
    for name in instruction.modifiers:
        if match := _SHAPE.match(name.replace("x", "")):
            return int(match[1]), int(match[2]), int(match[3])
    raise BadInputError(f"{instruction.mnemonic} at {instruction.address:#06x} names no shape that simtc knows")


def _mma(instruction: Instruction) -> Widths:
    """Spread each matrix over the lanes that hold it; Volta's 884 is one quad pair's, done in STEPs."""
    m, n, k = mma_shape(instruction)
    names = instruction.modifiers
    if any(name.startswith("STEP") for name in names):
        return Widths(result=2, sources=(2, 2, 2))
    if instruction.opcode == "DMMA":
        bits_a = bits_b = bits_d = 64
    elif instruction.opcode == "BMMA":
        bits_a, bits_b, bits_d = 1, 1, 32
    elif instruction.opcode == "IMMA":
        kinds = [_BITS[name] for name in names if name in ("S8", "U8", "S4", "U4")]
        bits_a, bits_b, bits_d = kinds[0], kinds[-1], 32
    else:
        bits_a = bits_b = next((_BITS[name] for name in names if name in ("TF32", "BF16", "E4M3", "E5M2")), 16)
        bits_d = 16 if "F16" in names else 32
    a = m * k * bits_a // (2 if "SP" in names else 1)
    registers = [max(1, size // _LANES // _REGISTER_BITS) for size in (a, n * k * bits_b, m * n * bits_d)]
    return Widths(result=registers[2], sources=(*registers, 1))


RULES: Mapping[str, Callable[[Instruction], Widths]] = {
    "single": _single,
    "double": _double,
    "clock": _clock,
    "target": _target,
    "multiply": _multiply,
    "memory": _memory,
    "matrices": _matrices,
    "convert": _convert,
    "mma": _mma,
}
