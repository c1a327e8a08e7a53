"""Decoding of 128-bit instruction words by the encoding table, many at a time.

Words are grouped by the row of the table that they match. Words that differ only in what is never printed are decoded
once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from simtc.errors import BadInputError
from simtc.sass.decoder.reader import TARGET, Numbers, Reader, Words
from simtc.sass.decoder.table import control_classes, generations, table

__all__ = ["UnknownWordError", "decode", "texts"]

# Never printed: stall, yield, barriers and wait mask, bits 105 to 121. 122 to 124, the reuse flags, are.
_PRINTED = np.uint64((1 << 41) - 1 | 0b111 << 58)


class UnknownWordError(BadInputError):
    """A word that no row of the table has, in the kernel of this number."""

    def __init__(self, message: str, *, kernel: int = 0) -> None:
        super().__init__(message)
        self.kernel = kernel


def decode(codes: Sequence[bytes], sm: int) -> list[list[str]]:
    """Return the text of every instruction of some kernels, as nvdisasm prints it, branch targets as `(0x...).

    Args:
        codes: each kernel's instructions, 16 bytes each, the first at address 0.
        sm: their generation, such as 75.

    Raises:
        UnknownWordError: the table has no row for a word; the message names it, its address and the nearest row.

    Source: the rows are learnt from nvdisasm's answers (validate/encoding); `simtc sass FILE --cross-check` compares.

    Example:
        >>> decode([0x000FC400078E02FF0000000502037824.to_bytes(16, "little")], 80)
        [['IMAD R3, R2, 0x5, RZ']]

    """
    found = []
    for number, (code, lines) in enumerate(zip(codes, texts(codes, sm), strict=True)):
        found.append([text for text in lines if text is not None])
        if None in lines:
            at = 16 * lines.index(None)
            raise UnknownWordError(_unknown(int.from_bytes(code[at : at + 16], "little"), at, sm), kernel=number)
    return found


def texts(codes: Sequence[bytes], sm: int) -> list[list[str | None]]:
    """Return the same, with None for every word that the table does not have."""
    data = np.frombuffer(b"".join(codes), np.uint64).reshape(-1, 2)
    if not len(data):
        return [[] for _ in codes]
    low, high = data[:, 0], data[:, 1]
    printed = high & _PRINTED
    order = np.lexsort((low, printed))
    first = np.ones(len(order), np.bool_)
    first[1:] = (np.diff(low[order]) != 0) | (np.diff(printed[order]) != 0)
    inverse = np.empty(len(order), np.int64)
    inverse[order] = np.cumsum(first) - 1
    chosen = order[first]
    unique, control = _unique_texts(low[chosen], printed[chosen], sm)
    codes_of, barriers = _control_tables()
    chosen_class = control[inverse]
    legal = codes_of[chosen_class, _control_code(high)] & (high >> np.uint64(61) == 0)
    legal &= barriers[chosen_class, (high >> np.uint64(46) & np.uint64(63)).astype(np.int64)]
    found = [unique[place] if good else None for place, good in zip(inverse.tolist(), legal.tolist(), strict=True)]
    parts, start = [], 0
    for code in codes:
        mine = found[start : (start := start + len(code) // 16)]
        parts.append([
            _at(text, 16 * place, len(code)) if text and TARGET in text else text for place, text in enumerate(mine)
        ])  # fmt: skip
    return parts


def _at(text: str, address: int, size: int) -> str:
    """Put the address of a branch target for its distance; one outside the kernel has no label."""
    body, _, distance = text.partition(TARGET)
    target = address + 16 + int(distance)
    return f"{body}`({target:#x})" if 0 <= target < size else f"{body}{target:#x}"


def _control_code(high: Words) -> Numbers:
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


def _unique_texts(low: Words, high: Words, sm: int) -> tuple[list[str | None], Numbers]:
    """Return the text of each word, and the number of its class of control codes."""
    found: list[str | None] = [None] * len(low)
    control = np.zeros(len(low), np.int64)
    forms = (low & np.uint64(0xFFF) | (high >> np.uint64(27) & np.uint64(1)) << np.uint64(12)).astype(np.int64)
    order = np.argsort(forms, kind="stable")
    edges = np.flatnonzero(np.diff(forms[order])) + 1
    for places in np.split(order, edges):
        if not len(places):
            continue
        for control_class, reader in _readers(sm, int(forms[places[0]])):
            mine = places[reader.matches(low[places], high[places])]
            if len(mine):
                control[reader.read(low[mine], high[mine], mine, found)] = control_class
    return found, control


@cache
def _readers(sm: int, form: int) -> tuple[tuple[int, Reader], ...]:
    """Return the readers of a form, each with the number of its class of control codes."""
    classes = list(control_classes())
    return tuple((classes.index(row.control), Reader(row)) for row in table(sm).of(form))


def _unknown(word: int, address: int, sm: int) -> str:
    """Say which word no row has, and which row is the nearest."""
    rows = list(table(sm))
    where = f"word {word:#034x} at {address:#06x} is no sm_{sm} instruction that simtc's table has"
    if not rows:
        return f"{where}: it has none of sm_{sm}, only of {', '.join(f'sm_{known}' for known in generations())}"
    near = min(rows, key=lambda row: ((word ^ row.value) & row.mask).bit_count())
    differing = (word ^ near.value) & near.mask
    row = f"{near.opcode} (form {near.value & 0xFFF:#05x})"
    if differing:
        bits = ", ".join(str(bit) for bit in range(128) if differing >> bit & 1)
        return f"{where}; the nearest row is {row}, which has other bits {bits}"
    return f"{where}; it would be {row}, in a combination of modifiers that is unknown"
