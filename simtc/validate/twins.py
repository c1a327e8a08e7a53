"""The twins of campaign `kernels`: what the compiler makes of configurations that simtc generates, bit for bit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.arch import ALIASES, Device
from simtc.gemm.family import Configured
from simtc.gemm.operands import dtype, zeros
from simtc.gemm.problem import Problem
from simtc.gemm.registry import families
from simtc.gpu import Gpu, compile_one
from simtc.isa import Kernel
from simtc.run.launch import launch
from simtc.validate.chip import Chip
from simtc.validate.measured import disassembled, same_code

__all__ = ["TwinCase", "twin_cases"]


@dataclass(frozen=True)
class TwinCase:
    """One twin at one size: D by rows."""

    configuration: Configured
    board: Device
    size: tuple[int, int, int]
    seed: int

    @property
    def name(self) -> str:
        """TWIN/MxNxK."""
        return f"{self.configuration.compiled().name}/{'x'.join(map(str, self.size))}"

    @property
    def _problem(self) -> Problem:
        return self.configuration.problem(dict(zip("mnk", self.size, strict=True)))

    @cached_property
    def _matrices(self) -> dict[str, NDArray[Any]]:
        rng = np.random.Generator(np.random.PCG64([zlib.crc32(self.name.encode()), self.seed]))
        one = self._problem  # multiples of 1/64 below 2 are exact in every floating-point type
        return {x: (rng.integers(-128, 129, one.stored(x)) / 64).astype(dtype(one, x)) for x in "AB"}

    def inputs(self) -> Mapping[str, NDArray[Any]]:
        """Return A and B."""
        return self._matrices

    def _launched(self) -> tuple[NDArray[Any], list[Any]]:
        arrays = zeros(self._problem) | self._matrices
        return arrays["D"], self.configuration.arguments(self._problem, arrays)

    def run(self, gpu: Gpu) -> NDArray[Any]:
        """Launch on the GPU."""
        made, twin = self.configuration, self.configuration.compiled()
        code = compile_one(twin.source, twin.name, gpu, definitions=twin.definitions)
        D, args = self._launched()
        gpu.launch(code, made.grid_dim(self._problem), made.block_dim, args, shared_bytes=twin.dynamic_shared_bytes)
        if not same_code(code, self.kernel):
            self.__dict__["note"] = f"{code.toolkit} compiled other machine code than the shipped listing's"
            self.__dict__["kernel"] = disassembled(code)
        return D.view(f"uint{8 * D.itemsize}")

    @cached_property
    def kernel(self) -> Kernel:
        """What is simulated: the shipped listing, unless another compiler made other code for the GPU."""
        return self.configuration.compiled().kernel()

    def expect(self) -> NDArray[Any]:
        """Launch with simtc."""
        made = self.configuration
        D, args = self._launched()
        launch(
            self.kernel, made.grid_dim(self._problem), made.block_dim, args,
            shared_bytes=made.compiled().dynamic_shared_bytes, device=self.board,
        )  # fmt: skip
        return D.view(f"uint{8 * D.itemsize}")

    def show(self, place: tuple[int, ...]) -> str:
        """Name the element of D."""
        return f"D{list(place)} of {self.name}"


def twin_cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[TwinCase]:
    """Yield the twins whose listings ship for the chip's own generation, at every size in blocks."""
    arch = next((alias for alias, sm in ALIASES.items() if sm == f"sm_{chip.sm}"), chip.arch)
    for one in (twin for family in families() for twin in family.twins(arch)):
        for blocks in settings["twin_blocks"]:
            m, n, k = (count * side for count, side in zip(blocks, one.tile, strict=True))
            yield TwinCase(one, chip.board, (m, n, k), settings["seed"])
