"""simtc: what a tensor-core kernel computes, how long it takes and why, and where its data lives, with no GPU.

The names below are imported when first used, so that a question about a layout does not wait for the simulator.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from simtc.compiler import compile_source
    from simtc.layout import fragment
    from simtc.numerics.multiply import mma
    from simtc.run.arguments import Struct, uninitialized
    from simtc.run.launch import launch
    from simtc.run.simulate import simulate
    from simtc.sass import load

    compile = compile_source  # noqa: A001 - the name that users look for

__all__ = ["Struct", "compile", "fragment", "launch", "load", "mma", "simulate", "uninitialized"]
__version__ = "0.1.0"

_HOMES = {
    "Struct": "run.arguments",
    "compile": "compiler",
    "fragment": "layout",
    "launch": "run.launch",
    "load": "sass",
    "mma": "numerics.multiply",
    "simulate": "run.simulate",
    "uninitialized": "run.arguments",
}


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'simtc' has no attribute {name!r}")
    value = getattr(import_module(f"simtc.{_HOMES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
