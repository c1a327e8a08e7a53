"""The opcode table: where each instruction executes, which operands it writes, and how its result is signalled."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

from simtc.errors import BadInputError, nearest
from simtc.isa.program import Instruction
from simtc.isa.widths import RULES

__all__ = ["ACCESSES", "SPACES", "UNITS", "Opcode", "opcode_of", "opcodes"]

UNITS = ("alu", "fma", "fmaheavy", "fp16", "fp64", "xu", "uniform", "tensor", "lsu", "adu", "cbu", "none")
SPACES = ("global", "generic", "shared", "local")
ACCESSES = (
    "shared_load", "shared_store", "global_load", "global_store", "copy", "exchange", "atomic", "group",
)  # fmt: skip
_TABLE = Path(__file__).with_name("opcodes.toml")
_TOKENS = {"R", "P", "B", "RB", "R?", "P?"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Opcode:
    """One opcode, whatever its modifiers; opcodes.toml says what the fields mean."""

    name: str
    unit: str
    latency: str
    writes: str
    does: str  # in words, for a reader
    fixed_from: int | None = None
    widths: str = "single"
    spaces: tuple[str, ...] = ()
    access: str = ""
    row: str = ""
    like: str = ""
    joins: bool = False

    def __post_init__(self) -> None:
        wrong = [
            self.unit not in UNITS,
            self.latency not in ("fixed", "variable"),
            self.fixed_from is not None and self.latency == "fixed",
            not set(self.writes.split()) <= _TOKENS,
            self.widths not in RULES,
            not set(self.spaces) <= set(SPACES),
            self.access not in ("", *ACCESSES),
            bool(self.row and self.like),
            not self.does,
        ]
        if any(wrong):
            raise ValueError(f"opcode {self.name} is described wrongly: {self!r}")

    @property
    def is_long(self) -> bool:
        """True where its result may come from beyond the SM: what waits for it waits at a long scoreboard."""
        return self.access == "group" or not {"global", "generic", "local"}.isdisjoint(self.spaces)

    def is_fixed_latency(self, sm: int) -> bool:
        """Tell whether the compiler of generation `sm` counts cycles for it instead of waiting for a scoreboard."""
        return self.latency == "fixed" or (self.fixed_from is not None and sm >= self.fixed_from)


@cache
def opcodes() -> Mapping[str, Opcode]:
    """Return every opcode that simtc knows, by name.

    Example:
        >>> opcodes()["HMMA"].is_fixed_latency(75), opcodes()["HMMA"].is_fixed_latency(80)
        (False, True)

    """
    table = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    return MappingProxyType(
        {name: Opcode(name=name, **row | {"spaces": tuple(row.get("spaces", ()))}) for name, row in table.items()}
    )


def opcode_of(instruction: Instruction) -> Opcode:
    """Return what is known of an instruction's opcode.

    Raises:
        BadInputError: nothing is; the message names the nearest that is known.

    Example:
        >>> opcode_of(Instruction(address=0, opcode="LDG")).unit
        'lsu'
        >>> opcode_of(Instruction(address=16, opcode="LDGX"))
        Traceback (most recent call last):
        simtc.errors.BadInputError: unknown opcode LDGX at 0x0010; the nearest known is LDG

    """
    found = opcodes().get(instruction.opcode)
    if found is None:
        close = nearest(instruction.opcode, opcodes())
        hint = f"; the nearest known is {close}" if close else ""
        raise BadInputError(f"unknown opcode {instruction.opcode} at {instruction.address:#06x}{hint}")
    return found
