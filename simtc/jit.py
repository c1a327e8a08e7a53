"""Compiled functions: one signature each, cached on disk under a hash of every source they were made from.

numba's own cache looks only at the file that holds a function, so a constant edited in another module would leave
stale machine code behind. Here the cache folder's name is a hash of the module and of all that it imports from simtc,
directly or not: an edit opens new folders for what depends on it, and for nothing else.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numba

__all__ = ["Array", "Arrays", "Float", "Int", "Record", "cache_folder", "is_compiled", "jit", "on_compile"]

# What compiled functions take, for the reader and the type checker; their signatures say how wide.
Int: TypeAlias = Any
Float: TypeAlias = Any
Record: TypeAlias = Any  # one record of a structured array
Array: TypeAlias = Any  # of numbers or of records
Arrays: TypeAlias = Any  # a bundle of them

_F = TypeVar("_F", bound=Callable[..., Any])
_PACKAGE = Path(__file__).resolve().parent
_IMPORT = re.compile(r"^\s*(?:from|import) (simtc(?:\.\w+)*)(?: import (\w+))?", re.MULTILINE)
_listeners: list[Callable[[], None]] = []


def _file(module: str) -> Path | None:
    """Return the source of a module of this package, if there is one of that name."""
    path = _PACKAGE.joinpath(*module.split(".")[1:])
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@cache
def _imports(path: Path) -> frozenset[Path]:
    """Return the sources that one source imports by name."""
    found = set()
    for module, name in _IMPORT.findall(path.read_text(encoding="utf-8")):
        found |= {_file(module), _file(f"{module}.{name}") if name else None}
    return frozenset(found - {None})  # type: ignore[arg-type] # mypy does not see that None is gone


@cache
def _digest(path: Path) -> bytes:
    return path.relative_to(_PACKAGE).as_posix().encode() + hashlib.sha256(path.read_bytes()).digest()


def _sources(module: str) -> frozenset[Path]:
    """Return the sources that a module's compiled functions may have been made from."""
    todo = {Path(__file__).resolve(), _file(module)} - {None}
    seen: set[Path] = set()
    while todo:
        path = todo.pop()
        if path is not None and path not in seen:
            seen.add(path)
            todo |= _imports(path)
    return frozenset(seen)


@cache
def cache_folder(module: str) -> Path:
    """Return the folder of a module's compiled code (override the root with SIMTC_CACHE_DIR)."""
    digest = hashlib.sha256(numba.__version__.encode())
    for path in sorted(_sources(module)):
        digest.update(_digest(path))
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("SIMTC_CACHE_DIR") or home / "simtc") / f"{module}-{digest.hexdigest()[:16]}"


def is_compiled(module: str) -> bool:
    """Tell whether an earlier run left compiled code for exactly this module's sources."""
    return cache_folder(module).is_dir()


def on_compile(listener: Callable[[], None]) -> None:
    """Call `listener` once, when the first function has to be compiled rather than read from the cache."""
    _listeners.append(listener)


def jit(signature: Any, *, inline: bool = False, allocates: bool = False) -> Callable[[_F], _F]:
    """Compile a function for one signature, without the interpreter lock, cached on disk.

    Args:
        signature: a numba signature, such as `void(uint32[::1], int64)`.
        inline: merge it into its callers, whatever its size.
        allocates: it makes arrays, so references to arrays are counted in it; elsewhere that would be time for nothing.

    """

    def compile_or_load(function: _F) -> _F:
        folder = cache_folder(function.__module__)
        if _listeners and not folder.is_dir():
            while _listeners:
                _listeners.pop()()
        config: Any = numba.config
        compiler: Any = numba.jit  # whose switch for counting references is not in its types
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            compiled: _F = compiler(
                signature,
                nopython=True,
                nogil=True,
                cache=True,
                error_model="numpy",
                forceinline=inline,
                _nrt=allocates,
            )(function)
        finally:
            config.CACHE_DIR = before
        return compiled

    return compile_or_load
