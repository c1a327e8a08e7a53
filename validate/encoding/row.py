"""What is learnt of a form: a row, its fields, and the blocks of digits that decide together about a piece of its text.

Bits whose change adds a power of two to one printed number are that number's field. All other bits, and the question
whether a field holds a special value (RZ, PT, zero ...), are digits. A block is a set of digits that decide together
about one piece of the text; the text is the pieces side by side.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from text import Field

__all__ = ["CONTROL_MASK", "FREE", "Block", "Digit", "Part", "Region", "Row", "special"]

FREE = tuple(bit for bit in (*range(12, 105), 122, 123, 124) if bit != 91)
CONTROL_MASK = (1 << 128) - (1 << 105)
Part = str | int


@dataclass(frozen=True, slots=True)
class Region:
    """Words that agree with `value` in the bits of `mask`; `start` is one that nvdisasm prints."""

    mask: int
    value: int
    start: int

    def holds(self, word: int) -> bool:
        """Tell whether a word lies in it."""
        return word & self.mask == self.value

    def split(self, bits: int, start: int) -> Region:
        """Return the part of it that agrees with `start` in these bits too."""
        mask = self.mask | bits
        return Region(mask, start & mask, start)


@dataclass(frozen=True, slots=True)
class Digit:
    """One bit, or what kind of value a field holds; `states` says how to make each."""

    name: tuple[str, int]
    states: tuple[tuple[int, int], ...]  # mask and bits to put

    def state(self, word: int, fields: list[Field]) -> int:
        """Return which state a word has."""
        kind, number = self.name
        if kind == "bit":
            return word >> number & 1
        return special(fields[number], word)


def special(one: Field, word: int) -> int:
    """Return what kind of value a field holds, as simtc.isa.encoding numbers them."""
    raw, ones = one.raw(word), (1 << len(one.bits)) - 1
    if one.kind == "SB":
        return int(raw > 5)
    if one.kind != "H":
        return int(raw == ones)
    if raw == ones and 3 <= ones <= 255:
        return 4
    return {0: 1, 1: 2, 1 << 16: 0, 1 << 31: 0}.get(raw, 3 if raw & raw - 1 == 0 else 0)


@dataclass(slots=True)
class Block:
    """Digits that decide together; `table` has, for each of their states, what is printed in each of the places.

    A place is a stretch from..to of the row's parts; None instead of pieces means that nvdisasm refuses the state.
    """

    digits: tuple[Digit, ...]
    table: dict[tuple[int, ...], tuple[tuple[Part, ...], ...] | None] = field(default_factory=dict)
    places: tuple[tuple[int, int], ...] = ()
    base: tuple[int, ...] = ()  # the states in the row's own word
    order: int = 0
    dead: bool = False  # decides nothing


@dataclass(slots=True)
class Row:
    """What was learnt of a region."""

    region: Region
    fields: list[Field]
    parts: list[Part]
    blocks: list[Block]
    open: list[tuple[int, str | None, str | None]] = field(default_factory=list)  # word, nvdisasm, row

    def text(self, word: int) -> str | None:
        """Return what the row prints, None where it has no entry."""
        pieces: list[tuple[int, int, int, tuple[Part, ...]]] = []
        for block in self.blocks:
            if block.dead:
                continue
            key = tuple(
                [
                    word >> digit.name[1] & 1 if digit.name[0] == "bit" else special(self.fields[digit.name[1]], word)
                    for digit in block.digits
                ]
            )
            entry = block.table.get(key)
            if entry is None:
                return None
            if key != block.base:
                both = zip(block.places, entry, strict=True)
                pieces += [(start, end, block.order, piece) for (start, end), piece in both]
        out: list[Part] = []
        at = 0
        for start, end, _, entry in sorted(pieces, key=lambda piece: piece[:3]):
            if start < at:
                return "overlap"
            out += [*self.parts[at:start], *entry]
            at = end
        out += self.parts[at:]
        text = ""
        for part in out:
            if isinstance(part, str):
                text += part
            elif text.endswith(" [") and self.fields[part].beside:
                text += f"{self.fields[part].raw(word) * (self.fields[part].scale or 1):#x}"
            else:
                text += self.fields[part].text(word)
        return text.rstrip()
