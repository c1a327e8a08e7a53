"""Display: how a result shows itself, as one short line, as a table of a notebook, and as a pandas frame.

A result says what its line and its columns are; nothing here knows any of them. Pictures lie in rooms above, and are
looked for only when they are asked for.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from importlib import import_module
from typing import Any, TypeAlias

from simtc.errors import MissingToolError

__all__ = ["Columns", "Display", "above", "by_column", "html_table"]

Columns: TypeAlias = Mapping[str, Sequence[Any]]

_ROWS = 40  # that a notebook shows of a table
_LARGE = 1e4  # from here on a number is shown whole
_LEFT = 'style="text-align:left"'
_SCROLL = '<div style="overflow-x:auto">{}</div>'


class Display:
    """What every result has: a short `repr`, `_repr_html_` for notebooks, and `to_frame()`.

    Example:
        >>> from simtc.layout import Tile
        >>> Tile(rows=16, cols=32).columns()["pattern"][-1], "<table" in Tile(rows=16, cols=32)._repr_html_()
        ('ldsm.x4', True)

    """

    __slots__ = ()

    def headline(self) -> str:
        """Return the result in one line."""
        raise NotImplementedError

    def columns(self) -> Columns:
        """Return the result as a table: values by the name of their column."""
        raise NotImplementedError

    def pictures(self) -> Sequence[str]:
        """Return what a notebook draws above the tables, as SVG."""
        return ()

    def tables(self) -> Sequence[tuple[str, Columns]]:
        """Return what a notebook shows: captions, and columns."""
        return (("", self.columns()),)

    def to_frame(self) -> Any:
        """Return `columns()` as a pandas.DataFrame.

        Raises:
            MissingToolError: pandas is not installed.

        """
        try:
            import pandas as pd  # noqa: PLC0415 - optional, and slow to import
        except ImportError:
            raise MissingToolError(
                "to_frame() needs pandas, which is not installed; columns() gives the same without it. "
                "Try: pip install pandas"
            ) from None
        return pd.DataFrame({name: list(values) for name, values in self.columns().items()})

    def _repr_html_(self) -> str:
        head, pictures = escape(self.headline()), self.pictures()
        told = any(head in picture for picture in pictures)  # as its title
        parts = [*([] if told else [f"<p><b>{head}</b></p>"]), *map(_SCROLL.format, pictures)]
        parts += [html_table(columns, caption=caption) for caption, columns in self.tables()]
        return f"<div>{''.join(parts)}</div>"

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.headline()}>"


def by_column(rows: Sequence[Mapping[str, Any]]) -> Columns:
    """Return rows of equal keys as columns.

    Example:
        >>> by_column([{"cause": "wait", "cycles": 3}, {"cause": "barrier", "cycles": 4}])
        {'cause': ['wait', 'barrier'], 'cycles': [3, 4]}

    """
    return {name: [row[name] for row in rows] for name in (rows[0] if rows else ())}


def html_table(columns: Columns, *, caption: str = "") -> str:
    """Return a table for a notebook: one row is shown upright, and of many the first are shown.

    Example:
        >>> html_table({"cause": ["wait", "barrier"]}).count("<tr>")
        3

    """
    count = max((len(values) for values in columns.values()), default=0)
    head = f"<caption>{escape(caption)}</caption>" if caption else ""
    if count == 1 and not caption:
        rows, more = [], ""
        for name, values in columns.items():
            rows.append(f"<tr><th>{escape(name)}</th><td {_LEFT}>{_cell(values[0])}</td></tr>")
    else:
        rows = ["<tr>" + "".join(f"<th>{escape(name)}</th>" for name in columns) + "</tr>"]
        for row in range(min(count, _ROWS)):
            rows.append("<tr>" + "".join(f"<td>{_cell(values[row])}</td>" for values in columns.values()) + "</tr>")
        more = f"<p>and {count - _ROWS:,} more rows: to_frame() has all</p>" if count > _ROWS else ""
    return _SCROLL.format(f"<table>{head}{''.join(rows)}</table>{more}")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < _LARGE else f"{value:,.0f}"
    if isinstance(value, tuple | list):
        joint = " x " if all(isinstance(one, int) for one in value) else ", "
        return escape(joint.join(map(str, value)))
    return escape(str(value))


def above(module: str, name: str) -> Any:
    """Return what a room above offers: a value may be drawn or launched, though it knows neither way.

    Args:
        module: under simtc, such as "report.timeline".
        name: what it offers.

    """
    return getattr(import_module(f"simtc.{module}"), name)
