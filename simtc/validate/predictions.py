"""Predictions of earlier runs, kept by content: the same sources, kernel, case and board give the same numbers."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from simtc.arch import Device
from simtc.errors import BadInputError, SimtcError
from simtc.files import read_json, write_text
from simtc.isa import Kernel
from simtc.jit import cache_root, sources_digest
from simtc.validate.measured import Measured, MeasuredCase

__all__ = ["Predictions", "fingerprint", "key"]


class Predictions:
    """What was predicted, in a folder of small files; one that cannot be written costs time and nothing else."""

    def __init__(self, *, fresh: bool = False, folder: Path | None = None) -> None:
        """Take predictions from the folder, or with `fresh` make all of them anew."""
        self._folder = folder or cache_root() / "predictions"
        self._fresh = fresh
        self.found = 0  # earlier predictions that were taken
        self.made = 0  # new ones that were kept
        self.problem = ""  # why new ones cannot be kept

    def of(self, case: MeasuredCase) -> Measured | None:
        """Return a case's prediction, and keep it where it is new.

        Raises:
            SimtcError: the case cannot be predicted.

        """
        path = self._folder / f"{key(case)}.json"
        kept = None if self._fresh else _read(path)
        if kept is not None:
            self.found += 1
            return kept
        predicted = case.predict()
        if predicted is not None:
            self._keep(path, predicted)
        return predicted

    def _keep(self, path: Path, predicted: Measured) -> None:
        values = {name: float(value) for name, value in predicted.values.items()}
        text = json.dumps({"values": values, "code": predicted.code, "note": predicted.note})
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, text)
            self.made += 1
        except (OSError, BadInputError) as error:
            self.problem = str(error)


def _read(path: Path) -> Measured | None:
    if not path.is_file():
        return None
    try:
        raw = read_json(path, what="a prediction")
        values = {str(name): float(value) for name, value in raw["values"].items()}
        return Measured(values=values, code=str(raw["code"]), note=str(raw["note"]))
    except (BadInputError, AttributeError, KeyError, TypeError, ValueError):
        return None  # damaged: it is made again


def key(case: MeasuredCase) -> str:
    """Return what a prediction depends on, as a digest."""
    try:
        kernel = getattr(case, "kernel", None)
    except SimtcError:  # a configuration whose twin does not ship: its program is made from the sources
        kernel = None
    return fingerprint(np.__version__, sources_digest(type(case).__module__, tables=True), case, kernel)


def fingerprint(*parts: Any) -> str:
    """Return a digest of values: numbers, text, bytes, and dataclasses, mappings and sequences of them.

    Fields that a dataclass leaves out of its repr are left out here too.

    Raises:
        TypeError: something else, whose content is not known.

    Example:
        >>> from simtc.arch import device
        >>> fingerprint(device("t4"), 1) == fingerprint(device("t4"), 1)
        True
        >>> fingerprint(device("t4")) == fingerprint(device("t4").at(1000))
        False

    """
    total = hashlib.sha256()
    for token in _tokens(parts):
        total.update(token.encode() + b"\0")
    return total.hexdigest()


def _tokens(value: Any) -> Iterator[str]:
    if isinstance(value, Kernel | Device):
        yield _whole(value)
    elif is_dataclass(value) and not isinstance(value, type):
        yield from _fields(value)
    elif isinstance(value, Mapping):
        yield f"mapping of {len(value)}"
        for name in sorted(value, key=repr):
            yield from _tokens(name)
            yield from _tokens(value[name])
    elif isinstance(value, list | tuple | frozenset):
        yield f"sequence of {len(value)}"
        for one in sorted(value, key=repr) if isinstance(value, frozenset) else value:
            yield from _tokens(one)
    elif isinstance(value, str | bytes | int | float | Enum | None):
        yield f"{type(value).__name__} {value!r}"
    else:
        raise TypeError(f"the content of {value!r} is not known")


def _fields(value: Any) -> Iterator[str]:
    yield type(value).__qualname__
    for field in fields(value):
        if field.repr:
            yield field.name
            yield from _tokens(getattr(value, field.name))


@cache
def _whole(value: Kernel | Device) -> str:
    """Digest what many cases share once; equal ones are found by identity, mostly."""
    total = hashlib.sha256()
    for token in _fields(value):
        total.update(token.encode() + b"\0")
    return total.hexdigest()
