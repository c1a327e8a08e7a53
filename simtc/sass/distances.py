"""How far apart the compiler keeps a fixed-latency result and its first reader: what it takes the latency to be."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from simtc.isa import Instruction, Kernel, Kind, opcode_of, registers_read, registers_written

__all__ = ["shortest_distances"]

_LEAVES = frozenset({"BRA", "BRX", "JMP", "JMX", "CALL", "RET", "EXIT", "BSYNC", "BREAK", "WARPSYNC"})


def shortest_distances(kernels: Iterable[Kernel]) -> dict[tuple[str, str], int]:
    """Return the fewest cycles from the issue of a fixed-latency instruction to that of one that reads its result.

    Keys are (producer, consumer) by unit; a matrix instruction is named by its mnemonic, a predicate's producer has a
    "P" appended, and IMAD.WIDE, whose halves are ready apart, is `imad.wide`. Only straight-line code is followed: a
    distance across a branch is whatever the branch takes.

    Example:
        >>> from simtc.isa import ControlCode
        >>> from simtc.sass import parse_instruction
        >>> word = (ControlCode(stall=4).to_bits() << 105) | 7 << 12
        >>> produce = parse_instruction("IADD3 R2, R3, R4, RZ", address=0, word=word)
        >>> consume = parse_instruction("IADD3 R5, R2, R4, RZ", address=16)
        >>> shortest_distances([Kernel(name="k", sm=75, instructions=(produce, consume))])
        {('alu', 'alu'): 4}

    """
    found: dict[tuple[str, str], int] = {}
    for kernel in kernels:
        for pair, cycles in _distances(kernel):
            found[pair] = min(cycles, found.get(pair, cycles))
    return dict(sorted(found.items()))


def _distances(kernel: Kernel) -> Iterator[tuple[tuple[str, str], int]]:
    targets = {o.value for i in kernel.instructions for o in i.operands if o.kind is Kind.LABEL}
    written: dict[tuple[Kind, int], tuple[Instruction, int]] = {}
    now = 0
    for instruction in kernel.instructions:
        if instruction.address in targets:
            written.clear()
        for name in registers_read(instruction):
            producer, then = written.get(name, (None, 0))
            if producer is not None and opcode_of(producer).is_fixed_latency(kernel.sm):
                predicate = "P" if name[0] in (Kind.PREDICATE, Kind.UNIFORM_PREDICATE) else ""
                yield (_label(producer) + predicate, _label(instruction)), now - then
        written |= dict.fromkeys(registers_written(instruction), (instruction, now))
        now += max(instruction.control.stall, 1)
        if instruction.opcode in _LEAVES:
            written.clear()


def _label(instruction: Instruction) -> str:
    unit = opcode_of(instruction).unit
    if unit == "tensor":
        return instruction.mnemonic
    if instruction.opcode == "IMAD":
        return "imad.wide" if "WIDE" in instruction.modifiers else "imad"
    return unit
