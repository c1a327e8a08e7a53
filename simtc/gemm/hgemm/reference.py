"""The bits of D that a configuration must give."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from simtc.gemm.chain import chain
from simtc.gemm.hgemm.tiles import Tiles
from simtc.gemm.operands import dtype, fma, logical
from simtc.gemm.problem import Problem
from simtc.numerics.rules import architecture_named

__all__ = ["reference"]


def reference(tiles: Tiles, problem: Problem, arrays: Mapping[str, np.ndarray]) -> np.ndarray:
    """Return D = A B, then alpha D, or the fused alpha D + (beta C), in D's type."""
    A, B, C, D = (logical(problem, name, arrays[name]) for name in "ABCD")
    m, n, k = (8, 8, 4) if tiles.sm_number < 75 else tiles.instruction.shape
    name = f"m{m}n{n}k{k}.{problem.types}"
    product = chain(name, A, B, np.zeros_like(D), arch=architecture_named(tiles.sm.name))
    kind = dtype(problem, "D").type
    if tiles.epilogue == "none":
        return product
    if tiles.epilogue == "alpha":
        return np.asarray(kind(problem.alpha) * product)
    return fma(kind(problem.alpha), product, kind(problem.beta) * C)
