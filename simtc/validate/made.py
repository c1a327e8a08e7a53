"""Which sources a committed result was made with, and whether they are the ones at hand."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Mapping
from pathlib import Path

from simtc.jit import sources_digest

__all__ = ["digest_of", "made_with", "standing"]

_MODULE = "simtc.validate.compare"  # imports what a replay needs: the machine, the clock, the boards
_DIGITS = 16


def made_with() -> dict[str, str]:
    """Return the mark that a result keeps: today's date, and a digest of the sources and boards that decide it.

    Example:
        >>> sorted(made_with())
        ['date', 'sources']

    """
    return {"date": dt.datetime.now(dt.UTC).date().isoformat(), "sources": _sources()}


def digest_of(path: Path) -> str:
    """Return the digest of a file that a result was made from, such as a capture."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:_DIGITS]


def standing(mark: Mapping[str, str]) -> str:
    """Say whether a result with such a mark is of the sources at hand; "" where it is.

    Args:
        mark: from `made_with`; older results name the commit that they came with, and no digest.

    Example:
        >>> standing(made_with())
        ''
        >>> standing({"date": "2026-11-22", "commit": "8226a36"})
        'made on 2026-11-22 with commit 8226a36: the sources may have changed since'

    """
    if "sources" not in mark:
        return f"made on {mark['date']} with commit {mark['commit']}: the sources may have changed since"
    if mark["sources"] == _sources():
        return ""
    return f"made on {mark['date']} with sources {mark['sources']}, which are {_sources()} now"


def _sources() -> str:
    return sources_digest(_MODULE, tables=True)[:_DIGITS]
