"""The bits of a tiny product: a chain of HFMA2 along k, or one matrix instruction for several problems."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from simtc.gemm.batch import factors
from simtc.gemm.chain import chain
from simtc.gemm.operands import dtype, fma, logical
from simtc.gemm.problem import Problem
from simtc.numerics.rules import architecture_named

if TYPE_CHECKING:
    from simtc.gemm.gemm_small.configuration import GemmSmall

__all__ = ["reference"]

_Parts = tuple[np.ndarray, ...]  # of a real number one, of a complex one two
_INSTRUCTION = "wmma.m16n16k16.f16.f16.f16.f16"


def reference(made: GemmSmall, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return D (..., m, n); C is not looked at where beta is 0."""
    A, B, C = (_parts(logical(problem, name, arrays[name])) for name in "ABC")
    alpha, beta = (factors(value)[: made.planes] for value in (problem.alpha, problem.beta))
    with np.errstate(all="ignore"):
        product = (_packed(made, A[0], B[0]),) if made.packed else _chained(A, B)
        result = _fused(alpha, product, _times(beta, C)) if any(beta) else _times(alpha, product)
    if made.planes == 1:
        return result[0]
    out = np.empty(result[0].shape, dtype(problem, "D"))
    out["re"], out["im"] = result
    return out


def _parts(matrix: np.ndarray) -> _Parts:
    return (matrix["re"], matrix["im"]) if matrix.dtype.names else (matrix,)


def _chained(A: _Parts, B: _Parts) -> _Parts:
    total: _Parts = tuple(np.zeros((*A[0].shape[:-1], B[0].shape[-1]), np.float16) for _ in A)
    for k in range(A[0].shape[-1]):
        column, row = tuple(a[..., :, k : k + 1] for a in A), tuple(b[..., k : k + 1, :] for b in B)
        total = _fused(column, row, total)
    return total


def _packed(made: GemmSmall, A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """Put as many problems into one instruction as the kernel does."""
    size, together = made.size, 16 // made.size
    batch = A.reshape(-1, size, size), B.reshape(-1, size, size)
    groups = -(-len(batch[0]) // together)
    a, b = (np.zeros((groups, 16, 16), np.float16) for _ in range(2))
    for one in range(len(batch[0])):
        group, place = one // together, one % together * size
        a[group, place : place + size, place : place + size] = batch[0][one]
        b[group, place : place + size, :size] = batch[1][one]
    c = chain(_INSTRUCTION, a, b, np.zeros_like(a), arch=architecture_named(f"sm_{made.sm}"))
    rows = c[:, : together * size, :size].reshape(groups * together, size, size)
    return np.ascontiguousarray(rows[: len(batch[0])]).reshape(A.shape)


def _fused(a: _Parts, b: _Parts, c: _Parts) -> _Parts:
    """Return a b + c: a rounding for each real product."""
    if len(a) == 1:
        return (fma(a[0], b[0], c[0]),)
    return fma(-a[1], b[1], fma(a[0], b[0], c[0])), fma(a[1], b[0], fma(a[0], b[1], c[1]))


def _times(a: _Parts, b: _Parts) -> _Parts:
    if len(a) == 1:
        return (np.asarray(a[0] * b[0], np.float16),)
    return fma(-a[1], b[1], a[0] * b[0]), fma(a[1], b[0], a[0] * b[1])
