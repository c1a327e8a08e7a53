"""Which registers, predicates and barriers an instruction reads and writes."""

from __future__ import annotations

from collections.abc import Iterator

from simtc.isa.opcodes import Opcode, opcode_of
from simtc.isa.operand import Kind, Operand
from simtc.isa.program import Instruction
from simtc.isa.widths import RULES, Widths

__all__ = ["operands_read", "operands_written", "registers_read", "registers_written"]

_KINDS = {
    "R": (Kind.REGISTER, Kind.UNIFORM),
    "P": (Kind.PREDICATE, Kind.UNIFORM_PREDICATE),
    "B": (Kind.BARRIER,),
}
# The names that read as zero or true and swallow what is written.
_FIXED = {(Kind.REGISTER, 255), (Kind.UNIFORM, 63), (Kind.PREDICATE, 7), (Kind.UNIFORM_PREDICATE, 7)}
_NAMES = frozenset((Kind.REGISTER, Kind.UNIFORM, Kind.PREDICATE, Kind.UNIFORM_PREDICATE, Kind.BARRIER))


def operands_written(instruction: Instruction) -> tuple[Operand, ...]:
    """Return the leading operands that are results.

    Raises:
        BadInputError: the opcode is unknown.

    Example:
        >>> from simtc.isa import Kind
        >>> carry = Operand(kind=Kind.PREDICATE, index=0)
        >>> result, source = Operand(kind=Kind.REGISTER, index=2), Operand(kind=Kind.REGISTER, index=4)
        >>> add = Instruction(address=0, opcode="IADD3", operands=(result, carry, source, source, source))
        >>> [operand.index for operand in operands_written(add)]
        [2, 0]

    """
    return instruction.operands[: _results(instruction, opcode_of(instruction))]


def operands_read(instruction: Instruction) -> tuple[Operand, ...]:
    """Return the operands after the results.

    Raises:
        BadInputError: the opcode is unknown.

    """
    return instruction.operands[_results(instruction, opcode_of(instruction)) :]


def _results(instruction: Instruction, opcode: Opcode) -> int:
    place = 0
    for token in opcode.writes.split():
        kinds = [kind for letter in token.rstrip("?") for kind in _KINDS[letter]]
        if place < len(instruction.operands) and instruction.operands[place].kind in kinds:
            place += 1
    return place


def registers_written(instruction: Instruction) -> frozenset[tuple[Kind, int]]:
    """Return every register, predicate and barrier that the instruction writes; never RZ, PT or their like.

    Raises:
        BadInputError: the opcode is unknown.

    Example:
        >>> load = Instruction(address=0, opcode="LDS", modifiers=("64",), operands=(
        ...     Operand(kind=Kind.REGISTER, index=4), Operand(kind=Kind.ADDRESS, index=2)))
        >>> sorted((kind.value, index) for kind, index in registers_written(load))
        [('R', 4), ('R', 5)]

    """
    opcode = opcode_of(instruction)
    widths = RULES[opcode.widths](instruction)
    found = {name for operand in operands_written(instruction) for name in _span(operand, widths.result)}
    if instruction.opcode == "R2P":
        found |= _masked_predicates(instruction)
    return frozenset(found - _FIXED)


def registers_read(instruction: Instruction) -> frozenset[tuple[Kind, int]]:
    """Return every register, predicate and barrier that the instruction reads, its guard included.

    Raises:
        BadInputError: the opcode is unknown.

    Example:
        >>> store = Instruction(address=0, opcode="STG", modifiers=("E",), operands=(
        ...     Operand(kind=Kind.ADDRESS, index=2), Operand(kind=Kind.REGISTER, index=8)))
        >>> sorted((kind.value, index) for kind, index in registers_read(store))
        [('R', 2), ('R', 3), ('R', 8)]

    """
    opcode = opcode_of(instruction)
    found = set(_sources(instruction, opcode, RULES[opcode.widths](instruction)))
    if instruction.guard is not None:
        found.add((instruction.guard.kind, instruction.guard.index))
    if instruction.opcode == "P2R":
        found |= _masked_predicates(instruction)
    return frozenset(found - _FIXED)


def _sources(instruction: Instruction, opcode: Opcode, widths: Widths) -> Iterator[tuple[Kind, int]]:
    spaces = iter(opcode.spaces)
    place = 0
    for operand in operands_read(instruction):
        if operand.kind is Kind.ADDRESS:
            yield from _address(operand, next(spaces, "shared"))
        elif operand.kind is Kind.CONSTANT:
            yield from _constant(operand)
            place += 1
        elif operand.kind in _NAMES:
            yield from _span(operand, widths.source(place))
            place += operand.kind in _KINDS["R"]
        elif operand.kind is Kind.IMMEDIATE:
            place += 1


def _span(operand: Operand, width: int) -> Iterator[tuple[Kind, int]]:
    """Yield the registers of one operand; a wide RZ is RZ, and no other kind of name is ever wide."""
    wide = operand.kind in _KINDS["R"] and (operand.kind, operand.index) not in _FIXED
    return ((operand.kind, operand.index + i) for i in range(width if wide else 1))


def _address(operand: Operand, space: str) -> Iterator[tuple[Kind, int]]:
    """Yield what an address is summed from: 64 bits in global and generic memory, 32 elsewhere."""
    wide = 2 if space in ("global", "generic") else 1
    narrow_base = "U32" in operand.modifiers
    yield from _span(Operand(kind=Kind.REGISTER, index=operand.index), 1 if narrow_base else wide)
    yield from _span(Operand(kind=Kind.UNIFORM, index=operand.uniform), wide)
    if operand.descriptor is not None:
        yield from _span(Operand(kind=Kind.UNIFORM, index=operand.descriptor), 2)


def _constant(operand: Operand) -> Iterator[tuple[Kind, int]]:
    yield Kind.REGISTER, operand.base
    yield Kind.UNIFORM, operand.uniform
    if operand.descriptor is not None:
        yield from _span(Operand(kind=Kind.UNIFORM, index=operand.descriptor), 2)


def _masked_predicates(instruction: Instruction) -> set[tuple[Kind, int]]:
    """Return the predicates that the mask, P2R's and R2P's last operand, selects."""
    mask = instruction.operands[-1]
    bits = mask.value if mask.kind is Kind.IMMEDIATE else 0x7F
    return {(Kind.PREDICATE, index) for index in range(7) if bits >> index & 1}
