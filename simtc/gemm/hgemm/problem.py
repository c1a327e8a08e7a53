"""The problems that an HGEMM is for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simtc.errors import BadInputError, unknown
from simtc.gemm.hgemm.fits import TRANSPOSES
from simtc.gemm.hgemm.tiles import ELEMENT_BYTES
from simtc.gemm.problem import Problem

__all__ = ["hgemm_problem"]


def hgemm_problem(sizes: Mapping[str, Any], accumulator: str = "f16", transpose: str = "tn") -> Problem:
    """Return the problem of given sizes: f16 operands, C and D of the accumulator's type.

    Raises:
        BadInputError: an unknown accumulator or transpose, several products, or gaps between the matrices' lines.

    """
    if accumulator not in ELEMENT_BYTES:
        raise unknown("accumulator", accumulator, ELEMENT_BYTES)
    if transpose not in TRANSPOSES:
        raise unknown("transpose", transpose, TRANSPOSES)
    majors = ("row" if transpose[0] == "t" else "col", "col" if transpose[1] == "n" else "row", "row")
    made = Problem(**sizes, types=f"{accumulator}.f16.f16.{accumulator}", majors=majors)
    if made.batch:
        raise BadInputError(f"batch {made.batch}: hgemm computes one product, hgemm_batched many")
    for name in ("lda", "ldb", "ldc", "ldd"):
        if getattr(made, name) is not None:
            raise BadInputError(
                f"{name} {getattr(made, name)}: hgemm takes lines without gaps, hgemm_batched others too"
            )
    return made
