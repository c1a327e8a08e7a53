"""Compiled functions: one signature each, cached on disk under a hash of every source they were made from.

What becomes machine code together says linking.py.

numba's own cache looks only at the file that holds a function, so a constant edited in another module would leave
stale machine code behind. Here the cache folder's name is a hash of the module and of all that it imports from simtc,
directly or not: an edit opens new folders for what depends on it, and for nothing else.
"""

from __future__ import annotations

import hashlib
import inspect
import os
import re
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import numba
from numba import types
from numba.core.caching import _CacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.dispatcher import Dispatcher

from simtc.frontend import hurried
from simtc.linking import PartCompiler, WholeCompiler, close, read

__all__ = [
    "Array",
    "Arrays",
    "Float",
    "Int",
    "Record",
    "cache_folder",
    "cache_problem",
    "cache_root",
    "callable_part",
    "compile_all",
    "entry",
    "finish",
    "is_compiled",
    "jit",
    "on_compile",
    "sources_digest",
]

# What compiled functions take, for the reader and the type checker; their signatures say how wide.
Int: TypeAlias = Any
Float: TypeAlias = Any
Record: TypeAlias = Any  # one record of a structured array
Array: TypeAlias = Any  # of numbers or of records
Arrays: TypeAlias = Any  # a bundle of them

_ROOM = 1 << 20  # bytes that a cache must take: the compiled simulator is some tens of them

_F = TypeVar("_F", bound=Callable[..., Any])
_PACKAGE = Path(__file__).resolve().parent
_IMPORT = re.compile(r"^\s*(?:from|import) (simtc(?:\.\w+)*)(?: import (\([^)]*\)|[^\n]*))?", re.MULTILINE)
_listeners: list[Callable[[], None]] = []
_problems: list[str] = []  # of the cache


@cache
def _file(module: str) -> Path | None:
    """Return the source of a module of this package, if there is one of that name."""
    path = _PACKAGE.joinpath(*module.split(".")[1:])
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


@cache
def _imports(path: Path) -> frozenset[Path]:
    """Return the sources that one source imports by name."""
    found = set()
    for module, names in _IMPORT.findall(path.read_text(encoding="utf-8")):
        found |= {_file(module), *(_file(f"{module}.{name}") for name in re.findall(r"\w+", names))}
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


def cache_root() -> Path:
    """Return the folder of all that is kept from run to run (override it with SIMTC_CACHE_DIR)."""
    home = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return Path(os.environ.get("SIMTC_CACHE_DIR") or home / "simtc")


@cache
def sources_digest(module: str, *, tables: bool = False) -> str:
    """Return a digest of a module and of all that it imports from simtc; with `tables`, of the TOML that these read.

    That lies beside them, or in a folder below: of simtc.arch the boards and the generations.
    """
    digest = hashlib.sha256(numba.__version__.encode())
    sources = _sources(module)
    folders = {path.parent for path in sources if tables} - {_PACKAGE}
    beside = {table for folder in folders for kind in ("*.toml", "*/*.toml") for table in folder.glob(kind)}
    for path in sorted(sources | beside):
        digest.update(_digest(path))
    return digest.hexdigest()


@cache
def cache_folder(module: str) -> Path:
    """Return the folder of a module's compiled code."""
    return cache_root() / f"{module}-{sources_digest(module)[:16]}"


def cache_problem() -> str:
    """Say why compiled code cannot be kept, or "" where it can."""
    _try_cache()
    return _problems[0] if _problems else ""


@cache
def _try_cache() -> None:
    """Write to the cache once, to learn whether it takes anything."""
    try:
        cache_root().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=cache_root()) as file:
            file.write(bytes(_ROOM))
    except OSError as error:
        _problems.append(f"{cache_root()} takes nothing: {error.strerror}")


@cache
def _serves(folder: Path, source: str) -> bool:
    """Tell whether numba can work with a folder; where it could not, it would take one that no digest guards."""
    if cache_problem() and not _holds_code(folder, source):
        return False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        return False
    return True


@cache
def _warn_once(problem: str) -> None:
    warnings.warn(f"compiled code is not kept, so every start compiles: {problem}", RuntimeWarning, stacklevel=5)


def _holds_code(folder: Path, source: str) -> bool:
    """Tell whether code of a source file is kept.

    numba keeps it by the file's path, in a folder of its own below: of two installations of the same sources, one does
    not find what the other has compiled.
    """
    locator: Any = _CacheLocator
    return next((folder / locator.get_suitable_cache_subpath(source)).glob("*.nbc"), None) is not None


def is_compiled(module: str) -> bool:
    """Tell whether an earlier run left compiled code for exactly this module's sources, at the path they have here."""
    spec = find_spec(module)
    return spec is not None and spec.origin is not None and _holds_code(cache_folder(module), spec.origin)


def on_compile(listener: Callable[[], None]) -> None:
    """Call `listener` once, when the first function has to be compiled rather than read from the cache."""
    _listeners.append(listener)


def jit(
    signature: Any, *, from_python: bool = False, inline: bool = False, allocates: bool = False
) -> Callable[[_F], _F]:
    """Declare a function that is compiled for one signature when it is first needed.

    What calls it holds its code too (see `simtc.linking`), so only what Python calls is kept on disk. Compiled code
    does not hold the interpreter lock.

    Args:
        signature: a numba signature, such as `void(uint32[::1], int64)`; None for a function that `finish` declares.
        from_python: Python calls it, or passes it to compiled code, rather than compiled code alone.
        inline: merge it into its callers, whatever its size.
        allocates: it makes arrays, so references to arrays are counted in it; elsewhere that would be time for nothing.

    """

    def declare(function: _F) -> _F:
        folder = cache_folder(function.__module__)
        kept = from_python and _serves(folder, inspect.getfile(function))
        if from_python and not kept:
            _warn_once(cache_problem())
        config: Any = numba.config
        compiler: Any = numba.jit  # whose switch for counting references is not in its types
        before, config.CACHE_DIR = config.CACHE_DIR, str(folder)
        try:
            declared: _F = compiler(
                nopython=True,
                nogil=True,
                cache=kept,
                error_model="numpy",
                forceinline=inline,
                _nrt=allocates,
                no_cpython_wrapper=not from_python,
                no_cfunc_wrapper=not from_python,
                pipeline_class=WholeCompiler if from_python else PartCompiler,
            )(function)
        finally:
            config.CACHE_DIR = before
        if not from_python:
            close(declared)
        if signature is not None:
            finish(declared, signature)
        return declared

    return declare


def finish(function: Any, signature: Any) -> None:
    """Say for which signature a function is compiled when it is first needed: it gets no other."""
    compiling, source = function.compile, inspect.getfile(function.py_func)
    folder, function.signature = cache_folder(function.__module__), signature

    @cache
    def compiled() -> Any:
        with global_compiler_lock, hurried():  # numba's own lock: whoever waits here may hold it already
            if function.stats.cache_path and not function.overloads:  # another thread may have waited here, too
                read(function, signature)
            if not function.overloads:
                if _listeners and not _holds_code(folder, source):
                    while _listeners:
                        _listeners.pop()()
                try:
                    compiling(signature)
                except OSError as error:  # it is compiled, and could not be kept
                    _problems.append(f"{cache_root()} takes nothing more: {error.strerror}")
                    _serves.cache_clear()
                    _warn_once(cache_problem())
                function.disable_compile()
            (only,) = function.overloads.values()
            # numba asks at every call where the code lies of a function that is passed as a value; it stays there.
            only.library.get_pointer_to_function = cache(only.library.get_pointer_to_function)
            return only

    # What else numba asks of such a function at every call: its type, and where its code for Python lies.
    @cache
    def function_type() -> Any:
        return types.FunctionType(compiled().signature)

    @cache
    def address() -> int:
        only = compiled()
        found: int = only.library.get_pointer_to_function(only.fndesc.llvm_cfunc_wrapper_name)
        return found

    function.compile = lambda _=None: compiled().entry_point
    function.get_function_type, function.get_compile_result = function_type, lambda _=None: compiled()
    function.__wrapper_address__ = address


def entry(function: Any) -> Any:
    """Return the way into a compiled function that does not ask for the types of its arguments: they must be its own.

    numba looks them up at every call, which for bundles takes longer than a thousand instructions of the clock.
    """
    return function.compile()


def callable_part(function: Any) -> Any:
    """Return a function that only compiled code calls once more, for Python: so a test can look at it alone."""
    return jit(function.signature, from_python=True)(function.py_func)


def compile_all(*modules: str) -> None:
    """Compile, or read from the cache, every function that modules declare for Python."""
    for module in modules:
        for value in vars(import_module(module)).values():
            if isinstance(value, Dispatcher) and value.__module__ == module:
                function: Any = value
                if not function.targetoptions["no_cpython_wrapper"]:
                    function.compile()  # which `finish` has replaced
