"""Card: what a word means, as the explorer, the pages and the terminal show it."""

from __future__ import annotations

import textwrap
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from simtc.results.display import Columns, Display, by_column

__all__ = ["KINDS", "Card"]

KINDS = ("stall cause", "resource", "term", "opcode", "constant")  # in the order in which a word is looked up


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Card(Display):
    """One word: what it is, a picture in text, the usual cure, where it is in the notes, and related words.

    Raises:
        ValueError: the kind is unknown, or it does not say what the word is.

    """

    word: str
    kind: str
    what: str  # a few sentences
    picture: tuple[str, ...] = ()  # lines of text
    caption: str = ""  # how to read the picture
    cure: str = ""
    where: str = ""  # file and heading in sass_notes, as a link has it
    see: tuple[str, ...] = ()
    state: str = ""  # the explorer's address that shows it

    def __post_init__(self) -> None:
        if self.kind not in KINDS or not self.word or not self.what:
            raise ValueError(f"card {self.word!r} of kind {self.kind!r} is described wrongly: {self!r}")

    def headline(self) -> str:
        """Return the word and its kind."""
        return f"{self.word} ({self.kind})"

    def columns(self) -> Columns:
        """Return one row."""
        return by_column([self.to_json()])

    def _repr_html_(self) -> str:
        return f'<pre style="font-family:monospace">{escape(self.to_text())}</pre>'

    def to_json(self) -> dict[str, Any]:
        """Return the card as JSON values."""
        return asdict(self)

    def to_text(self, *, width: int = 100) -> str:
        """Return the card as lines of at most `width` characters, the picture as it is."""
        parts = [f"{self.word} ({self.kind})", "", *textwrap.wrap(self.what, width)]
        if self.picture:
            parts += ["", *(f"    {line}" for line in self.picture)]
            caption = textwrap.wrap(f"({self.caption})", width - 4) if self.caption else []
            parts += [f"    {line}" for line in caption]
        parts.append("")
        links = {"usual cure": self.cure, "notes": self.where and f"sass_notes/{self.where}"}
        links |= {"see also": ", ".join(self.see), "explorer": self.state and f"explorer.html#{self.state}"}
        for name, text in links.items():
            if text:
                parts += textwrap.wrap(f"{name + ':':<12}{text}", width, subsequent_indent=" " * 12)
        return "\n".join(parts).rstrip() + "\n"
