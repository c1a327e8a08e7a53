"""A lesson as a Jupyter notebook without outputs: the same bytes each time."""

from __future__ import annotations

import json
from typing import Any

from simtc.report.lessons.lesson import Cell, Lesson

__all__ = ["notebook", "notebook_json"]


def notebook(lesson: Lesson) -> dict[str, Any]:
    """Return a lesson as the values of a notebook, format 4.5.

    Source: nbformat 4.5; `slideshow` is what nbconvert's slides read.

    Example:
        >>> from simtc.report.lessons.lesson import lesson
        >>> notebook(lesson("banks"))["cells"][0]["cell_type"]
        'markdown'

    """
    return {
        "cells": [_cell(f"{lesson.name}-{number}", cell) for number, cell in enumerate(lesson.cells)],
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def notebook_json(lesson: Lesson) -> str:
    """Return a lesson as the text of an .ipynb file."""
    return json.dumps(notebook(lesson), indent=1, ensure_ascii=False) + "\n"


def _cell(name: str, cell: Cell) -> dict[str, Any]:
    opens = not cell.code and cell.text.startswith("#")  # a heading begins a slide; the rest is on slides below it
    base = {"id": name, "metadata": {"slideshow": {"slide_type": "slide" if opens else "subslide"}}}
    source = cell.text.splitlines(keepends=True)
    if cell.code:
        return {"cell_type": "code", "execution_count": None, **base, "outputs": [], "source": source}
    return {"cell_type": "markdown", **base, "source": source}
