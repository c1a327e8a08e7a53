"""How kernels over a batch are called: arrays of pointers, D written over a copy of C, alpha and beta in halves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from simtc.gemm.problem import Problem

__all__ = ["arguments", "factors"]


def factors(value: complex) -> tuple[np.ndarray, np.ndarray]:
    """Return alpha or beta as the kernel is given it: real and imaginary part.

    Example:
        >>> factors(-0.5 + 2j)
        (array(-0.5, dtype=float16), array(2., dtype=float16))

    """
    with np.errstate(over="ignore"):
        return np.asarray(complex(value).real, np.float16), np.asarray(complex(value).imag, np.float16)


def arguments(problem: Problem, arrays: Mapping[str, np.ndarray], *, sizes: list[int], planes: int) -> list[Any]:
    """Return the arguments of a launch: sizes, then alpha, A, lda, B, ldb, beta, D, ldd.

    Args:
        problem: whose D takes C's place.
        arrays: A, B, C and D as the problem stores them.
        sizes: what the kernel is told first.
        planes: parts of a number, 1 or 2.

    Example:
        >>> from simtc.gemm.operands import drawn
        >>> one = Problem(m=4, n=4, k=4, batch=(7,), beta=1.0)
        >>> matrices = drawn(one, 0)
        >>> given = arguments(one, matrices, sizes=[7], planes=1)
        >>> len(given), len(given[2]), (matrices["D"] == matrices["C"]).all()
        (9, 7, np.True_)

    """
    arrays["D"][...] = arrays["C"]
    each = {name: list(arrays[name].reshape(problem.products, *arrays[name].shape[-2:])) for name in "ABD"}
    alpha, beta = (
        b"".join(part.tobytes() for part in factors(value)[:planes]) for value in (problem.alpha, problem.beta)
    )
    lda, ldb, ldd = (np.int32(problem.leading(name)) for name in "ABD")
    return [*map(np.int32, sizes), alpha, each["A"], lda, each["B"], ldb, beta, each["D"], ldd]
