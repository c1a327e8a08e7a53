"""simtc: what a tensor-core kernel computes, how long it takes and why, and where its data lives, with no GPU.

The names below are imported when first used, so that a question about a layout does not wait for the simulator.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simtc.cli.magic import Shell
    from simtc.compiler.program import compile_source as compile  # noqa: A004 - the name that users look for
    from simtc.layout import fragment
    from simtc.numerics.multiply import mma
    from simtc.report.lessons import lesson
    from simtc.run.arguments import Struct, uninitialized
    from simtc.run.launch import launch
    from simtc.run.simulate import simulate
    from simtc.run.sweep import sweep
    from simtc.sass import load

__all__ = [
    "Struct", "compile", "fragment", "launch", "lesson", "load", "mma", "simulate", "sweep", "uninitialized",
]  # fmt: skip
__version__ = "0.1.0"

_HOMES = {
    "Struct": "run.arguments",
    "compile": "compiler",
    "fragment": "layout",
    "launch": "run.launch",
    "lesson": "report.lessons",
    "load": "sass",
    "mma": "numerics.multiply",
    "simulate": "run.simulate",
    "sweep": "run.sweep",
    "uninitialized": "run.arguments",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'simtc' has no attribute {name!r}")
    value = getattr(import_module(f"simtc.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def load_ipython_extension(shell: Shell) -> None:
    """Make %%simtc a magic of a notebook: IPython calls this for `%load_ext simtc`."""
    register = import_module("simtc.cli.magic").register
    register(shell)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
