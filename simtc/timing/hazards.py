"""What the compiler must keep between a fixed-latency result and its reader: the clock's safety check.

The hardware checks nothing of it, so a violation in compiled code means that a constant here is wrong. A census of
what compiled code keeps (validate/distances) bounds every entry from above. What a microbenchmark observes is
something else, and stands in `observed_cycles`.
"""

from __future__ import annotations

import numpy as np

from simtc.arch import Device
from simtc.arch.sections import Pipe, Pipes

__all__ = ["GUARD", "PRODUCERS", "READERS", "safe_cycles", "safe_table"]

# Classes of `simtc.isa.dependence`; the first of each stands for what is not checked.
PRODUCERS = (
    "", "alu R", "fma R", "imad R", "imad.hi R", "imad.wide R", "imad.wide.upper R", "fp16 R", "fp16.mma R",
    "fp16.compare R", "fp64 R", "alu P", "imad P", "imad.hi P", "imad.wide P", "fp16 P", "fp16.compare P", "fp64 P",
    "uniform UR", "uniform.wide UR", "uniform.wide.upper UR", "uniform.move UR", "r2ur UR", "uniform UP",
    "uniform.wide UP", "uniform.move UP", "r2ur P",
)  # fmt: skip
READERS = (
    "", "alu", "fma", "imad", "imad.upper", "fp16", "fp16.mma", "fp16.compare", "fp64", "uniform", "uniform.upper",
    "r2ur", "memory", "exchange", "tensor", "accumulator", "xu", "adu", "branch", "warpsync", "vote", "guard", "none",
)  # fmt: skip
GUARD = READERS.index("guard")
_MULTIPLIERS = ("fma", "imad", "imad.upper")  # they forward to each other
_SAME = {
    "alu": ("alu",),
    "fma": _MULTIPLIERS,
    "imad": _MULTIPLIERS,
    "fp16": ("fp16", "fp16.mma"),
    "fp16.mma": ("fp16", "fp16.mma"),
    "fp16.compare": ("fp16.compare",),
    "fp64": ("fp64", "xu", "adu"),
    "uniform": ("uniform", "uniform.upper"),
}
_ARITHMETIC = ("alu", *_MULTIPLIERS, "fp16", "fp16.mma", "fp16.compare", "uniform", "uniform.upper")


def safe_table(device: Device) -> np.ndarray:
    """Return the least distances on a board in cycles, (producers, readers) int64; 0 where nothing is checked."""
    out = np.zeros((len(PRODUCERS), len(READERS)), np.int64)
    for i, made in enumerate(PRODUCERS):
        for j, read in enumerate(READERS):
            out[i, j] = safe_cycles(device.sm.pipes, made, read) if made and read else 0
    return out


def safe_cycles(pipes: Pipes, made: str, read: str) -> int:
    """Return the least distance in cycles between a class of result and a class of reader.

    Example:
        >>> from simtc import arch
        >>> [safe_cycles(arch.sm(name).pipes, "alu R", "memory") for name in ("turing", "ampere")]
        [8, 5]

    """
    source, kind = made.split()
    if kind in ("P", "UP"):
        return _of_predicate(pipes, source, read, uniform=kind == "UP")
    upper = source.endswith(".upper") and source.startswith("imad") and read in _ARITHMETIC
    cycles = _of_register(_pipe(pipes, source), source, read)
    # a WIDE product's upper half is ready later, and its upper addend is asked for later
    return cycles + (upper - (read == "imad.upper")) * pipes.wide_upper_cycles


def _of_register(pipe: Pipe, source: str, read: str) -> int:
    if read in _SAME.get(source, _SAME.get(_base(source), ())):
        return pipe.safe_same_cycles
    if read == "memory":
        return pipe.safe_memory_cycles
    if read in ("tensor", "accumulator"):
        return pipe.safe_tensor_cycles
    # what is decoupled from the arithmetic pipes reads as XU does: exchanges, branches to an address in registers
    if read in ("xu", "fp64", "adu", "exchange", "branch", "warpsync", "r2ur"):
        return pipe.safe_variable_cycles
    return pipe.safe_cross_cycles


def _of_predicate(pipes: Pipes, source: str, read: str, *, uniform: bool) -> int:
    """Return what a predicate's reader keeps: one that selects or carries reads it like a register, a guard earlier.

    All are kept as from the pipe that compares; ptxas keeps one or two cycles more from DSETP and HSETP2.
    """
    if uniform:
        guarded = pipes.safe_uniform_predicate_cycles or 0
        return guarded if read == "guard" else (pipes.uniform or pipes.alu).safe_same_cycles
    if read == "guard":
        return pipes.safe_predicate_cycles
    carries = source.startswith("imad") and read in _MULTIPLIERS
    return pipes.alu.safe_same_cycles if carries or read in ("alu", "branch") else pipes.alu.safe_cross_cycles


def _pipe(pipes: Pipes, source: str) -> Pipe:
    """Return the constants of the pipe that a class of results comes from."""
    base = _base(source)
    if base in ("uniform", "r2ur"):
        pipe = pipes.uniform_move if source == "uniform.move" else pipes.uniform
        return pipe or pipes.alu
    if source.startswith("imad.wide"):
        return pipes.imad_wide
    return {"alu": pipes.alu, "fma": pipes.fma, "imad": pipes.imad, "fp16": pipes.fp16, "fp64": pipes.fp64}[base]


def _base(source: str) -> str:
    """Return the pipe of a class of results."""
    return source.split(".", maxsplit=1)[0]
