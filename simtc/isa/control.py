"""The control code that the compiler puts into every instruction word."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

__all__ = ["ControlCode"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ControlCode:
    """Bits 124:105 of a 128-bit instruction word.

    Example:
        >>> code = ControlCode.from_word(0x000FCA00078E00FF << 64)
        >>> code
        ControlCode(stall=5, yields=True, write_barrier=None, read_barrier=None, wait_mask=0, reuse=0)
        >>> hex(code.to_bits() << 105 >> 64)
        '0xfca0000000000'

    """

    stall: int = 1  # cycles before this warp may issue its next instruction
    yields: bool = False  # prefer another warp at the next issue (the bit is active low)
    write_barrier: int | None = None  # scoreboard released when the result is written
    read_barrier: int | None = None  # scoreboard released when the sources have been read
    wait_mask: int = 0  # scoreboards that must be zero before this instruction issues
    reuse: int = 0  # operand slots a, b, c kept in the reuse cache, bits 0, 1, 2

    def __post_init__(self) -> None:
        for name, limit in (("stall", 16), ("wait_mask", 64), ("reuse", 8)):
            if not 0 <= getattr(self, name) < limit:
                raise ValueError(f"{name} {getattr(self, name)} is outside 0..{limit - 1}")
        for barrier in (self.write_barrier, self.read_barrier):
            if barrier is not None and not 0 <= barrier < 6:
                raise ValueError(f"scoreboard {barrier} is outside 0..5")

    @classmethod
    def from_word(cls, word: int) -> ControlCode:
        """Decode the control field of a 128-bit instruction word."""
        return _from_bits(word >> 105 & 0xFFFFF)

    def to_bits(self) -> int:
        """Encode back to the 20-bit field (before it is shifted to bit 105)."""
        write = 7 if self.write_barrier is None else self.write_barrier
        read = 7 if self.read_barrier is None else self.read_barrier
        return self.stall | (not self.yields) << 4 | write << 5 | read << 8 | self.wait_mask << 11 | self.reuse << 17


@lru_cache(maxsize=65536)  # a kernel of 100,000 instructions has some hundred control codes
def _from_bits(bits: int) -> ControlCode:
    write, read = bits >> 5 & 7, bits >> 8 & 7
    return ControlCode(
        stall=bits & 15,
        yields=not bits >> 4 & 1,
        write_barrier=None if write >= 6 else write,
        read_barrier=None if read >= 6 else read,
        wait_mask=bits >> 11 & 63,
        reuse=bits >> 17 & 7,
    )
