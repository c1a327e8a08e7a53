"""numba's front end, quicker: it finds the type of a call once, and Python looks for no garbage meanwhile.

Of the time that a first use takes, most goes to finding types, not to machine code. numba tries all templates of `+`
again at each `+`, for the same types; and it makes millions of small objects that live until the end.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from numba.core.types.functions import BaseFunction

__all__ = ["hurried"]

_Function: Any = BaseFunction  # numba is partly typed
_find = _Function.get_call_type
_found: dict[tuple[Any, tuple[Any, ...]], Any] = {}


def _remember(function: Any, context: Any, arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    """Do what numba does, once for the same function and types."""
    if named:
        return _find(function, context, arguments, named)
    key = function, tuple(arguments)
    if key not in _found:
        _found[key] = _find(function, context, arguments, named)
    return _found[key]


@contextmanager
def hurried() -> Iterator[None]:
    """Compile quicker inside; whoever enters holds numba's compiler lock, so that others get numba as it is.

    Example:
        >>> with hurried():
        ...     gc.isenabled()
        False
        >>> gc.isenabled()
        True

    """
    if _Function.get_call_type is _remember:
        yield
        return
    collecting = gc.isenabled()
    gc.disable()
    _Function.get_call_type = _remember
    try:
        yield
    finally:
        _Function.get_call_type = _find
        if collecting:
            gc.enable()
