"""Operands of a SASS instruction, as frozen values."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

__all__ = ["Kind", "Operand"]


class Kind(Enum):
    """What an operand names."""

    REGISTER = "R"  # R0..R254; RZ is index 255
    UNIFORM = "UR"  # UR0..UR62; URZ is index 63
    PREDICATE = "P"  # P0..P6; PT is index 7
    UNIFORM_PREDICATE = "UP"  # UP0..UP6; UPT is index 7
    BARRIER = "B"  # convergence barriers B0..B15
    SCOREBOARD = "SB"  # SB0..SB5, as DEPBAR names them
    SPECIAL = "SR"  # special registers, by name
    IMMEDIATE = "I"  # 32 bits as the instruction word holds them
    CONSTANT = "C"  # c[bank][offset]
    ADDRESS = "A"  # [Ra + URb + offset]
    LABEL = "L"  # a byte address inside the kernel
    TEXT = "T"  # what no other kind covers, kept as written

    __hash__ = object.__hash__  # members are one of a kind; Enum's own, in Python, is asked 200,000 times a program


@dataclass(frozen=True, slots=True, kw_only=True)
class Operand:
    """One operand.

    `index` is the register, predicate, barrier or constant-bank number (of an ADDRESS: its base register, 255 when it
    has none). `value` is the immediate's 32 bits, the constant's or address's signed byte offset, or a label's target.

    Example:
        >>> Operand(kind=Kind.REGISTER, index=4, negate=True, modifiers=("reuse",))
        Operand(kind=<Kind.REGISTER: 'R'>, index=4, negate=True, modifiers=('reuse',))

    """

    kind: Kind
    index: int = 255
    value: int = 0
    name: str = ""  # SPECIAL, TEXT: as written
    negate: bool = False  # -x; of a predicate: !p
    absolute: bool = False  # |x|
    invert: bool = False  # ~x
    modifiers: tuple[str, ...] = ()  # as written, without the dots: reuse, H0_H0, ROW, COL, 64, X4, U32, ...
    uniform: int = 63  # ADDRESS and CONSTANT: the uniform register added to it, 63 for none
    descriptor: int | None = None  # ADDRESS: the uniform register of desc[UR][...]; a bindless CONSTANT: cx[UR][...]
    base: int = 255  # CONSTANT: the register added to its offset, as in c[0x3][R4]; 255 for none

    def __repr__(self) -> str:
        shown = [
            f"{name}={getattr(self, name)!r}"
            for name, field in self.__dataclass_fields__.items()
            if name == "kind" or getattr(self, name) != field.default
        ]
        return f"Operand({', '.join(shown)})"
