"""One row of the encoding table, ready to read many words at once.

numpy takes the row's fields and blocks out of all words together; only the joining of the text is done word by word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numpy.typing import NDArray

from simtc.sass.decoder.floats import float_text
from simtc.sass.decoder.table import Encoding, Field

__all__ = ["TARGET", "Numbers", "Reader", "Words"]

Words = NDArray[np.uint64]
Numbers = NDArray[np.int64]
TARGET = "\0"  # stands before the distance to a branch target, whose address depends on where the word stands
_HALF = (1 << 64) - 1
_LAST = {"R": 255, "UR": 63, "P": 7, "UP": 7}
_ZERO = {"R": "RZ", "UR": "URZ", "P": "PT", "UP": "UPT"}


@dataclass(slots=True)
class Reader:
    """One row, ready to read words: its templates by the states of its blocks, made when they are first met."""

    row: Encoding
    templates: dict[int, tuple[str, tuple[int, ...]] | None] = field(default_factory=dict)

    def matches(self, low: Words, high: Words) -> NDArray[np.bool_]:
        """Tell which words agree with the row's fixed bits."""
        mask, value = self.row.mask, self.row.value
        same = low & np.uint64(mask & _HALF) == np.uint64(value & _HALF)
        return np.asarray(same & (high & np.uint64(mask >> 64) == np.uint64(value >> 64)), np.bool_)

    def read(self, low: Words, high: Words, places: Numbers, found: list[str | None]) -> Numbers:
        """Write the texts of words that match into `found`; return the places of those that have one."""
        raws = self.raws(low, high)
        code = np.zeros(len(low), np.int64)
        for block, states in zip(self.row.blocks, self.states(raws, low, high), strict=True):
            code = code * len(block.states) + states
        order = np.argsort(code, kind="stable")
        written = []
        for group in np.split(order, np.flatnonzero(np.diff(code[order])) + 1):
            template = self._template(int(code[group[0]]))
            if template is None:
                continue
            written.append(places[group])
            text, shown = template
            columns = [
                _shown(self.row.fields[abs(number)], raws[abs(number)][group], unsigned=number < 0) for number in shown
            ]
            for place, values in zip(
                places[group].tolist(), zip(*columns, strict=True) if columns else [()] * len(group), strict=True
            ):
                found[place] = (text % values).rstrip()
        return np.concatenate(written) if written else places[:0]

    def raws(self, low: Words, high: Words) -> list[Words]:
        """Return the bits of each field in each word as one number."""
        return [_raw(one, low, high) for one in self.row.fields]

    def states(self, raws: list[Words], low: Words, high: Words) -> list[Numbers]:
        """Return of each block in which state it is in each word."""
        found = []
        for block in self.row.blocks:
            bits = _bits(low, high, block.bits[::-1]).astype(np.int64)
            for number in block.fields:
                bits = bits * 5 + _kind_of_value(self.row.fields[number], raws[number])
            found.append(bits)
        return found

    def _template(self, code: int) -> tuple[str, tuple[int, ...]] | None:
        """Return the text of one combination of states, with %s for the fields that are shown; None if refused."""
        if code in self.templates:
            return self.templates[code]
        rest, states = code, []
        for block in reversed(self.row.blocks):
            rest, state = divmod(rest, len(block.states))
            states.append(block.states[state])
        states.reverse()
        made = None if None in states else _filled(self.row, [state or () for state in states])
        self.templates[code] = made
        return made


def _filled(row: Encoding, states: Sequence[tuple[str, ...]]) -> tuple[str, tuple[int, ...]]:
    text = ""
    for part in row.text:
        if isinstance(part, tuple):
            text += states[part[0]][part[1]]
        elif isinstance(part, str):
            text += part
        else:
            text += f"{{{part}}}"
    literal, shown = "", []
    for number, piece in enumerate(text.replace("%", "%%").replace("{", "}").split("}")):
        if number % 2:
            alone = literal.endswith(" [") and row.fields[int(piece)].beside
            shown.append(-int(piece) if alone else int(piece))
            literal += "%s"
        else:
            literal += piece
    return literal.replace("<", "{").replace(">", "}"), tuple(shown)


def _bits(low: Words, high: Words, bits: Sequence[int]) -> Words:
    """Gather bits of the words, the lowest first, run by run."""
    found = np.zeros(low.shape, np.uint64)
    place = 0
    while place < len(bits):
        end = place + 1
        while end < len(bits) and bits[end] == bits[end - 1] + 1 and bits[end] != 64:
            end += 1
        half, first = (low, bits[place]) if bits[place] < 64 else (high, bits[place] - 64)
        found |= (half >> np.uint64(first) & np.uint64((1 << end - place) - 1)) << np.uint64(place)
        place = end
    return found


def _raw(one: Field, low: Words, high: Words) -> Words:
    found = _bits(low, high, one.bits)
    return found ^ np.uint64((1 << len(one.bits)) - 1) if one.inverted else found


def _kind_of_value(one: Field, raw: Words) -> Numbers:
    """Return what kind of value each field holds, as the table numbers them."""
    if one.kind in _LAST:
        return np.asarray(raw == np.uint64((1 << len(one.bits)) - 1), np.int64)
    if one.kind == "SB":
        return (raw > 5).astype(np.int64)
    ones = (1 << len(one.bits)) - 1
    power = (raw & (raw - np.uint64(1)) == 0) & (raw != 1 << 16) & (raw != 1 << 31)
    full = (raw == ones) & (3 <= ones <= 255)
    return np.asarray(np.select([full, raw == 0, raw == 1, power], [4, 1, 2, 3], 0), np.int64)


def _shown(one: Field, raw: Words, *, unsigned: bool) -> list[str]:
    """Return what one field prints in each word; a branch target as its distance, for _at."""
    if one.kind in ("H", "T"):
        values = raw.astype(np.int64)
        if one.signed and not unsigned:
            values = np.where(raw >> np.uint64(len(one.bits) - 1) != 0, values - (1 << len(one.bits)), values)
        form = "{:#x}" if one.kind == "H" else TARGET + "{}"
        return [form.format(number) for number in (values * one.scale).tolist()]
    if one.kind in _ZERO or one.kind in ("B", "SB"):
        names = _names(one.kind, 1 << len(one.bits))
        return [names[value] for value in raw.tolist()]
    return [float_text(int(value), one.kind) for value in raw.tolist()]


@cache
def _names(kind: str, count: int) -> list[str]:
    return [_ZERO[kind] if number == _LAST.get(kind) else f"{kind}{number}" for number in range(count)]
