"""MAGMA's choice among the versions, by the problem's size."""

from __future__ import annotations

import tomllib
from bisect import bisect_left
from functools import cache
from pathlib import Path
from typing import Any

from simtc.gemm.problem import Problem

__all__ = ["selected_version", "selected_versions"]

_RANK = 16  # k up to which an update of a square matrix has a table of its own


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads((Path(__file__).resolve().parent / "selection.toml").read_text(encoding="utf-8"))


def selected_version(problem: Problem) -> int:
    """Return the version that MAGMA runs for a problem.

    Example:
        >>> [selected_version(Problem(m=m, n=m, k=k)) for m, k in ((32, 32), (32, 16), (2000, 2000))]
        [4019, 3957, 4428]

    """
    table = _tables()["rank" if problem.m == problem.n and problem.k <= _RANK else "square"]
    place = bisect_left(table["up_to"], problem.m)
    found: int = [*table["version"], table["rest"]][place]
    return found


def selected_versions() -> tuple[int, ...]:
    """Return every version that some problem is given, once each.

    Example:
        >>> len(selected_versions())
        24

    """
    tables = _tables().values()
    return tuple(sorted({number for one in tables for number in (*one["version"], one["rest"])}))
