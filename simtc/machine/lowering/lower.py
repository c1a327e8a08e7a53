"""Lower a kernel: every instruction becomes one micro-operation, or the kernel is refused with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from simtc.errors import BadInputError, nearest
from simtc.isa import Instruction, Kernel, opcode_of
from simtc.machine.lowering import convert, integer, memory, predicate, real, tensor, warp
from simtc.machine.lowering.builder import Builder, Literals, Lowering, refuse
from simtc.machine.lowering.tensor import MatrixTables
from simtc.machine.micro import LANES, MICRO
from simtc.machine.state import Code
from simtc.machine.tensor import Field

__all__ = ["Lowered", "lower", "supported"]

_LOWERINGS: dict[str, Lowering] = {
    **integer.LOWERINGS,
    **predicate.LOWERINGS,
    **real.LOWERINGS,
    **convert.LOWERINGS,
    **memory.LOWERINGS,
    **warp.LOWERINGS,
    **tensor.LOWERINGS,
}


def supported() -> tuple[str, ...]:
    """Return the opcodes that simtc executes, in alphabetical order.

    Example:
        >>> "HMMA" in supported(), "HGMMA" in supported()
        (True, False)

    """
    return tuple(sorted(_LOWERINGS))


@dataclass(frozen=True, slots=True, kw_only=True)
class Lowered:
    """A kernel ready to execute: its micro-operations, and the rows that a launch fills from constant banks."""

    kernel: Kernel
    code: Code
    literals: tuple[tuple[str, int, int], ...]
    blocks_talk: bool  # through atomics or volatile loads: a block may wait for what another one writes

    def rows(self, banks: dict[int, bytes]) -> np.ndarray:
        """Return the literal rows of a launch, (rows * 32,) uint32.

        Args:
            banks: the bytes of each constant bank; bank 0 holds the launch's parameters.

        Raises:
            BadInputError: an instruction reads past the end of a bank.

        """
        words = np.zeros(len(self.literals), np.uint32)
        for place, (kind, first, second) in enumerate(self.literals):
            if kind == "word":
                words[place] = first
                continue
            data = banks.get(first, b"")[second : second + 4] if second >= 0 else b""
            if len(data) < 4:
                raise BadInputError(f"{self.kernel.name} reads c[{first:#x}][{second:#x}], past the end of that bank")
            words[place] = int.from_bytes(data, "little")
        return np.repeat(words, LANES)


@lru_cache(maxsize=64)
def lower(kernel: Kernel) -> Lowered:
    """Lower a kernel.

    Raises:
        BadInputError: an opcode, modifier or operand that simtc does not execute; names it, its address, the nearest.

    """
    literals, tables = Literals(), MatrixTables()
    ops = np.zeros(len(kernel.instructions) + 1, MICRO)
    for place, instruction in enumerate(kernel.instructions):
        ops[place] = _one(instruction, kernel, literals, tables)
    ops[-1] = _one(Instruction(address=0, opcode="BPT", text="(end of the kernel)"), kernel, literals, tables)
    entries = np.array(tables.entries, np.int64).reshape(-1, Field.COUNT)
    code = Code(
        ops=ops,
        mma=np.ascontiguousarray(entries),
        words=np.array(tables.words, np.int32),
        shifts=np.array(tables.shifts, np.int32),
    )
    talk = any(_looks_at_others(i) for i in kernel.instructions)
    return Lowered(kernel=kernel, code=code, literals=tuple(literals.rows), blocks_talk=talk)


def _looks_at_others(instruction: Instruction) -> bool:
    """Tell whether an instruction may see what other blocks do: .STRONG loads are volatile, relaxed or acquire."""
    opcode = opcode_of(instruction)
    strong = "STRONG" in instruction.modifiers and not {"CTA", "SM"} & set(instruction.modifiers)
    loads = opcode.access == "global_load" and "local" not in opcode.spaces
    return opcode.access == "atomic" or (loads and strong)


def _one(instruction: Instruction, kernel: Kernel, literals: Literals, tables: MatrixTables) -> np.ndarray:
    if instruction.opcode not in _LOWERINGS:
        guess = nearest(instruction.opcode, _LOWERINGS)
        hint = f"; the nearest that it executes is {guess}" if guess else ""
        raise refuse(instruction, f"{kernel.name} uses {instruction.opcode}, which simtc does not execute{hint}")
    builder = Builder(instruction, kernel, literals, tables)
    try:
        _LOWERINGS[instruction.opcode](builder)
    except BadInputError:
        raise
    except (LookupError, StopIteration, ValueError, TypeError, OverflowError):
        # a lowering met modifiers or operands that no compiler writes
        raise refuse(instruction, f"this form of {instruction.opcode} is not modelled") from None
    builder.done()
    return builder.op
