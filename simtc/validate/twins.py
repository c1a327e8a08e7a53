"""The twins of campaign `kernels`: what the compiler makes of configurations that simtc generates, bit for bit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.arch import ALIASES
from simtc.gemm.operands import dtype, zeros
from simtc.gemm.problem import Problem
from simtc.gemm.registry import families
from simtc.validate.chip import Chip
from simtc.validate.compiled import CompiledCase

__all__ = ["TwinCase", "twin_cases"]


@dataclass(frozen=True)
class TwinCase(CompiledCase):
    """One twin at one size: D by rows."""

    @property
    def name(self) -> str:
        """TWIN/MxNxK."""
        return f"{self.configuration.compiled().name}/{'x'.join(map(str, self.size))}"

    @property
    def _launched_problem(self) -> Problem:
        return self.configuration.problem(dict(zip("mnk", self.size, strict=True)))

    @cached_property
    def _matrices(self) -> dict[str, NDArray[Any]]:
        rng = np.random.Generator(np.random.PCG64([zlib.crc32(self.name.encode()), self.seed]))
        one = self._launched_problem  # multiples of 1/64 below 2 are exact in every floating-point type
        return {x: (rng.integers(-128, 129, one.stored(x)) / 64).astype(dtype(one, x)) for x in "AB"}

    def inputs(self) -> Mapping[str, NDArray[Any]]:
        """Return A and B."""
        return self._matrices

    def _launched(self) -> tuple[NDArray[Any], list[Any]]:
        arrays = zeros(self._launched_problem) | self._matrices
        return arrays["D"], self.configuration.arguments(self._launched_problem, arrays)

    def _bits(self, D: NDArray[Any]) -> NDArray[Any]:
        return D.view(f"uint{8 * D.itemsize}")


def twin_cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[TwinCase]:
    """Yield the twins whose listings ship for the chip's own generation, at every size in blocks."""
    arch = next((alias for alias, sm in ALIASES.items() if sm == f"sm_{chip.sm}"), chip.arch)
    for one in (twin for family in families() for twin in family.twins(arch)):
        for blocks in settings["twin_blocks"]:
            m, n, k = (count * side for count, side in zip(blocks, one.tile, strict=True))
            yield TwinCase(one, chip.board, (m, n, k), settings["seed"])
