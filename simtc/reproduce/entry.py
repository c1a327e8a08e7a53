"""One table or figure of a paper, by the name that `simtc reproduce` knows it by."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Entry"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """What a table or figure shows, and the function that makes its items (and perhaps its picture)."""

    title: str
    function: str  # module of the paper's folder, and function: returns items, or items and an SVG
    clocked: bool = False  # executes programs in the clock, which takes seconds
