"""A published table or figure beside simtc's own, as text."""

from __future__ import annotations

from collections.abc import Iterable

from simtc.layout.views import align
from simtc.results.comparison import Comparison, Item, Value

__all__ = ["comparison_text", "summary"]

_LONGEST = 44  # characters of a value; a longer one is cut, and JSON has it whole


def comparison_text(one: Comparison) -> str:
    """Return a comparison as a table, with what lies behind each value."""
    rows = [("", "paper", "simtc", "error", "kind", ""), *map(_row, one.items)]
    return "\n".join([f"{one.name}: {one.title}", *align(rows)])


def summary(compared: Iterable[Comparison]) -> str:
    """Say how many items of arithmetic came out, and name those that did not.

    Example:
        >>> items = (Item(name="cycles", paper=1031, simtc=1032, kind="exact"),)
        >>> summary([Comparison(name="p/t", title="a table", items=items)])
        '0 of 1 exact items agree; differs: p/t cycles'

    """
    every = [(one.name, item) for one in compared for item in one.items]
    told = []
    for kind in ("exact", "rederived"):
        some = [item for _, item in every if item.kind == kind]
        told += [f"{sum(not item.differs for item in some)} of {len(some)} {kind} items agree"] if some else []
    if not told:
        return "nothing here is exact arithmetic"
    differing = [f"{name} {item.name}" for name, item in every if item.differs]
    return ", ".join(told) + (f"; differs: {', '.join(differing)}" if differing else "")


def _row(item: Item) -> tuple[str, str, str, str, str, str]:
    return item.name, _value(item.paper), _value(item.simtc), _error(item), item.kind, item.note


def _error(item: Item) -> str:
    if item.error is None:
        return "-"
    numbers = isinstance(item.paper, int | float) and not isinstance(item.paper, bool)
    if not numbers:
        return "differs" if item.error else "equal"
    return f"{100 * item.error:+.2f} %" if item.error else "0"


def _value(value: Value) -> str:
    if value is None:
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 4]} ..."
