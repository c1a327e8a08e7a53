"""Compiled functions: one signature each, cached on disk under a hash of every source they were made from.

numba's own cache looks only at the file that holds a function, so a constant edited in another module would leave
stale machine code behind. Here the cache folder's name is the hash of all compiled rooms: an edit opens a new folder.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba

__all__ = ["cache_folder", "is_compiled", "jit", "on_compile"]

_F = TypeVar("_F", bound=Callable[..., Any])
_PACKAGE = Path(__file__).resolve().parent
_COMPILED_ROOMS = ("numerics", "machine", "timing")  # compiled code freezes constants of these alone
_listeners: list[Callable[[], None]] = []


@cache
def cache_folder() -> Path:
    """Return this version's folder of compiled code (override the root with SIMTC_CACHE_DIR)."""
    digest = hashlib.sha256(numba.__version__.encode())
    sources = [path for room in _COMPILED_ROOMS for path in sorted((_PACKAGE / room).rglob("*.py"))]
    for path in [Path(__file__), *sources]:
        digest.update(path.relative_to(_PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("SIMTC_CACHE_DIR") or home / "simtc") / digest.hexdigest()[:16]


def is_compiled() -> bool:
    """Tell whether an earlier run left compiled code for exactly these sources."""
    return cache_folder().is_dir()


def on_compile(listener: Callable[[], None]) -> None:
    """Call `listener` once, when the first function has to be compiled rather than read from the cache."""
    _listeners.append(listener)


def jit(signature: Any) -> Callable[[_F], _F]:
    """Compile a function for one signature, without the interpreter lock, cached on disk.

    Args:
        signature: a numba signature, such as `void(uint32[::1], int64)`.

    """

    def compile_or_load(function: _F) -> _F:
        if _listeners and not is_compiled():
            while _listeners:
                _listeners.pop()()
        config: Any = numba.config
        before, config.CACHE_DIR = config.CACHE_DIR, str(cache_folder())
        try:
            compiled: _F = numba.jit(signature, nopython=True, nogil=True, cache=True, error_model="numpy")(function)
        finally:
            config.CACHE_DIR = before
        return compiled

    return compile_or_load
