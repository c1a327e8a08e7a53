"""Code under construction: instructions as text, with what the control codes will be made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum

__all__ = ["Board", "Code", "Line", "load_shared"]


class Board(IntEnum):
    """What each of a warp's six scoreboards is kept for."""

    GLOBAL = 0  # LDG data, or a group of LDGSTS, has arrived; S2R before the main loop
    FRAGMENTS_0 = 1  # the fragments of one set have arrived
    FRAGMENTS_1 = 2
    STORED = 3  # STS and STG have read their registers
    POINTERS = 4  # LDG or LDGSTS has read its address
    TENSOR = 5  # HMMA has written its result, and so has read its sources


@dataclass(frozen=True, slots=True)
class Line:
    """One instruction to be.

    A label in a branch's text stands in backticks and brackets: `(loop).
    """

    text: str
    write: int | None = None  # the scoreboard that its result is signalled through
    read: int | None = None  # ... that its sources have been read
    interval: int = 0  # of a matrix instruction: cycles to the next one


@dataclass(slots=True)
class Code:
    """Lines in order, with constructors for what differs between generations."""

    sm: int
    lines: list[Line] = field(default_factory=list)

    def add(self, text: str, *, write: int | None = None, read: int | None = None) -> None:
        """Append an instruction."""
        self.lines.append(Line(text, write, read))

    @property
    def parameter_base(self) -> int:
        """Where parameters start in constant bank 0."""
        return 0x210 if self.sm >= 90 else 0x160

    def parameter(self, offset: int) -> str:
        """Name a parameter as an operand."""
        return f"c[0x0][{self.parameter_base + offset:#x}]"

    def global_address(self, pointer: int, offset: int = 0) -> str:
        """Name an address in global memory: Hopper's compiler passes a descriptor along."""
        shown = f"+{offset:#x}" if offset else ""
        wide = ".64" if self.sm >= 80 else ""
        return f"{'desc[UR4]' if self.sm >= 90 else ''}[R{pointer}{wide}{shown}]"

    @property
    def global_scope(self) -> str:
        """The modifier of LDG and STG that went with Ampere."""
        return "" if self.sm >= 80 else ".SYS"

    def load_global(self, register: int, pointer: int, offset: int = 0, *, bits: int = 128, guard: str = "") -> Line:
        """Load a register or several from where a pointer points."""
        width = "" if bits == 32 else f".{bits}"
        text = f"{guard}LDG.E{width}{self.global_scope} R{register}, {self.global_address(pointer, offset)}"
        return Line(text, write=Board.GLOBAL, read=Board.POINTERS)

    def store_global(self, register: int, pointer: int, offset: int, bits: int) -> Line:
        """Store a register or several to where a pointer points."""
        width = "" if bits == 32 else f".{bits}"
        text = f"STG.E{width}{self.global_scope} {self.global_address(pointer, offset)}, R{register}"
        return Line(text, read=Board.STORED)

    def store_shared(self, address: int, offset: int, register: int, *, guard: str = "") -> Line:
        """Store 16 bytes to shared memory."""
        return Line(f"{guard}STS.128 {_shared(address, offset)}, R{register}", read=Board.STORED)

    def copy_async(self, address: int, offset: int, pointer: int, *, guard: str = "") -> Line:
        """Copy 16 bytes from where a pointer points to shared memory, past the registers."""
        text = f"{guard}LDGSTS.E.BYPASS.128 {_shared(address, offset)}, {self.global_address(pointer)}"
        return Line(text, read=Board.POINTERS)

    def group(self) -> Line:
        """Close a group of copies: a scoreboard counts those that have not arrived."""
        return Line("LDGDEPBAR", write=Board.GLOBAL)

    def wait_groups(self, pending: int) -> Line:
        """Wait until at most so many groups, the latest ones, have not arrived."""
        return Line(f"DEPBAR.LE SB{Board.GLOBAL:d}, {pending:#x}")

    def barrier(self) -> Line:
        """Wait for every warp of the block."""
        return Line(f"BAR.SYNC{'.DEFER_BLOCKING' if self.sm >= 80 else ''} 0x0")


def _shared(address: int, offset: int) -> str:
    return f"[R{address}{f'+{offset:#x}' if offset else ''}]"


def load_shared(opcode: str, register: int, address: int, offset: int, board: int, *, guard: str = "") -> Line:
    """Load fragments from shared memory: LDS, LDS.U.128 or LDSM."""
    return Line(f"{guard}{opcode} R{register}, {_shared(address, offset)}", write=board)
