"""Kernels beside the tests of the clock, in tests/timing/data: what was measured, NAME.csv, and listings, NAME.sass."""

from __future__ import annotations

import csv
from pathlib import Path

import simtc

__all__ = ["cases_of", "code_of"]

_DATA = Path(__file__).parent / "data"


def cases_of(name: str) -> tuple[dict[str, str], ...]:
    """Return the rows of a table."""
    with (_DATA / f"{name}.csv").open(encoding="utf-8") as rows:
        return tuple(csv.DictReader(rows))


def code_of(name: str):
    """Return the kernels of a listing."""
    return simtc.load(_DATA / f"{name}.sass")
