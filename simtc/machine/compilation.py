"""The first use: compile the simulator on all the cores at hand, rather than module after module."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module

from simtc.jit import is_compiled

__all__ = ["compile_simulator", "needs_compiling"]

# Two halves that need nothing of each other, of about the same length; what is left links both.
_HERE = ("simtc.machine.predicate", "simtc.machine.convert", "simtc.machine.control", "simtc.machine.special")
_BESIDE = ("simtc.machine.tensor", "simtc.machine.access", "simtc.timing.pipeline")


def needs_compiling() -> bool:
    """Tell whether no earlier run left the compiled simulator of exactly these sources."""
    return not is_compiled("simtc.machine.step")


def compile_simulator() -> None:
    """Fill the cache of compiled code, one half in a process of its own."""
    beside = subprocess.Popen([sys.executable, "-c", f"import {', '.join(_BESIDE)}"])  # noqa: S603 - our own interpreter
    try:
        for module in _HERE:
            import_module(module)
    finally:
        beside.wait()
