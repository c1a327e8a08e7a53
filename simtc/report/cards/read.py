"""The tables of this folder."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

__all__ = ["read_table"]


@cache
def read_table(name: str) -> dict[str, Any]:
    """Return causes, resources or glossary."""
    return tomllib.loads((Path(__file__).resolve().parent / f"{name}.toml").read_text(encoding="utf-8"))
