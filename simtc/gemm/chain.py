"""The bits of a GEMM: one matrix instruction after another along k, as every tensor-core kernel computes them."""

from __future__ import annotations

import numpy as np

from simtc.numerics.instructions import instruction_named
from simtc.numerics.multiply import mma

__all__ = ["chain"]


def chain(instruction: str, A: np.ndarray, B: np.ndarray, C: np.ndarray, *, arch: str) -> np.ndarray:
    """Return A B + C as a chain of single instructions over k, each adding to what the one before it gave.

    Args:
        instruction: as simtc.mma names it; m, n and k are multiples of its shape.
        A: (..., m, k), as simtc.mma takes it.
        B: (..., k, n).
        C: (..., m, n): what the first instruction adds to.
        arch: the architecture whose arithmetic it is.

    Example:
        >>> A, B, C = np.ones((16, 32), np.float16), np.ones((32, 8), np.float16), np.zeros((16, 8), np.float32)
        >>> chain("m16n8k16.f32.f16.f16.f32", A, B, C, arch="ampere")[0, 0]
        np.float32(32.0)

    """
    one = instruction_named(instruction, arch)
    rows, columns = A.shape[-2] // one.m, B.shape[-1] // one.n
    D = _tiles(C, one.m, one.n)
    for step in range(A.shape[-1] // one.k):
        along = slice(step * one.k, (step + 1) * one.k)
        a = _tiles(A[..., along], one.m, one.k)  # (..., rows, 1, m, k)
        b = _tiles(B[..., along, :], one.k, one.n)  # (..., 1, columns, k, n)
        shape = (*D.shape[:-4], rows, columns)
        a, b = (np.ascontiguousarray(np.broadcast_to(x, (*shape, *x.shape[-2:]))) for x in (a, b))
        D = mma(instruction, a, b, D, arch=arch)
    joined = D.swapaxes(-3, -2)
    return np.ascontiguousarray(joined.reshape(*joined.shape[:-4], rows * one.m, columns * one.n))


def _tiles(matrix: np.ndarray, rows: int, columns: int) -> np.ndarray:
    """Return (..., rows of tiles, columns of tiles, rows, columns)."""
    down, across = matrix.shape[-2] // rows, matrix.shape[-1] // columns
    return np.ascontiguousarray(matrix.reshape(*matrix.shape[:-2], down, rows, across, columns).swapaxes(-3, -2))
