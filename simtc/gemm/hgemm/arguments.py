"""What a launch of the generated program, and of its twin alike, is given."""

from __future__ import annotations

from collections.abc import Mapping
from math import prod
from typing import Any

import numpy as np

from simtc.gemm.hgemm.parameters import parameters
from simtc.gemm.hgemm.tiles import Tiles
from simtc.gemm.operands import dtype
from simtc.gemm.problem import Problem

__all__ = ["arguments_of"]


def arguments_of(tiles: Tiles, problem: Problem, arrays: Mapping[str, np.ndarray]) -> list[Any]:
    """Return the arguments of a launch in the order of its parameters: `arrays` as the problem stores them.

    Example:
        >>> from simtc.gemm.operands import zeros
        >>> one = Problem(m=64, n=64, k=32, batch=(2,), lda=40)
        >>> tiles = Tiles(block=(64, 64, 32), warp=(32, 32, 8), strided=True)
        >>> [int(argument) for argument in arguments_of(tiles, one, zeros(one))[3:]]
        [64, 64, 32, 40, 64, 64, 2560, 2048, 4096]

    """
    kind = dtype(problem, "D")
    values: dict[str, Any] = {
        **arrays,
        **{size: np.int32(getattr(problem, size)) for size in "mnk"},
        **{name: np.full(4 // kind.itemsize, getattr(problem, name), kind).tobytes() for name in ("alpha", "beta")},
        **{f"ld{name.lower()}": np.int32(problem.leading(name)) for name in "ABCD"},
        **{f"stride_{name.lower()}": np.int64(prod(problem.stored(name)[-2:])) for name in "ABCD"},
    }
    return [values[name] for name in parameters(tiles)]
