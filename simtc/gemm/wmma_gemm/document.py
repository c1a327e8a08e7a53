"""The document's host program: what it counts, prints, draws and verifies with.

Source: B. Gannon, "GEMM on Jetson".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from simtc.gemm.family import Verdict
from simtc.gemm.operands import dtype, logical, zeros
from simtc.gemm.problem import Problem
from simtc.gemm.wmma_gemm.pairs import Pair
from simtc.gemm.wmma_gemm.reference import scale, scaled

if TYPE_CHECKING:
    from collections.abc import Mapping

    from simtc.gemm.wmma_gemm.configuration import WmmaGemm

__all__ = ["draw", "eops", "eops_a_byte", "host_result", "printed_leading", "table", "verdicts"]

_DRAWN = 16  # rand() % 16


def eops(problem: Problem) -> int:
    """Return the "effective operations": alpha A, K products and K - 1 sums an element, beta C and its sum.

    Example:
        >>> eops(Problem(m=10000, n=10000, k=10000))
        2000200000000

    """
    m, n, k = problem.m, problem.n, problem.k
    return m * k + (2 * k - 1) * m * n + 2 * m * n


def eops_a_byte(problem: Problem) -> float:
    """Return effective operations over the bytes of A, B and C, each counted once.

    Example:
        >>> round(eops_a_byte(Problem(m=10000, n=10000, k=10000, types="s32.s8.s8.s32")), 2)
        3333.67

    """
    return eops(problem) / sum(_bytes(problem, name) for name in "ABC")


def _bytes(problem: Problem, name: str) -> int:
    rows, columns = problem.shape(name)
    return rows * columns * problem.element_bytes(name)


def draw(problem: Problem, seed: int) -> dict[str, np.ndarray]:
    """Return A, B and C of whole numbers from 0 to 15, as a problem stores them, and D of zeros."""
    generator, arrays = np.random.default_rng(seed), zeros(problem)
    for name in "ABC":
        arrays[name][...] = generator.integers(0, _DRAWN, arrays[name].shape).astype(dtype(problem, name))
    return arrays


def table(made: WmmaGemm, problem: Problem, whole: Problem) -> list[tuple[str, str]]:
    """Return the rows that the program prints before it runs."""
    grid, block = made.grid_dim(whole), made.block_dim
    rows = [
        ("ALPHA", f"{problem.alpha:g} -> {scale(made.pair, problem.alpha)}"),
        ("BETA", f"{problem.beta:g} -> {scale(made.pair, problem.beta)}"),
        ("TRANSPOSE_A", str(made.transpose[0] == "t").lower()),
        ("TRANSPOSE_B", str(made.transpose[1] == "t").lower()),
        ("WMMA_M, N, K", ", ".join(map(str, made.shape))),
        ("NUM_BLOCKS", f"({', '.join(map(str, grid))}) = {grid[0] * grid[1] * grid[2]}"),
        ("NUM_THREADS", f"({', '.join(map(str, block))}) = {block[0] * block[1] * block[2]}"),
        ("Type", made.types),
    ]
    for name in "ABC":
        for label, one in ((f"{name} original", problem), (f"{name} padded", whole)):
            (r, c), size = one.shape(name), one.element_bytes(name)
            rows.append((label, f"{r} x {c}, {size} B => {r * c * size} B"))
    return [
        *rows,
        ("Total eOPS", str(eops(problem))),
        ("Input size", f"{_bytes(problem, 'A') + _bytes(problem, 'B')} B"),
        ("Output size", f"{_bytes(problem, 'C')} B"),
        ("eOPS per byte", f"{eops_a_byte(problem):.6f}"),
    ]


def printed_leading(problem: Problem) -> tuple[int, int]:
    """Return the leading dimensions that the document takes for A and B, whatever is transposed."""
    return problem.k, problem.n


def host_result(made: WmmaGemm, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray | None:
    """Return what the host code computes: every product rounded to the operands' type, one sum after another.

    With `as_printed` it indexes as printed; None where that reads beyond a matrix.
    """
    pair = made.pair
    A, B = _seen(made, problem, arrays, "A"), _seen(made, problem, arrays, "B")
    if A is None or B is None:
        return None
    kind = dtype(problem, "C")
    C = scaled(pair, "C", logical(problem, "C", arrays["C"]), problem.beta).copy()
    alpha = scale(pair, problem.alpha)
    integers = kind.kind in "iu"
    if integers:
        exact = A.astype(np.int64) @ B.astype(np.int64)
        return np.asarray((C.astype(np.int64) + int(alpha) * exact).astype(np.int32))
    with np.errstate(all="ignore"):
        for step in range(problem.k):
            left = np.asarray(alpha * A[:, step], A.dtype)
            C += (left[:, None] * B[None, step, :]).astype(kind)
    return C


def _seen(made: WmmaGemm, problem: Problem, arrays: Mapping[str, np.ndarray], name: str) -> np.ndarray | None:
    """Return op(A) or op(B) as the host code indexes it."""
    if not made.as_printed:
        return logical(problem, name, arrays[name])
    rows, columns = problem.shape(name)
    leading = printed_leading(problem)["AB".index(name)]
    row, column = np.arange(rows)[:, None], np.arange(columns)[None]
    places = column * leading + row if problem.major(name) == "col" else row * leading + column
    flat = arrays[name].ravel()
    return None if places.max() >= flat.size else flat[places]


def verdicts(made: WmmaGemm, problem: Problem, arrays: Mapping[str, np.ndarray], D: np.ndarray) -> list[Verdict]:
    """Judge by the document's rule, |C - host's C| > tolerance nowhere, and by exact arithmetic.

    The document's comparison is false of a NaN, so that what overflowed on both sides is "correct". The exact one takes
    the same tolerance, and no value that is not finite.
    """
    pair = made.pair
    host = host_result(made, problem, arrays)
    if host is None:
        ours = Verdict(rule="the document's", correct=False, note="its host code reads beyond the matrices")
    else:
        with np.errstate(all="ignore"):
            away = np.abs(_wide(D) - _wide(host)) if D.dtype.kind in "iu" else np.abs(D - host).astype(np.float64)
            off = int((away > pair.tolerance).sum())
            note = f"{off} of {D.size} elements are more than {pair.tolerance:g} off{_largest(away)}"
        ours = Verdict(rule="the document's", correct=not off, note=note)
    return [ours, _exact_verdict(pair, problem, arrays, D)]


def _exact_verdict(pair: Pair, problem: Problem, arrays: Mapping[str, np.ndarray], D: np.ndarray) -> Verdict:
    A, B, C = (_wide(logical(problem, name, arrays[name])) for name in "ABC")
    alpha, beta = (_wide(scale(pair, value)) for value in (problem.alpha, problem.beta))
    product = A @ B if pair.operand != "f64" else (A.astype(np.longdouble) @ B.astype(np.longdouble))
    exact = alpha * product + beta * C
    with np.errstate(all="ignore"):
        away = np.abs(_wide(D) - exact).astype(np.float64)
        off = int((~(away <= pair.tolerance)).sum())
    infinite = 0 if D.dtype.kind in "iu" else int((~np.isfinite(D.astype(np.float64))).sum())
    note = f"{off} of {D.size} elements are more than {pair.tolerance:g} off{_largest(away)}"
    if infinite:
        note += f"; {100 * infinite / D.size:.1f} % of them are not finite"
    return Verdict(rule="exact arithmetic", correct=not off, note=note)


def _largest(away: np.ndarray) -> str:
    finite = away[np.isfinite(away)]
    return f", the largest difference is {finite.max():.6g}" if finite.size else ""


def _wide(matrix: np.ndarray) -> np.ndarray[Any, Any]:
    return matrix.astype(np.int64 if matrix.dtype.kind in "iu" else np.float64)
