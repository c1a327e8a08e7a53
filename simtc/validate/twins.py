"""The twins of campaign `kernels`: what the compiler makes of the parametric HGEMM, bit for bit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.arch import ALIASES, Device
from simtc.errors import BadInputError
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.twin import arguments, twin, twin_name, twins
from simtc.gpu import Gpu, compile_twin
from simtc.isa import Kernel
from simtc.run.launch import launch
from simtc.validate.chip import Chip
from simtc.validate.measured import disassembled, same_code

__all__ = ["TwinCase", "twin_cases"]


@dataclass(frozen=True)
class TwinCase:
    """One twin at one size: D by rows."""

    configuration: Configuration
    board: Device
    size: tuple[int, int, int]
    seed: int

    @property
    def name(self) -> str:
        """TWIN/MxNxK."""
        return f"{twin_name(self.configuration)}/{'x'.join(map(str, self.size))}"

    @cached_property
    def _matrices(self) -> dict[str, NDArray[Any]]:
        m, n, k = self.size
        rng = np.random.Generator(np.random.PCG64([zlib.crc32(self.name.encode()), self.seed]))
        drawn = {"A": (m, k), "B": (n, k)}  # multiples of 1/64 below 2 are exact in every type
        return {x: (rng.integers(-128, 129, shape) / 64).astype(np.float16) for x, shape in drawn.items()}

    def inputs(self) -> Mapping[str, NDArray[Any]]:
        """Return A and B."""
        return self._matrices

    def _launched(self) -> tuple[NDArray[Any], list[Any]]:
        D = np.zeros(self.size[:2], np.float16 if self.configuration.accumulator == "f16" else np.float32)
        return D, arguments(self._matrices["A"], self._matrices["B"], D)

    def run(self, gpu: Gpu) -> NDArray[Any]:
        """Launch on the GPU."""
        tiles, code = self.configuration, compile_twin(self.configuration, gpu)
        D, args = self._launched()
        gpu.launch(code, tiles.grid(*self.size[:2]), tiles.threads, args, shared_bytes=tiles.shared_bytes)
        if not same_code(code, self.kernel):
            self.__dict__["note"] = f"{code.toolkit} compiled other machine code than the shipped listing's"
            self.__dict__["kernel"] = disassembled(code)
        return D.view(f"uint{8 * D.itemsize}")

    @cached_property
    def kernel(self) -> Kernel:
        """What is simulated: the shipped listing, unless another compiler made other code for the GPU."""
        return twin(self.configuration)

    def expect(self) -> NDArray[Any]:
        """Launch with simtc."""
        tiles = self.configuration
        D, args = self._launched()
        launch(
            self.kernel, tiles.grid(*self.size[:2]), tiles.threads, args, shared_bytes=tiles.shared_bytes,
            device=self.board,
        )  # fmt: skip
        return D.view(f"uint{8 * D.itemsize}")

    def show(self, place: tuple[int, ...]) -> str:
        """Name the element of D."""
        return f"D{list(place)} of {self.name}"


def twin_cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[TwinCase]:
    """Yield the twins whose listings ship for the chip's own generation, at every size in blocks."""
    arch = next((alias for alias, sm in ALIASES.items() if sm == f"sm_{chip.sm}"), chip.arch)
    try:
        found = twins(arch)
    except BadInputError:
        return
    for one in found:
        for blocks in settings["twin_blocks"]:
            m, n, k = (count * side for count, side in zip(blocks, one.block, strict=True))
            yield TwinCase(one, chip.board, (m, n, k), settings["seed"])
