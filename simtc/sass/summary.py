"""What a compiled kernel contains: opcodes by unit, control codes, and the resources that a launch needs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from simtc.isa import ControlCode, Instruction, Kernel, opcodes

__all__ = ["Summary", "annotate", "control_text", "summarize"]

_UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """One kernel in numbers; `units` counts mnemonics by unit, `unknown` being what simtc cannot execute."""

    kernel: str
    sm: int
    instructions: int
    registers: int
    shared_bytes: int
    shared_reserved_bytes: int
    local_bytes: int
    barriers: int
    max_threads: int
    parameter_base: int
    parameters: tuple[tuple[int, int], ...]  # offset and size in bytes
    constant_bytes: Mapping[int, int]  # by bank
    relocations: tuple[str, ...]
    sources: tuple[str, ...]
    units: Mapping[str, Mapping[str, int]]
    stalls: Mapping[int, int]  # how many instructions have each stall count
    yields: int
    write_barriers: int
    read_barriers: int
    waits: int
    reuses: int

    def to_json(self) -> dict[str, Any]:
        """Return the same as JSON takes it."""
        return asdict(self)


def summarize(kernel: Kernel) -> Summary:
    """Count what a kernel is made of.

    Example:
        >>> from simtc.sass import parse_instruction
        >>> code = (parse_instruction("IADD3 R2, R2, 0x1, RZ", address=0), parse_instruction("EXIT", address=16))
        >>> summarize(Kernel(name="k", sm=75, instructions=code)).units
        {'alu': {'IADD3': 1}, 'cbu': {'EXIT': 1}}

    """
    codes = [instruction.control for instruction in kernel.instructions]
    return Summary(
        kernel=kernel.name,
        sm=kernel.sm,
        instructions=len(kernel.instructions),
        registers=kernel.registers,
        shared_bytes=kernel.shared_bytes,
        shared_reserved_bytes=kernel.shared_reserved_bytes,
        local_bytes=kernel.local_bytes,
        barriers=kernel.barriers,
        max_threads=kernel.max_threads,
        parameter_base=kernel.parameter_base,
        parameters=tuple((parameter.offset, parameter.size) for parameter in kernel.parameters),
        constant_bytes={bank: len(data) for bank, data in kernel.constants.items()},
        relocations=tuple(relocation.symbol for relocation in kernel.relocations),
        sources=tuple(sorted({i.source[0] for i in kernel.instructions if i.source})),
        units=_units(kernel),
        stalls=dict(sorted(Counter(code.stall for code in codes).items())),
        yields=sum(code.yields for code in codes),
        write_barriers=sum(code.write_barrier is not None for code in codes),
        read_barriers=sum(code.read_barrier is not None for code in codes),
        waits=sum(code.wait_mask != 0 for code in codes),
        reuses=sum(code.reuse.bit_count() for code in codes),
    )


def _units(kernel: Kernel) -> dict[str, dict[str, int]]:
    """Count mnemonics by unit, the busiest unit and the commonest mnemonic first."""
    counts: dict[str, Counter[str]] = {}
    for instruction in kernel.instructions:
        known = opcodes().get(instruction.opcode)
        counts.setdefault(known.unit if known else _UNKNOWN, Counter())[instruction.mnemonic] += 1
    ordered = sorted(counts.items(), key=lambda item: -item[1].total())
    return {unit: dict(counter.most_common()) for unit, counter in ordered}


def control_text(code: ControlCode) -> str:
    """Write a control code in 18 columns: scoreboards waited for, read and write barrier, yield, stall.

    Example:
        >>> control_text(ControlCode(stall=2, yields=True, write_barrier=0, wait_mask=0b100010))
        'B-1---5:R-:W0:Y:02'

    """
    waits = "".join(str(bit) if code.wait_mask >> bit & 1 else "-" for bit in range(6))
    read, write = ("-" if barrier is None else barrier for barrier in (code.read_barrier, code.write_barrier))
    return f"B{waits}:R{read}:W{write}:{'Y' if code.yields else '-'}:{code.stall:02d}"


def annotate(kernel: Kernel) -> Iterator[str]:
    """Yield a kernel as text, a line an instruction: address, control code, source line, instruction."""
    yield f"{kernel.name}: sm_{kernel.sm}, {len(kernel.instructions)} instructions, {kernel.registers} registers"
    yield "addr  control            source  instruction   (B scoreboards waited for, R and W barriers, Y yield, stall)"
    file = None
    for instruction in kernel.instructions:
        if instruction.source and instruction.source[0] != file:
            file = instruction.source[0]
            yield f"{'':26}{file}:"
        yield _annotated(instruction)


def _annotated(instruction: Instruction) -> str:
    line = instruction.source[1] if instruction.source else ""
    return f"{instruction.address:04x}  {control_text(instruction.control)}  {line:>5}  {instruction.text}"
