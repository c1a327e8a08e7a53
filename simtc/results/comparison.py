"""Published values beside simtc's own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from simtc.errors import BadInputError
from simtc.results.display import Columns, Display, by_column

__all__ = ["KINDS", "Comparison", "Item"]

KINDS = {
    "exact": "arithmetic that must give the printed value",
    "rederived": "arithmetic on the paper's own inputs: its numbers agree, which says nothing of simtc's",
    "closed form": "a formula over the chip's constants",
    "simulation": "what the clock composes",
    "input": "simtc took it from the paper: it proves nothing",
}

Value = int | float | bool | str | list[Any] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One value of a paper and simtc's, None where either has none.

    Raises:
        BadInputError: an unknown kind.

    Example:
        >>> round(Item(name="cycles", paper=1031, simtc=1024.0, kind="closed form").error, 4)
        -0.0068
        >>> Item(name="bound", paper="DRAM", simtc="L2", kind="exact").differs
        True

    """

    name: str
    paper: Value
    simtc: Value
    kind: str
    note: str = ""

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise BadInputError(f"kind {self.kind!r} of {self.name!r}: allowed are {', '.join(KINDS)}")

    @property
    def error(self) -> float | None:
        """(simtc - paper) / paper of numbers; of anything else 0 where equal and 1 where not; None without both."""
        if self.paper is None or self.simtc is None:
            return None
        numbers = (int, float)
        if isinstance(self.paper, numbers) and isinstance(self.simtc, numbers) and not isinstance(self.paper, bool):
            return (self.simtc - self.paper) / self.paper if self.paper else float(self.simtc != self.paper)
        return float(self.simtc != self.paper)

    @property
    def differs(self) -> bool:
        """Whether arithmetic does not give the printed value."""
        return self.kind in ("exact", "rederived") and self.error != 0

    def to_dict(self) -> dict[str, Any]:
        """Return the item as JSON types."""
        return {
            "name": self.name,
            "paper": self.paper,
            "simtc": self.simtc,
            "error": self.error,
            "kind": self.kind,
            "note": self.note,
        }


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Comparison(Display):
    """One table or figure of a paper, item by item."""

    name: str  # paper/item
    title: str
    items: tuple[Item, ...]
    svg: str | None = None  # the figure, where it has one

    @property
    def differs(self) -> bool:
        """Whether any exact item does not come out."""
        return any(item.differs for item in self.items)

    def headline(self) -> str:
        """Return what is compared in one line."""
        return f"{self.name}: {self.title}, {len(self.items)} items"

    def columns(self) -> Columns:
        """Return one row an item."""
        return by_column([item.to_dict() for item in self.items])

    def pictures(self) -> Sequence[str]:
        """Return the figure."""
        return (self.svg,) if self.svg else ()

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as JSON types."""
        return {"name": self.name, "title": self.title, "items": [item.to_dict() for item in self.items]}

    def to_json(self) -> str:
        """Return the comparison as JSON text."""
        return json.dumps(self.to_dict(), indent=2)
