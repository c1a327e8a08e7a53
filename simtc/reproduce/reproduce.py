"""Published tables and figures that simtc sets its own values beside."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

import simtc.reproduce
from simtc.errors import unknown
from simtc.reproduce.entry import Entry
from simtc.results.comparison import Comparison, Item

__all__ = ["entries", "reproduce", "select"]


@cache
def entries() -> dict[str, Entry]:
    """Return every table and figure, PAPER/ITEM; each folder of this room is a paper and lists its own.

    Example:
        >>> entries()["yan2020/table6"].title
        'cycles of HMMA and memory I/O by blocking'

    """
    papers = sorted(module.name for module in iter_modules(simtc.reproduce.__path__) if module.ispkg)
    return {
        f"{paper}/{item}": entry
        for paper in papers
        for item, entry in import_module(f"simtc.reproduce.{paper}").ENTRIES.items()
    }


def select(names: Sequence[str]) -> list[str]:
    """Return the entries that names mean: paper/item, or a paper for all of its items.

    Raises:
        BadInputError: a name that means nothing.

    Example:
        >>> select(["nvidia"])[:2]
        ['nvidia/intensity', 'nvidia/tile-quantization']

    """
    every = entries()
    papers = {name.split("/")[0] for name in every}
    found: dict[str, None] = {}
    for name in names:
        if name not in every and name not in papers:
            raise unknown("table or figure", name, [*sorted(papers), *every], then="simtc reproduce --list")
        found |= dict.fromkeys(entry for entry in every if name in (entry, entry.split("/")[0]))
    return list(found)


def reproduce(name: str) -> Comparison:
    """Set a published table or figure beside simtc's own.

    Raises:
        BadInputError: no such table or figure.

    Example:
        >>> table6 = reproduce("yan2020/table6")
        >>> sum(item.kind == "rederived" for item in table6.items), table6.differs
        (12, False)

    """
    if name not in entries():
        raise unknown("table or figure", name, entries(), then="simtc reproduce --list")
    entry = entries()[name]
    module, function = entry.function.rsplit(".", 1)
    within = import_module(f"simtc.reproduce.{name.split('/', maxsplit=1)[0]}.{module}")
    made: tuple[list[Item], str | None] = getattr(within, function)()
    items, svg = made
    return Comparison(name=name, title=entry.title, items=tuple(items), svg=svg)
