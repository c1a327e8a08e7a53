"""Decoding of 128-bit instruction words by the instruction table, many at a time.

Words are grouped by the row of the table that they match; numpy then takes the row's fields and blocks out of all of
them at once, and only the joining of the text is done word by word. Words that differ only in what is never printed
are decoded once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache

import numpy as np
from numbers_text import float_text
from numpy.typing import NDArray
from table import Block, Encoding, Field, control_classes, encodings

from simtc.errors import BadInputError

__all__ = ["TABLES", "UnknownWordError", "decode", "texts"]

TABLES = (80, 86, 87, 89, 90)  # the generations that were learnt; nvdisasm reads the others
_Words = NDArray[np.uint64]
_Numbers = NDArray[np.int64]
_HALF = (1 << 64) - 1
# Never printed: stall, yield, barriers and wait mask, bits 105 to 121. 122 to 124, the reuse flags, are.
_PRINTED = np.uint64((1 << 41) - 1 | 0b111 << 58)
_LAST = {"R": 255, "UR": 63, "P": 7, "UP": 7}
_ZERO = {"R": "RZ", "UR": "URZ", "P": "PT", "UP": "UPT"}
_TARGET = "\0"


class UnknownWordError(BadInputError):
    """A word that no row of the table has."""


def decode(words: Sequence[int], sm: int) -> list[str]:
    """Return the text of every instruction of a kernel, as nvdisasm prints it, branch targets as `(0x...).

    Args:
        words: the kernel's 128-bit words in order, the first at address 0.
        sm: its generation, one of TABLES.

    Raises:
        UnknownWordError: the table has no row for a word; the message names it, its address and the nearest row.

    Source: the rows are learnt from nvdisasm's answers (validate/encoding); `simtc sass FILE --cross-check` compares.

    Example:
        >>> decode([0x000FC400078E02FF0000000502037824], 80)
        ['IMAD R3, R2, 0x5, RZ']

    """
    found = texts(words, sm)
    for place, text in enumerate(found):
        if text is None:
            raise UnknownWordError(_unknown(words[place], 16 * place, sm))
    return [text for text in found if text is not None]


def texts(words: Sequence[int], sm: int) -> list[str | None]:
    """Return the same, with None for every word that the table does not have."""
    data = np.frombuffer(b"".join(word.to_bytes(16, "little") for word in words), np.uint64).reshape(-1, 2)
    low, high = data[:, 0], data[:, 1]
    printed = high & _PRINTED
    order = np.lexsort((low, printed))
    first = np.ones(len(order), np.bool_)
    first[1:] = (np.diff(low[order]) != 0) | (np.diff(printed[order]) != 0)
    inverse = np.empty(len(order), np.int64)
    inverse[order] = np.cumsum(first) - 1
    chosen = order[first]
    unique, control = _unique_texts(low[chosen], printed[chosen], sm)
    codes, barriers = _control_tables()
    chosen_class = control[inverse]
    legal = codes[chosen_class, _control_code(high)] & (high >> np.uint64(61) == 0)
    legal &= barriers[chosen_class, (high >> np.uint64(46) & np.uint64(63)).astype(np.int64)]
    found = [unique[place] if good else None for place, good in zip(inverse.tolist(), legal.tolist(), strict=True)]
    return [
        _at(text, 16 * place, 16 * len(words)) if text and _TARGET in text else text for place, text in enumerate(found)
    ]


def _at(text: str, address: int, size: int) -> str:
    """Put the address of a branch target for its distance; one outside the kernel has no label."""
    body, _, distance = text.partition(_TARGET)
    target = address + 16 + int(distance)
    return f"{body}`({target:#x})" if 0 <= target < size else f"{body}{target:#x}"


def _control_code(high: _Words) -> _Numbers:
    """Return stall and yield (five bits) and the reuse flags as one number."""
    return (high >> np.uint64(41) & np.uint64(31) | (high >> np.uint64(58) & np.uint64(7)) << np.uint64(5)).astype(
        np.int64
    )


@cache
def _control_tables() -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which codes of stall, yield and reuse, and which pairs of barriers, each class has."""
    classes = control_classes()
    codes, barriers = np.zeros((len(classes), 256), np.bool_), np.zeros((len(classes), 64), np.bool_)
    for number, (one, two) in enumerate(classes.values()):
        codes[number, list(one)] = True
        barriers[number, list(two)] = True
    return codes, barriers


def _unique_texts(low: _Words, high: _Words, sm: int) -> tuple[list[str | None], _Numbers]:
    """Return the text of each word, and the number of its class of control codes."""
    found: list[str | None] = [None] * len(low)
    control = np.zeros(len(low), np.int64)
    forms = (low & np.uint64(0xFFF) | (high >> np.uint64(27) & np.uint64(1)) << np.uint64(12)).astype(np.int64)
    order = np.argsort(forms, kind="stable")
    edges = np.flatnonzero(np.diff(forms[order])) + 1
    for places in np.split(order, edges):
        if not len(places):
            continue
        for reader in _readers(sm).get(int(forms[places[0]]), ()):
            mine = places[reader.matches(low[places], high[places])]
            if len(mine):
                control[mine] = reader.control
                reader.read(low[mine], high[mine], mine, found)
    return found, control


@cache
def _readers(sm: int) -> dict[int, list[_Reader]]:
    return {form: [_Reader(row) for row in rows] for form, rows in encodings(sm).items()}


@dataclass(slots=True)
class _Reader:
    """One row, ready to read words: its templates by the states of its blocks, made when they are first met."""

    row: Encoding
    templates: dict[int, tuple[str, tuple[int, ...]] | None] = field(default_factory=dict)

    @property
    def control(self) -> int:
        """The number of the row's class of control codes."""
        return list(control_classes()).index(self.row.control)

    def matches(self, low: _Words, high: _Words) -> NDArray[np.bool_]:
        """Tell which words agree with the row's fixed bits."""
        mask, value = self.row.mask, self.row.value
        same = low & np.uint64(mask & _HALF) == np.uint64(value & _HALF)
        return np.asarray(same & (high & np.uint64(mask >> 64) == np.uint64(value >> 64)), np.bool_)

    def read(self, low: _Words, high: _Words, places: _Numbers, found: list[str | None]) -> None:
        """Write the text of words that match into `found`, at their places."""
        raws = [_raw(one, low, high) for one in self.row.fields]
        code = np.zeros(len(low), np.int64)
        for block in self.row.blocks:
            code = code * len(block.states) + self._state(block, raws, low, high)
        order = np.argsort(code, kind="stable")
        for group in np.split(order, np.flatnonzero(np.diff(code[order])) + 1):
            template = self._template(int(code[group[0]]))
            if template is None:
                continue
            text, shown = template
            columns = [
                _shown(self.row.fields[abs(number)], raws[abs(number)][group], unsigned=number < 0) for number in shown
            ]
            for place, values in zip(
                places[group].tolist(), zip(*columns, strict=True) if columns else [()] * len(group), strict=True
            ):
                found[place] = (text % values).rstrip()

    def _state(self, block: Block, raws: list[_Words], low: _Words, high: _Words) -> _Numbers:
        bits = _bits(low, high, block.bits[::-1]).astype(np.int64)
        for number in block.fields:
            bits = bits * 5 + _kind_of_value(self.row.fields[number], raws[number])
        return bits

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
        else:
            text += part if isinstance(part, str) else f"{{{part}}}"
    literal, shown = "", []
    for number, piece in enumerate(text.replace("%", "%%").replace("{", "}").split("}")):
        if number % 2:
            alone = literal.endswith(" [") and row.fields[int(piece)].kind == "H"  # no register before it: no sign
            shown.append(-int(piece) if alone else int(piece))
            literal += "%s"
        else:
            literal += piece
    return literal.replace("<", "{").replace(">", "}"), tuple(shown)


def _bits(low: _Words, high: _Words, bits: Sequence[int]) -> _Words:
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


def _raw(one: Field, low: _Words, high: _Words) -> _Words:
    found = _bits(low, high, one.bits)
    return found ^ np.uint64((1 << len(one.bits)) - 1) if one.inverted else found


def _kind_of_value(one: Field, raw: _Words) -> _Numbers:
    """Return what kind of value each field holds, as the table numbers them."""
    if one.kind in _LAST:
        return np.asarray(raw == np.uint64((1 << len(one.bits)) - 1), np.int64)
    if one.kind == "SB":
        return (raw > 5).astype(np.int64)
    ones = (1 << len(one.bits)) - 1
    power = (raw & (raw - np.uint64(1)) == 0) & (raw != 1 << 16) & (raw != 1 << 31)
    full = (raw == ones) & (3 <= ones <= 255)
    return np.asarray(np.select([full, raw == 0, raw == 1, power], [4, 1, 2, 3], 0), np.int64)


def _shown(one: Field, raw: _Words, *, unsigned: bool) -> list[str]:
    """Return what one field prints in each word; a branch target as its distance, for _at."""
    if one.kind in ("H", "T"):
        values = raw.astype(np.int64)
        if one.signed and not unsigned:
            values = np.where(raw >> np.uint64(len(one.bits) - 1) != 0, values - (1 << len(one.bits)), values)
        form = "{:#x}" if one.kind == "H" else _TARGET + "{}"
        return [form.format(number) for number in (values * one.scale).tolist()]
    if one.kind in _ZERO or one.kind in ("B", "SB"):
        names = _names(one.kind, 1 << len(one.bits))
        return [names[value] for value in raw.tolist()]
    return [float_text(int(value), one.kind) for value in raw.tolist()]


@cache
def _names(kind: str, count: int) -> list[str]:
    return [_ZERO[kind] if number == _LAST.get(kind) else f"{kind}{number}" for number in range(count)]


def _unknown(word: int, address: int, sm: int) -> str:
    """Say which word no row has, and which row is the nearest."""
    rows = [row for each in encodings(sm).values() for row in each]
    where = f"word {word:#034x} at {address:#06x} is no sm_{sm} instruction that simtc's table has"
    if not rows:
        return f"{where}: it has none of sm_{sm}, only of {', '.join(f'sm_{known}' for known in TABLES)}"
    near = min(rows, key=lambda row: ((word ^ row.value) & row.mask).bit_count())
    differing = (word ^ near.value) & near.mask
    bits = ", ".join(str(bit) for bit in range(128) if differing >> bit & 1)
    if bits:
        return f"{where}; the nearest row is {near.opcode} (form {near.form:#05x}), which has other bits {bits}"
    return f"{where}; it would be {near.opcode} (form {near.form:#05x}), in a combination of modifiers that is unknown"
