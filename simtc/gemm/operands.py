"""A problem's matrices as numpy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from simtc.gemm.problem import Problem

__all__ = ["DTYPES", "dtype", "fma", "logical", "zeros"]

DTYPES: Mapping[str, np.dtype[Any]] = {
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "tf32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "s8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
    "s32": np.dtype(np.int32),
    "i32": np.dtype(np.int32),
}


def dtype(problem: Problem, name: str) -> np.dtype[Any]:
    """Return the numpy type of A, B, C or D."""
    return DTYPES[problem.element(name)]


def zeros(problem: Problem) -> dict[str, np.ndarray]:
    """Return A, B, C and D as they lie in memory, filled with zeros.

    Example:
        >>> {name: array.shape for name, array in zeros(Problem(m=4, n=3, k=2, batch=(7,))).items()}
        {'A': (7, 4, 2), 'B': (7, 2, 3), 'C': (7, 4, 3), 'D': (7, 4, 3)}

    """
    return {name: np.zeros(problem.stored(name), dtype(problem, name)) for name in "ABCD"}


def logical(problem: Problem, name: str, array: np.ndarray) -> np.ndarray:
    """Return a matrix (..., rows, columns), a view of how it lies in memory.

    Example:
        >>> one = Problem(m=4, n=3, k=2, majors=("row", "col", "row"), ldb=8)
        >>> logical(one, "B", zeros(one)["B"]).shape
        (2, 3)

    """
    by_columns = problem.major(name) == "col"
    lines = array[..., : problem.shape(name)[0 if by_columns else 1]]
    return lines.swapaxes(-1, -2) if by_columns else lines


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return a b + c rounded once to the operands' type, float16 or float32, as FFMA and HFMA2 do.

    The product of two is exact in float64. Its sum is made exact by rounding it to odd: then the second rounding, to
    fewer bits, falls as the first alone would have.

    Example:
        >>> a, c = np.float32(1 + 2**-12), np.float32(2**-60)
        >>> (fma(a, a, c) - np.float32(1 + 2**-11)) * 2**23  # the product ends half-way, and c decides
        np.float32(1.0)

    """
    kind = np.result_type(a, b, c)
    with np.errstate(all="ignore"):
        product = np.asarray(a, np.float64) * np.asarray(b, np.float64)
        other = np.asarray(c, np.float64)
        total = product + other
        back = total - product
        error = (product - (total - back)) + (other - back)
        inexact = np.isfinite(total) & (error != 0) & (total.view(np.int64) & 1 == 0)
        toward = np.where(error > 0, np.inf, -np.inf)
        return np.where(inexact, np.nextafter(total, toward), total).astype(kind)
