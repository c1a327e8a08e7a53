"""The bits of C, and the arithmetic around the matrix instructions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from simtc.gemm.chain import chain
from simtc.gemm.operands import DTYPES, logical
from simtc.gemm.problem import Problem
from simtc.gemm.wmma_gemm.pairs import Pair
from simtc.numerics.rules import architecture_named

if TYPE_CHECKING:
    from simtc.gemm.wmma_gemm.configuration import WmmaGemm

__all__ = ["reference", "scale", "scaled"]


def scale(pair: Pair, value: complex) -> np.ndarray:
    """Return alpha or beta in the operands' type, as the host passes it."""
    return np.asarray(complex(value).real).astype(DTYPES[pair.operand])


def scaled(pair: Pair, which: str, matrix: np.ndarray, value: complex) -> np.ndarray:
    """Return alpha A (`which` is "A") or beta C, in the matrix' own type: integers wrap, the others round.

    Example:
        >>> from simtc.gemm.wmma_gemm.pairs import pair_named
        >>> scaled(pair_named("s8"), "A", np.array([100], np.int8), -2.0)
        array([56], dtype=int8)

    """
    factor = scale(pair, value)
    if which == "C":
        factor = factor.astype(DTYPES[pair.sum])
    with np.errstate(all="ignore"):
        if matrix.dtype.kind in "iu":
            return (matrix.astype(np.int64) * int(factor)).astype(matrix.dtype)
        return np.asarray(matrix * factor, matrix.dtype)


def reference(made: WmmaGemm, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return beta C + (alpha A) B, the products added to C one instruction after another along k."""
    pair = made.pair
    A = scaled(pair, "A", logical(problem, "A", arrays["A"]), problem.alpha)
    C = scaled(pair, "C", logical(problem, "C", arrays["C"]), problem.beta)
    B = logical(problem, "B", arrays["B"])
    bits = [_raw(x) for x in (A, B, C)]
    arch = architecture_named(f"sm_{made.sm}")
    return chain(pair.mma(made.shape), *bits, arch=arch).view(C.dtype)


def _raw(matrix: np.ndarray) -> np.ndarray[Any, Any]:
    """Return the bits of floating-point values: a tf32 operand has more of them than tf32 values do."""
    matrix = np.ascontiguousarray(matrix)
    return matrix if matrix.dtype.kind in "iu" else matrix.view(f"u{matrix.itemsize}")
