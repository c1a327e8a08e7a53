"""The first use: compile the simulator on all the cores at hand, rather than module after module."""

from __future__ import annotations

import subprocess
import sys

from simtc.jit import compile_all, is_compiled

__all__ = ["compile_simulator", "needs_compiling"]

# Two halves of about the same length. The step, which holds all that a machine does, comes last in its own: by then the
# other process has put what it lacks into the cache.
_HERE = ("simtc.machine.step",)
_BESIDE = ("simtc.timing.chip", "simtc.machine.run", "simtc.timing.sampling.forward", "simtc.timing.units.l2_tags",
           "simtc.timing.units.aging")  # fmt: skip


def needs_compiling() -> bool:
    """Tell whether no earlier run left the compiled simulator of exactly these sources."""
    return not is_compiled("simtc.machine.step")


def compile_simulator() -> None:
    """Fill the cache of compiled code, one half in a process of its own."""
    code = f"from simtc.jit import compile_all; compile_all{_BESIDE}"
    beside = subprocess.Popen([sys.executable, "-c", code])  # noqa: S603 - our own interpreter
    try:
        compile_all(*_HERE)
    finally:
        beside.wait()
