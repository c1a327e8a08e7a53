"""What goes to stdout, and what goes to stderr."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import click

__all__ = ["note", "to_json"]


def note(text: str) -> None:
    """Say something on stderr that is no data; a stderr that takes nothing more costs nobody a result."""
    with suppress(OSError):
        click.echo(f"simtc: {text}", err=True)


def to_json(values: Mapping[str, Any]) -> str:
    r"""Return JSON as every reader takes it: what is not a number is null.

    Example:
        >>> to_json({"schema": "simtc.run/1", "error": float("nan"), "cycles": (1, 2)})
        '{\n "schema": "simtc.run/1",\n "error": null,\n "cycles": [\n  1,\n  2\n ]\n}'

    """
    return json.dumps(_finite(values), indent=1, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
