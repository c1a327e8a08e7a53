"""Numbers as papers print them, one file a paper: simtc computes with none of them unless an item says so."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["printed"]


@cache
def printed(paper: str) -> dict[str, Any]:
    """Return a paper's printed numbers.

    Example:
        >>> printed("yan2020")["eq6"]
        {'hmmas': 5}

    """
    return tomllib.loads((Path(__file__).resolve().parent / paper / "printed.toml").read_text(encoding="utf-8"))
