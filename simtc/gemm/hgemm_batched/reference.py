"""The bits of D that a batched GEMM must give: one matrix instruction after another along k, then the epilogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from simtc.gemm.batch import factors
from simtc.gemm.chain import chain
from simtc.gemm.operands import dtype, fma, logical
from simtc.gemm.problem import Problem
from simtc.numerics.rules import architecture_named

if TYPE_CHECKING:
    from simtc.gemm.hgemm_batched.configuration import BatchedGemm

__all__ = ["reference"]

_Pair = tuple[np.ndarray, np.ndarray]  # real and imaginary part


def reference(made: BatchedGemm, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return D (..., m, n); C is not looked at where beta is 0."""
    with np.errstate(all="ignore"):
        return _complex(made, problem, arrays) if made.planes == 2 else _real(made, problem, arrays)


def _real(made: BatchedGemm, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    A, B, C = (logical(problem, name, arrays[name]) for name in "ABC")
    kind: Any = np.float32 if made.accumulator == "f32" else np.float16
    zero = np.zeros((*A.shape[:-2], *_whole(made, problem)[:2]), kind)
    product = _within(problem, chain(made.instruction, *_padded(made, problem, A, B), zero, arch=_arch(made)))
    alpha, beta = (kind(factors(value)[0]) for value in (problem.alpha, problem.beta))
    result = fma(alpha, product, beta * C.astype(kind)) if beta else alpha * product
    return np.asarray(result, np.float16)


def _complex(made: BatchedGemm, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """Real parts of the four products of a step go to one sum, imaginary ones to another, in the kernel's order."""
    A, B, C = (_parts(logical(problem, name, arrays[name])) for name in "ABC")
    a, b = ([_padded(made, problem, A[part], B[part])[which] for part in (0, 1)] for which in (0, 1))
    depth, arch = made.tiling.shape[2], _arch(made)
    real = imaginary = np.zeros((*a[0].shape[:-2], *_whole(made, problem)[:2]), np.float16)
    for first in range(0, a[0].shape[-1], depth):
        ar, ai = (part[..., first : first + depth] for part in a)
        br, bi = (part[..., first : first + depth, :] for part in b)
        real = chain(made.instruction, ar, br, real, arch=arch)
        imaginary = chain(made.instruction, ar, bi, imaginary, arch=arch)
        imaginary = chain(made.instruction, ai, br, imaginary, arch=arch)
        real = chain(made.instruction, -ai, bi, real, arch=arch)
    product = _within(problem, real), _within(problem, imaginary)
    alpha, beta = factors(problem.alpha), factors(problem.beta)
    parts = _added(alpha, product, _times(beta, C)) if any(beta) else _times(alpha, product)
    result = np.empty(parts[0].shape, dtype(problem, "D"))
    result["re"], result["im"] = parts
    return result


def _times(s: _Pair, x: _Pair) -> _Pair:
    """Return s x: two roundings a part."""
    (a, b), (c, d) = s, x
    return fma(-b, d, a * c), fma(b, c, a * d)


def _added(s: _Pair, x: _Pair, to: _Pair) -> _Pair:
    """Return s x + to: two roundings a part."""
    (a, b), (c, d) = s, x
    return fma(-b, d, fma(a, c, to[0])), fma(b, c, fma(a, d, to[1]))


def _parts(matrix: np.ndarray) -> _Pair:
    return matrix["re"], matrix["im"]


def _arch(made: BatchedGemm) -> str:
    return architecture_named(f"sm_{made.sm}")


def _whole(made: BatchedGemm, problem: Problem) -> tuple[int, int, int]:
    """Return m and n in whole instructions, and k in whole iterations, which multiply zeros too."""
    units = (*made.tiling.shape[:2], made.tiling.block[2])
    m, n, k = (-(-size // unit) * unit for size, unit in zip((problem.m, problem.n, problem.k), units, strict=True))
    return m, n, k


def _padded(made: BatchedGemm, problem: Problem, A: np.ndarray, B: np.ndarray) -> _Pair:
    m, n, k = _whole(made, problem)

    def filled(matrix: np.ndarray, rows: int, columns: int) -> np.ndarray:
        out = np.zeros((*matrix.shape[:-2], rows, columns), matrix.dtype)
        out[..., : matrix.shape[-2], : matrix.shape[-1]] = matrix
        return out

    return filled(A, m, k), filled(B, k, n)


def _within(problem: Problem, product: np.ndarray) -> np.ndarray:
    return product[..., : problem.m, : problem.n]
