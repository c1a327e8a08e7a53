"""What units of the clock declare themselves: `[clock.UNIT]` in the file of a board or of its generation.

This room does not know their names. A unit's file says what each constant means, and what stands for it where a chip
says nothing; `simtc.timing.declared` finds these, and refuses a name that no unit declares.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TypeAlias

from simtc.arch.constant import Constant

__all__ = ["CLOCK", "NOTHING", "Tables", "constants_of", "said", "tables_of"]

CLOCK = "clock."  # what the paths of these constants begin with
Tables: TypeAlias = Mapping[str, Mapping[str, float]]  # by unit, and name
NOTHING: Tables = MappingProxyType({})


def tables_of(shared: Tables, own: Tables) -> Tables:
    """Return what a board and its generation say: where both say something, the board's own."""
    return MappingProxyType(
        {unit: MappingProxyType({**shared.get(unit, {}), **own.get(unit, {})}) for unit in {**shared, **own}}
    )


def constants_of(shared: Mapping[str, Constant], own: Mapping[str, Constant]) -> Mapping[str, Constant]:
    """Return where the numbers of a board and its generation come from: its own, theirs, then the clock's by unit."""
    both = {**own, **{path: one for path, one in shared.items() if path not in own}}
    return MappingProxyType(dict(sorted(both.items(), key=lambda item: item[0] if item[0].startswith(CLOCK) else "")))


def said(tables: Tables, path: str, default: float, clock_mhz: float) -> float:
    """Return a constant, the default where nothing is said of it.

    One in ns passes outside the SMs, whatever their clock: it is returned in cycles of that clock.

    Example:
        >>> tables = {"dram": {"turn_ns": 20.0}}
        >>> said(tables, "clock.dram.turn_ns", 0.0, 1380), said(tables, "clock.dram.channels", 1.0, 1380)
        (27.6, 1.0)

    """
    _, unit, name = path.split(".")
    value = tables.get(unit, {}).get(name, default)
    return value * clock_mhz / 1e3 if name.endswith("_ns") else value
