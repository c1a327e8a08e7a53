"""The bits of D."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from simtc.gemm.operands import logical
from simtc.gemm.problem import Problem
from simtc.gemm.simt.chain import add_products, fused

if TYPE_CHECKING:
    from simtc.gemm.simt.configuration import SimtGemm

__all__ = ["reference"]

_NAN = np.array(0x7FFFFFFF, np.uint32).view(np.float32)  # what FFMA makes of any


def reference(made: SimtGemm, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return alpha op(A) op(B) + beta C, k filled up with zeros to whole strips as the kernel does."""
    depth = made.tile[2]
    more = -problem.k % depth
    A = np.pad(logical(problem, "A", arrays["A"]), ((0, 0), (0, more)))
    B = np.pad(logical(problem, "B", arrays["B"]), ((0, more), (0, 0)))
    C = logical(problem, "C", arrays["C"])
    alpha, beta = made.scalar(problem.alpha), made.scalar(problem.beta)
    with np.errstate(all="ignore"):
        if not made.numbers.is_complex:
            total = add_products(A, B, np.zeros_like(C))
            return _chips(fused(alpha, total, _addend(beta, C)))
        A, B = (np.conj(one) if way == "c" else one for one, way in zip((A, B), made.transpose, strict=True))
        re, im = (_three if made.method == "m3" else _four)(A, B, C)
        return _complex_epilogue(alpha, re, im, beta, C)


def _addend(beta: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Return beta C, rounded; -0, which changes no sum, where C is not read."""
    return np.asarray(beta * C) if beta else np.full_like(C, -0.0)


def _four(A: np.ndarray, B: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both parts of A B: for each k the product of the real part of A first."""
    nothing = np.zeros(C.shape, C.real.dtype)
    re = add_products(_columns(A.real, -A.imag), _rows(B.real, B.imag), nothing)
    im = add_products(_columns(A.real, A.imag), _rows(B.imag, B.real), nothing)
    return re, im


def _three(A: np.ndarray, B: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both parts of A B by three real products."""
    nothing = np.zeros(C.shape, C.real.dtype)
    t1 = add_products(A.real, B.real, nothing)
    t2 = add_products(A.imag, B.imag, nothing)
    t3 = add_products(A.real + A.imag, B.real + B.imag, nothing)
    return t1 - t2, t3 - t1 - t2


def _columns(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the columns of two matrices in turn."""
    return np.stack((first, second), axis=-1).reshape(first.shape[0], -1)


def _rows(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Return the rows of two matrices in turn."""
    return np.stack((first, second), axis=1).reshape(-1, first.shape[1])


def _complex_epilogue(alpha: np.ndarray, re: np.ndarray, im: np.ndarray, beta: np.ndarray, C: np.ndarray) -> np.ndarray:
    """Return alpha (re + i im) + beta C: two fused steps a part, the imaginary factor's first."""
    if beta:
        below = fused(-beta.imag, C.imag, beta.real * C.real), fused(beta.imag, C.real, beta.real * C.imag)
    else:
        below = np.full_like(re, -0.0), np.full_like(re, -0.0)
    D = np.empty(C.shape, C.dtype)
    D.real = _chips(fused(alpha.real, re, fused(-alpha.imag, im, below[0])))
    D.imag = _chips(fused(alpha.real, im, fused(alpha.imag, re, below[1])))
    return D


def _chips(values: np.ndarray) -> np.ndarray:
    """Return values with NaN as FFMA makes it; DFMA hands an operand's on, whose order the compiler chooses."""
    return np.where(np.isnan(values), _NAN, values) if values.dtype == np.float32 else values
