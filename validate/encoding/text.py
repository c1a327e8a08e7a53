"""What nvdisasm prints, cut into tokens: literal text, and numbers that stand for fields of the word."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from simtc.sass.decoder.floats import FLOATS, float_text

__all__ = ["Field", "Token", "lex", "numbers", "render"]

_TOKEN = re.compile(
    r"(?P<O>\{[^}]*\}|SR_?\w*|\.\w+|, )"
    r"|(?P<R>\b(?:R\d+|RZ)\b)|(?P<UR>\b(?:UR\d+|URZ)\b)|(?P<UP>\b(?:UP\d|UPT)\b)|(?P<P>\b(?:P\d|PT)\b)"
    r"|(?P<SB>\bSB\d+\b)|(?P<B>\bB\d+\b)"
    r"|(?P<H>-?0x[0-9a-f]+)"
    r"|(?P<F>(?<=[ (])(?:-?\d+(?:\.\d+)?(?:e[-+]\d+)?(?=[,)\s]|\Z)|[-+](?:INF|QNAN|SNAN))(?: (?=,))?)"
    r"|(?P<L>\w+|.)"
)
_LAST = {"R": 255, "UR": 63, "P": 7, "UP": 7}
_ZERO = {"R": "RZ", "UR": "URZ", "P": "PT", "UP": "UPT"}
Token = tuple[str, str | int]  # kind ("" for literal text), value


@functools.lru_cache(maxsize=200000)
def lex(text: str) -> list[Token]:
    """Cut a text into tokens; registers and integers carry their number, floats their text."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        kind, body = match.lastgroup or "", match[0]
        if kind == "H":
            tokens.append((kind, int(body, 16)))
        elif kind == "F":
            body = body.rstrip()  # a blank follows some, but not at the end
            tokens.append((kind, body + " " if body[-1] in "FN" or body == "-0.0" else body))
        elif kind in ("O", "L"):
            tokens.append(("", body))
        else:
            tokens.append((kind, _LAST[kind] if body == _ZERO.get(kind) else int(body.lstrip("URPSB"))))
    return tokens


def numbers(tokens: list[Token]) -> int:
    """Count the tokens that may stand for fields."""
    return sum(kind != "" for kind, _ in tokens)


def number_text(kind: str, value: int) -> str:
    """Write a number as nvdisasm does."""
    if kind == "H":
        return f"{value:#x}" if value >= 0 else f"-{-value:#x}"
    return _ZERO[kind] if value == _LAST.get(kind) else f"{kind}{value}"


@dataclass(slots=True)
class Field:
    """Bits of the word that print as one number: the sum of the weights of those that are set."""

    kind: str
    bits: tuple[int, ...]
    weights: tuple[int, ...] = ()
    form: str = ""  # of floats: how their bits are to be read
    inverted: bool = False  # the word holds the register's number with every bit inverted
    run: bool = False  # the bits are next to each other
    beside: bool = False  # signed beside a base register only, not alone in its bracket
    scale: int = 0  # of the weights, where they are powers of two in order, the last perhaps negative

    def __post_init__(self) -> None:
        self.inverted = self.kind not in ("F", "H") and all(weight < 0 for weight in self.weights)
        self.run = self.bits == tuple(range(self.bits[0], self.bits[0] + len(self.bits)))
        first = abs(self.weights[0]) if self.weights else 0
        if [abs(weight) for weight in self.weights] == [first << place for place in range(len(self.weights))]:
            self.scale = first

    def raw(self, word: int) -> int:
        """Return the field's bits as one number."""
        ones = (1 << len(self.bits)) - 1
        if self.run:
            held = word >> self.bits[0] & ones
        else:
            held = sum((word >> bit & 1) << place for place, bit in enumerate(self.bits))
        return held ^ ones if self.inverted else held

    def value(self, word: int) -> int:
        """Return the number, or a float's bits."""
        if self.kind == "F":
            return self.raw(word)
        if self.scale:
            held = self.raw(word)
            if self.weights[-1] < 0 and not self.inverted and held >> len(self.bits) - 1:
                held -= 1 << len(self.bits)
            return held * self.scale
        if self.inverted:
            word = ~word
            return sum(-weight for bit, weight in zip(self.bits, self.weights, strict=True) if word >> bit & 1)
        return sum(weight for bit, weight in zip(self.bits, self.weights, strict=True) if word >> bit & 1)

    def text(self, word: int) -> str:
        """Return what is printed."""
        value = self.value(word)
        return float_text(value, self.form) if self.kind == "F" else number_text(self.kind, value)

    def put(self, word: int, value: int) -> int:
        """Set the field to the number whose bits are those of value."""
        ones = (1 << len(self.bits)) - 1
        value = (value ^ ones if self.inverted else value) & ones
        if self.run:
            return word & ~(ones << self.bits[0]) | value << self.bits[0]
        for place, bit in enumerate(self.bits):
            word = word & ~(1 << bit) | (value >> place & 1) << bit
        return word


def guess_form(samples: list[tuple[int, str]], width: int) -> str:
    """Return the float format that prints every sample as it was printed, or nothing."""
    for form, (bits, _) in FLOATS.items():
        if bits == width and all(float_text(value, form) == text for value, text in samples):
            return form
    return ""


def render(parts: list[str | int], fields: list[Field], word: int) -> str:
    """Join literal text and fields, given by their number."""
    return "".join(part if isinstance(part, str) else fields[part].text(word) for part in parts).rstrip()
