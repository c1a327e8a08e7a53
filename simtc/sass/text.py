"""One instruction, from the disassembler's line and the 128-bit word to a value; the two must agree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from simtc.errors import BadInputError
from simtc.isa import ControlCode, Instruction, Kind, Operand
from simtc.sass.immediates import float_bits
from simtc.sass.operands import parse_operand, split_operands

__all__ = ["parse_instruction"]

_LINE = re.compile(r"(?:@(!?)(U?P(?:\d|T))\s+)?([A-Z][A-Z0-9_]*)((?:\.[A-Za-z0-9_]+)*)(?:\s+(\S.*))?\Z")
_REUSE_SLOTS = 3


def parse_instruction(
    text: str, *, address: int, word: int | None = None, source: tuple[str, int] | None = None
) -> Instruction:
    """Read one instruction as nvdisasm prints it, with branch targets as `(0x...) and without the semicolon.

    Args:
        text: such as "@!P0 IADD3 R2, P1, R4.reuse, -0x10, RZ".
        address: where it stands in its kernel, in bytes.
        word: its 128-bit encoding, whose control code, immediate bits and guard are taken and compared.
        source: file and line, where known.

    Raises:
        BadInputError: the text is no instruction, or the word says something else.

    Example:
        >>> instruction = parse_instruction("@!P0 FADD.FTZ R2, |R4|, -1.5", address=0x40)
        >>> instruction.mnemonic, instruction.guard, hex(instruction.operands[2].value)
        ('FADD.FTZ', Operand(kind=<Kind.PREDICATE: 'P'>, index=0, negate=True), '0xbfc00000')

    """
    guard, opcode, names, operands, floats = _read(text)
    if word is not None:
        _check_guard(guard, word, text)
    return Instruction(
        address=address,
        opcode=opcode,
        modifiers=names,
        operands=_with_float_bits(operands, floats, opcode, names, word, text) if floats else operands,
        guard=guard,
        control=ControlCode() if word is None else ControlCode.from_word(word),
        encoding=word,
        text=text,
        source=source,
    )


@lru_cache(maxsize=65536)
def _read(text: str) -> tuple[Operand | None, str, tuple[str, ...], tuple[Operand, ...], tuple[str, ...]]:
    """Return what the text alone says: guard, opcode, modifiers, operands, and the floats among them as printed."""
    match = _LINE.match(text)
    if not match:
        raise BadInputError(f"{text!r} is no SASS instruction")
    negate, predicate, opcode, modifiers, rest = match.groups()
    guard = parse_operand(f"{negate}{predicate}") if predicate else None
    operands = tuple(parse_operand(part) for part in split_operands(rest or ""))
    floats = tuple(operand.name for operand in operands if operand.kind is Kind.IMMEDIATE and operand.name)
    return guard, opcode, tuple(modifiers.split(".")[1:]), operands, floats


def _check_guard(guard: Operand | None, word: int, text: str) -> None:
    index, negate = (guard.index, guard.negate) if guard else (7, False)
    if (word >> 12 & 7, bool(word >> 15 & 1)) != (index, negate):
        raise BadInputError(f"{text!r} disagrees with its encoding {word:#034x}, which has another guard")


def _with_float_bits(
    operands: Sequence[Operand],
    names: tuple[str, ...],
    opcode: str,
    modifiers: tuple[str, ...],
    word: int | None,
    text: str,
) -> tuple[Operand, ...]:
    """Replace floats as printed (one, or the two of a packed half instruction) by their 32 bits."""
    bits = float_bits(names, opcode, modifiers, None if word is None else word >> 32 & 0xFFFFFFFF)
    if bits is None:
        raise BadInputError(f"{text!r}: the immediate {', '.join(names)} is not what its encoding holds")
    kept: list[Operand] = []
    for operand in operands:
        if operand.kind is not Kind.IMMEDIATE or not operand.name:
            kept.append(operand)
        elif bits is not None:
            kept.append(Operand(kind=Kind.IMMEDIATE, value=bits))
            bits = None
    return tuple(kept)
