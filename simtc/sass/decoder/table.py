"""The encoding part of the instruction table: which bits of a 128-bit word say what, by form and generation.

A row of rows.jsonl (one a line) is one way in which words are printed:

    opcode   as in opcodes.toml
    sm       the generations that have it
    match    bits 11:0 (and `u` where bit 91 is set), then single bits that must hold a value
    text     what nvdisasm prints, with {0}, {1} ... for fields and {a}, {b0} ... for pieces that blocks decide
    fields   kind and bits, the lowest first: R, UR, P, UP, B, SB a register's number (with ~ its bits are inverted),
             H an integer in hexadecimal (Hs signed; Hb signed beside a base register, but not where that is RZ and the
             integer stands alone in its bracket; H*4 times 4), T a code address, counted from the instruction's end,
             f32, f64, f16, bf16 a float's bits (f32q and f16q where every NaN is printed as quiet)
    a, b ... blocks: the digits `of` which they consist (12 is bit 12, f3 what kind of value field 3 holds), and for
             each of their states what they print (one text for each place); a state that is not there is refused.
             Of a register 1 is RZ, URZ, PT; of a scoreboard 1 is one that there is not; of an integer 1 is zero, 2 one,
             3 another power of two (but 2**16 and 2**31, which nvdisasm does not take for a shift), 4 all ones, if it
             has 2 to 8 bits; 0 is anything else.
    control  the class of the row's control codes, of those in the first line

How it was learnt is the same for all of it: each bit of a field by changing it alone, a block of one digit in both its
states, a block of several in all of them together (validate/encoding/README.md). A word that no row has is not decoded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

__all__ = ["Block", "Encoding", "Field", "Table", "control_classes", "encoding", "generations", "table"]

_PATH = Path(__file__).with_name("rows.jsonl")
_SLOT = re.compile(r"\{(\d+|[a-z]\d*)\}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field:
    """Bits that print as one number."""

    kind: str  # R, UR, P, UP, B, SB, H, T, f32, f32q, f64, f16, f16q, bf16
    bits: tuple[int, ...]  # the lowest first
    inverted: bool = False
    signed: bool = False
    beside: bool = False  # signed beside a base register only
    scale: int = 1

    @classmethod
    def parse(cls, text: str) -> Field:
        """Read a field as the table writes it.

        Example:
            >>> Field.parse("Hs*4 40:42,60")
            Field(kind='H', bits=(40, 41, 42, 60), inverted=False, signed=True, beside=False, scale=4)

        """
        match = re.fullmatch(r"(f16q?|f32q?|f64|bf16|[A-Z]+)(~?)([sb]?)(?:\*(\d+))? ([\d:,]+)", text)
        if match is None:
            raise ValueError(f"{text!r} is no field")
        bits: list[int] = []
        for run in match[5].split(","):
            low, _, high = run.partition(":")
            bits += range(int(low), int(high or low) + 1)
        return cls(
            kind=match[1],
            bits=tuple(bits),
            inverted=bool(match[2]),
            signed=bool(match[3]),
            beside=match[3] == "b",
            scale=int(match[4] or 1),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Digits that decide together what is printed in some places."""

    bits: tuple[int, ...]
    fields: tuple[int, ...]
    states: tuple[tuple[str, ...] | None, ...]  # by the digits as one number, the first the most significant

    @property
    def radices(self) -> tuple[int, ...]:
        """How many states each digit has: two of a bit, five of a field."""
        return (2,) * len(self.bits) + (5,) * len(self.fields)


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """One row: the words that agree with `value` in the bits of `mask`."""

    opcode: str
    sms: tuple[int, ...]
    mask: int
    value: int
    text: tuple[str | tuple[int, int] | int, ...]  # literal text, (block, place), or a field's number
    fields: tuple[Field, ...]
    blocks: tuple[Block, ...]
    control: str = ""  # of control_classes


def _block(entry: Mapping[str, Any], places: int) -> Block:
    digits = entry["of"].split()
    bits = tuple(int(digit) for digit in digits if digit[0] != "f")
    fields = tuple(int(digit[1:]) for digit in digits if digit[0] == "f")
    table = {key: (value,) if isinstance(value, str) else tuple(value) for key, value in entry["is"].items()}
    keys = product(*("01" for _ in bits), *("01234" for _ in fields))
    states = tuple(table.get("".join(key)) for key in keys)
    if not table or any(state is not None and len(state) != places for state in states):
        raise ValueError(f"a block of {entry['of']} has not one text for each of its {places} places")
    return Block(bits=bits, fields=fields, states=states)


def encoding(row: Mapping[str, Any]) -> Encoding:
    """Read a row as the table has it."""
    form, *bits = row["match"].split()
    mask, value = 0xFFF | 1 << 91, int(form, 16)
    for bit in bits:
        if bit == "u":
            value |= 1 << 91
            continue
        number, _, state = bit.partition("=")
        mask, value = mask | 1 << int(number), value | int(state) << int(number)
    names = [name for name in row if len(name) == 1]
    parts: list[str | tuple[int, int] | int] = []
    places = dict.fromkeys(names, 0)
    for number, piece in enumerate(_SLOT.split(row["text"])):
        if number % 2 == 0:
            parts += [piece] if piece else []
        elif piece.isdigit():
            parts.append(int(piece))
        else:
            parts.append((names.index(piece[0]), int(piece[1:] or 0)))
            places[piece[0]] += 1
    return Encoding(
        opcode=row["opcode"],
        sms=tuple(row["sm"]),
        mask=mask,
        value=value,
        text=tuple(parts),
        fields=tuple(Field.parse(field) for field in row["fields"]),
        blocks=tuple(_block(row[name], places[name]) for name in names),
        control=row["control"],
    )


@cache
def _lines() -> tuple[Mapping[str, Any], ...]:
    lines = _PATH.read_text(encoding="utf-8").splitlines()
    return tuple(json.loads(f"[{','.join(lines)}]"))


class Table:
    """The rows of one generation; each is read when its form is first met."""

    def __init__(self, sm: int) -> None:
        self.sm = sm
        self._raw: dict[int, list[Mapping[str, Any]]] = {}
        self._rows: dict[int, tuple[Encoding, ...]] = {}
        for row in _lines()[1:]:
            if sm in row["sm"]:
                self._raw.setdefault(_form(row["match"]), []).append(row)

    def __iter__(self) -> Iterator[Encoding]:
        """Yield every row."""
        for form in self._raw:
            yield from self.of(form)

    def __bool__(self) -> bool:
        """Tell whether the generation was learnt."""
        return bool(self._raw)

    def of(self, form: int) -> tuple[Encoding, ...]:
        """Return the rows of a form: bits 11:0 of the word, and bit 91 as bit 12."""
        if form not in self._rows:
            self._rows[form] = tuple(map(encoding, self._raw.get(form, ())))
        return self._rows[form]


def _form(match: str) -> int:
    first, *bits = match.split()
    return int(first, 16) | ("u" in bits) << 12


@cache
def table(sm: int) -> Table:
    """Return the rows of a generation; none where simtc has not learnt it.

    Example:
        >>> {row.opcode for row in table(80).of(0x210)}
        {'IADD3'}

    """
    return Table(sm)


@cache
def generations() -> tuple[int, ...]:
    """Return the generations that the table has."""
    return tuple(sorted({sm for row in _lines()[1:] for sm in row["sm"]}))


@cache
def control_classes() -> Mapping[str, tuple[frozenset[int], frozenset[int]]]:
    """Return which control codes the instructions of a class may have.

    First, which values of stall and yield (bits 105 to 109) with the reuse flags (122 to 124) above them; then, which
    of the write barrier (110 to 112) with the read barrier (113 to 115) above it. Bits 125 to 127 are always zero.
    """
    classes = _lines()[0]["control"]
    return {
        name: (_numbers(entry["stall_yield_reuse"]), _numbers(entry["barriers"])) for name, entry in classes.items()
    }


def _numbers(runs: Iterable[tuple[int, int]]) -> frozenset[int]:
    return frozenset(number for low, high in runs for number in range(low, high + 1))
