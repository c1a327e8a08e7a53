"""`fingerprint`: what a result depends on, as a digest."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

from simtc.arch import Device
from simtc.isa import Kernel

__all__ = ["fingerprint"]


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
