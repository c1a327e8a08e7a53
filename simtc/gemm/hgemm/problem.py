"""The problems that an HGEMM is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simtc.errors import BadInputError, unknown
from simtc.gemm.hgemm.fits import TRANSPOSES, TYPES
from simtc.gemm.hgemm.tiles import ELEMENT_BYTES
from simtc.gemm.problem import Problem

__all__ = ["hgemm_problem", "is_strided"]

_GRID_Z = 65535
_LINE_BYTES = 16  # that LDG.128 reads at once: every line starts at a multiple of them


def hgemm_problem(
    sizes: Mapping[str, Any], accumulator: str = "f16", transpose: str = "tn", types: str = "f16"
) -> Problem:
    """Return the problem of given sizes: operands of one type, C and D of the accumulator's.

    Raises:
        BadInputError: an unknown type, accumulator or transpose, more products than a grid has blocks along z, or a
            leading dimension that does not keep lines aligned to 16 bytes.

    Example:
        >>> hgemm_problem({"m": 64, "n": 32, "k": 16, "batch": 3, "lda": 24}).stored("A")
        (3, 64, 24)
        >>> hgemm_problem({"m": 64, "n": 32, "k": 16, "lda": 25})  # doctest: +NORMALIZE_WHITESPACE
        Traceback (most recent call last):
        simtc.errors.BadInputError: lda 25: a line of A must start at a multiple of 16 bytes, so a leading dimension is
        a multiple of 8 elements; the nearest is 24. Try: --lda 24

    """
    if types not in TYPES:
        raise unknown("types", types, TYPES)
    if accumulator not in ELEMENT_BYTES:
        raise unknown("accumulator", accumulator, ELEMENT_BYTES)
    if transpose not in TRANSPOSES:
        raise unknown("transpose", transpose, TRANSPOSES)
    majors = ("row" if transpose[0] == "t" else "col", "col" if transpose[1] == "n" else "row", "row")
    made = Problem(**sizes, types=f"{accumulator}.{types}.{types}.{accumulator}", majors=majors)
    if made.products > _GRID_Z:
        raise BadInputError(
            f"batch {made.products:,}: one launch takes {_GRID_Z:,} products, which the grid has along z. "
            f"Try: --batch {_GRID_Z}, and the rest in launches of their own"
        )
    for name in "ABCD":
        unit, given = _LINE_BYTES // made.element_bytes(name), getattr(made, f"ld{name.lower()}")
        if given is not None and given % unit:
            line = -(-made.shape(name)[made.major(name) == "row"] // unit) * unit
            near = max(round(given / unit) * unit, line)
            raise BadInputError(
                f"ld{name.lower()} {given}: a line of {name} must start at a multiple of {_LINE_BYTES} bytes, so a "
                f"leading dimension is a multiple of {unit} elements; the nearest is {near}. "
                f"Try: --ld{name.lower()} {near}"
            )
    return made


def is_strided(problem: Problem) -> bool:
    """Tell whether a kernel must be told how far apart lines or products lie: gaps between lines, or a batch.

    Example:
        >>> sizes = {"m": 64, "n": 32, "k": 16}
        >>> [is_strided(hgemm_problem(sizes | more)) for more in ({}, {"lda": 16}, {"lda": 24}, {"batch": 2})]
        [False, False, True, True]

    """
    return problem.products > 1 or any(problem.stored(name)[-1] != problem.line(name) for name in "ABCD")
