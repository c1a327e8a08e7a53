"""The template of every page: a head, pictures, tables that can be sorted, and lists, in one HTML file alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from simtc.report.colors import CAUSE_COLORS

__all__ = ["Cell", "Row", "Table", "rendered", "share_cell"]

# A cell is a text, or a mapping with its text and what the template says of it; a row is cells, or a mapping of them.
Cell: TypeAlias = str | Mapping[str, Any]
Row: TypeAlias = Sequence[Cell] | Mapping[str, Any]
Table: TypeAlias = tuple[str, Sequence[Row], Sequence[bool]]  # title; rows, the head first; which columns are words


def rendered(
    *,
    title: str,
    machine: str,
    summary: str,
    plots: Sequence[tuple[str, str]],
    tables: Sequence[Table],
    lists: Sequence[tuple[str, Sequence[str]]],
) -> str:
    """Return a page.

    Example:
        >>> "<h1>a page</h1>" in rendered(title="a page", machine="", summary="", plots=[], tables=[], lists=[])
        True

    """
    import jinja2  # noqa: PLC0415 - only where a page is made

    template = (Path(__file__).resolve().parent / "page.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(
        title=title, machine=machine, summary=summary, plots=plots, tables=tables, lists=lists
    )


def share_cell(share: float, cause: str = "") -> Cell:
    """Return a cell with a share in percent and its bar, which has the colour of the cause in pictures.

    Example:
        >>> share_cell(0.25)["text"]
        '25.0 %'

    """
    color = CAUSE_COLORS["standard"].get(cause, "")
    return {
        "text": f"{100 * share:.1f} %",
        "sort": share,
        "share": share,
        "color": "var(--ink)" if color == "ink" else color,
    }
