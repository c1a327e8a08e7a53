"""The hands of every lowering: they place operands into one micro-operation."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

import numpy as np

from simtc.errors import BadInputError
from simtc.isa import Instruction, Kernel, Kind, Operand
from simtc.machine.micro import DUMP_PREDICATE, LANES, MICRO, TRUE, UNIFORM_PREDICATE, Flag, Row

__all__ = ["JOIN", "Builder", "Literals", "Lowering", "refuse"]

Lowering = Callable[["Builder"], None]
JOIN = {"AND": 0, "OR": 1, "XOR": 2}  # how a comparison joins its result to a predicate

_FULL = 0xFFFFFFFF
# Which half of a packed operand feeds which of the result: both the low one, both the high one, or (H0_NH1, as the
# names go from high to low) the other one, the high one with its sign turned; F32 is a whole number for both.
_HALVES = {"H0_H0": 1, "H1_H1": 2, "F32": 3, "H0_NH1": 4}
_ONE_HALF = {"H0_H0": 1, "H1_H1": 2, "H1": 2}  # of an operand that is one half alone
_SIGN = {"single": 0x80000000, "double": 0x80000000, "half": 0x80008000, "one half": 0x80008000}
_ROUND = {"RN": 0, "RM": 4, "RP": 8, "RZ": 12, "FLOOR": 4, "CEIL": 8, "TRUNC": 12}


def refuse(instruction: Instruction, why: str) -> BadInputError:
    """Build the error for an instruction that simtc does not execute."""
    text = instruction.text or instruction.mnemonic
    return BadInputError(f"at {instruction.address:#06x}: {text}: {why}")


@dataclass(slots=True)
class Literals:
    """The rows that all warps share: immediates, and words of constant banks that a launch fills in.

    An entry is ("word", bits) or ("bank", bank, offset). A 64-bit operand takes two entries in a row.
    """

    entries: dict[tuple[tuple[str, int, int], ...], int] = field(default_factory=dict)
    rows: list[tuple[str, int, int]] = field(default_factory=list)

    def place(self, *entries: tuple[str, int, int]) -> int:
        """Return the first row of a run of entries."""
        if entries not in self.entries:
            self.entries[entries] = len(self.rows)
            self.rows.extend(entries)
        return self.entries[entries]


class Builder:
    """One instruction on its way to a micro-operation.

    Lowerings read `i` (the instruction), `mods` and `take()` its operands in order, and fill `op`.
    """

    def __init__(self, instruction: Instruction, kernel: Kernel, literals: Literals, tables: Any) -> None:
        self.i = instruction
        self.kernel = kernel
        self.literals = literals
        self.tables = tables
        self.mods = frozenset(instruction.modifiers)
        self.op = np.zeros((), MICRO)
        self._left = list(instruction.operands)
        self.op["guard"], self.op["guard_flip"] = self._predicate(instruction.guard)
        for slot in "abc":
            self._row(slot, Row.ZERO)
        for name in ("p", "p2"):
            self.op[name] = DUMP_PREDICATE
        for name in ("q", "q2", "q3"):
            self.op[name] = TRUE

    # ---- operands in order

    def take(self) -> Operand:
        """Return the next operand."""
        if not self._left:
            raise refuse(self.i, "an operand is missing")
        return self._left.pop(0)

    def more(self, *kinds: Kind) -> bool:
        """Tell whether another operand follows (of one of these kinds)."""
        return bool(self._left) and (not kinds or self._left[0].kind in kinds)

    def done(self) -> None:
        """Refuse operands that no lowering has looked at."""
        if self._left:
            raise refuse(self.i, f"the operand {self._left[0]!r} is not modelled")

    # ---- what the micro-operation does

    def does(self, family: IntEnum, code: IntEnum, *known: str) -> None:
        """Set family and code, and refuse modifiers outside `known`."""
        self.op["family"], self.op["code"] = int(family), int(code)
        self.only(known)

    def only(self, known: Iterable[str]) -> None:
        """Refuse modifiers that the model does not know."""
        strange = [m for m in self.i.modifiers if m not in set(known)]
        if strange:
            raise refuse(self.i, f"the modifier .{strange[0]} of {self.i.opcode} is not modelled")

    def flag(self, flag: int, when: bool = True) -> None:  # noqa: FBT001, FBT002 - reads as "flag X when Y"
        """Set a flag."""
        if when:
            self.op["flags"] |= int(flag)

    def rounding(self) -> None:
        """Set the rounding mode from .RN .RM .RP .RZ (and .FLOOR .CEIL .TRUNC), .FTZ, .SAT and .BF16."""
        for name, bits in _ROUND.items():
            self.flag(bits, name in self.mods)
        self.flag(Flag.FTZ, "FTZ" in self.mods)
        self.flag(Flag.SATURATE, "SAT" in self.mods)
        self.flag(Flag.BF16, bool(self.mods & {"BF16", "BF16_V2"}))

    # ---- destinations

    def into(self, operand: Operand, rows: int = 1) -> None:
        """Write the first `rows` scratch rows to a register."""
        self.reach(operand, rows)
        if operand.kind is Kind.REGISTER:
            row = Row.DUMP if operand.index == 255 else Row.REGISTER + operand.index
        elif operand.kind is Kind.UNIFORM:
            row = Row.DUMP if operand.index == 63 else Row.UNIFORM + operand.index
        else:
            raise refuse(self.i, f"{operand!r} cannot be written")
        self.op["d"], self.op["d_rows"] = row * LANES, rows

    def predicate_into(self, name: str, operand: Operand) -> None:
        """Write a predicate result; PT takes none."""
        if operand.kind not in (Kind.PREDICATE, Kind.UNIFORM_PREDICATE):
            raise refuse(self.i, f"{operand!r} is no predicate")
        base = UNIFORM_PREDICATE if operand.kind is Kind.UNIFORM_PREDICATE else 0
        self.op[name] = DUMP_PREDICATE if operand.index == TRUE else base + operand.index

    # ---- sources

    def predicate(self, name: str, operand: Operand) -> None:
        """Read a predicate."""
        self.op[name], self.op[f"{name}_flip"] = self._predicate(operand)

    def _predicate(self, operand: Operand | None) -> tuple[int, int]:
        if operand is None:
            return TRUE, 0
        if operand.kind not in (Kind.PREDICATE, Kind.UNIFORM_PREDICATE):
            raise refuse(self.i, f"{operand!r} is no predicate")
        base = UNIFORM_PREDICATE if operand.kind is Kind.UNIFORM_PREDICATE else 0
        return base + operand.index, _FULL if operand.negate else 0

    def integer(self, slot: str, operand: Operand, rows: int = 1) -> int:
        """Read an integer into slot a, b or c; return 1 where it is negated (the caller adds the one)."""
        self._place(slot, operand, rows)
        if operand.absolute:
            raise refuse(self.i, "|x| of an integer is not modelled")
        self.op[f"{slot}_xor"] = _FULL if operand.negate or operand.invert else 0
        return int(operand.negate)

    def plain(self, slot: str, operand: Operand, rows: int = 1) -> None:
        """Read bits as they are."""
        self._place(slot, operand, rows)
        if operand.negate or operand.absolute or operand.invert:
            raise refuse(self.i, "a sign on this operand is not modelled")

    def real(self, slot: str, operand: Operand, kind: str = "single") -> None:
        """Read a floating-point operand: kind is single, half (a packed pair), one half or double."""
        self._place(slot, operand, 2 if kind == "double" else 1, high_half=kind == "double")
        sign = _SIGN[kind]
        if operand.absolute:
            self.op[f"{slot}_and"] = _FULL & ~sign
        if operand.negate:
            self.op[f"{slot}_xor"] = sign
        if kind in ("half", "one half"):
            known = _HALVES if kind == "half" else _ONE_HALF
            chosen = next((name for name in operand.modifiers if name.startswith(("H", "NH", "F32"))), "")
            if chosen and chosen not in known:
                raise refuse(self.i, f"{chosen} of a packed operand is not modelled")
            self.op[f"{slot}_half"] = known.get(chosen, 0)
            if chosen == "H0_NH1":
                self.op[f"{slot}_xor"] ^= 0x80000000

    def reach(self, operand: Operand, rows: int) -> None:
        """Refuse an operand of several registers that would run past the last one."""
        last = {Kind.REGISTER: 255, Kind.UNIFORM: 63}.get(operand.kind)
        if last is not None and operand.index != last and operand.index + rows > last:
            name = "R" if operand.kind is Kind.REGISTER else "UR"
            raise refuse(self.i, f"{name}{operand.index} and the {rows - 1} after it reach past {name}{last - 1}")

    def _place(self, slot: str, operand: Operand, rows: int, *, high_half: bool = False) -> None:
        self.reach(operand, rows)
        if operand.kind is Kind.REGISTER:
            self._row(slot, Row.ZERO if operand.index == 255 else Row.REGISTER + operand.index)
        elif operand.kind is Kind.UNIFORM:
            self._row(slot, Row.UNIFORM + operand.index)
        elif operand.kind is Kind.IMMEDIATE:
            word = ("word", operand.value & _FULL, 0)
            extension = ("word", _FULL if operand.value & 0x80000000 and rows == 2 else 0, 0)
            entries = (("word", 0, 0), word) if high_half else (word, extension)[:rows]
            self._literal(slot, *entries)
        elif operand.kind is Kind.CONSTANT:
            if operand.base != 255 or operand.uniform != 63 or operand.descriptor is not None:
                raise refuse(self.i, "an indexed constant operand is not modelled")
            self._literal(slot, *(("bank", operand.index, operand.value + 4 * k) for k in range(rows)))
        else:
            raise refuse(self.i, f"{operand!r} cannot be read here")

    def _row(self, slot: str, row: int) -> None:
        self.op[slot], self.op[f"{slot}_warp"] = row * LANES, 1
        self.op[f"{slot}_and"], self.op[f"{slot}_xor"], self.op[f"{slot}_half"] = _FULL, 0, 0

    def _literal(self, slot: str, *entries: tuple[str, int, int]) -> None:
        self._row(slot, 0)
        self.op[slot], self.op[f"{slot}_warp"] = self.literals.place(*entries) * LANES, 0

    def word(self, slot: str, bits: int) -> None:
        """Read a constant of our own."""
        self._literal(slot, ("word", bits & _FULL, 0))

    def immediate(self, operand: Operand) -> int:
        """Return an operand that must be an immediate, as 32 unsigned bits."""
        if operand.kind is not Kind.IMMEDIATE:
            raise refuse(self.i, f"{operand!r} should be an immediate")
        return operand.value & _FULL
