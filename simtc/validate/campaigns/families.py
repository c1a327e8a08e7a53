"""Campaign `families`: every program of the families that compile all of theirs, bit for bit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.arch import Device
from simtc.gemm.family import Configured
from simtc.gemm.operands import drawn, embedded, logical
from simtc.gemm.problem import Problem
from simtc.gemm.registry import families
from simtc.gpu import Gpu, compile_one
from simtc.isa import Kernel
from simtc.run.launch import launch
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.measured import disassembled, same_code

__all__ = ["ProgramCase", "cases"]


@dataclass(frozen=True)
class ProgramCase:
    """One program at one size: D by rows, padding included."""

    configuration: Configured
    board: Device
    size: tuple[int, int, int]
    seed: int
    scales: tuple[float, float]

    @property
    def name(self) -> str:
        """PROGRAM/MxNxK."""
        return f"{self.configuration.name}/{'x'.join(map(str, self.size))}"

    @cached_property
    def _whole(self) -> Problem:
        return self._problem.padded(self.configuration.multiple)

    @cached_property
    def _problem(self) -> Problem:
        sizes: dict[str, Any] = dict(zip("mnk", self.size, strict=True))
        alpha, beta = self.scales
        return self.configuration.problem(sizes | {"alpha": alpha, "beta": beta})

    @cached_property
    def _matrices(self) -> dict[str, NDArray[Any]]:
        return embedded(self._problem, self._whole, drawn(self._problem, zlib.crc32(self.name.encode()) ^ self.seed))

    def inputs(self) -> Mapping[str, NDArray[Any]]:
        """Return A, B and C."""
        return {name: self._matrices[name].view(f"u{self._matrices[name].itemsize}") for name in "ABC"}

    def _launched(self) -> tuple[NDArray[Any], list[Any]]:
        arrays = {**self._matrices, "D": np.zeros_like(self._matrices["D"])}
        return arrays["D"], self.configuration.arguments(self._whole, arrays)

    def _bits(self, D: NDArray[Any]) -> NDArray[Any]:
        return np.ascontiguousarray(logical(self._whole, "D", D)).view(f"uint{8 * D.itemsize}")

    def run(self, gpu: Gpu) -> NDArray[Any]:
        """Launch on the GPU."""
        made, one = self.configuration, self.configuration.compiled()
        code = compile_one(one.source, one.name, gpu, definitions=one.definitions)
        D, args = self._launched()
        gpu.launch(code, made.grid_dim(self._whole), made.block_dim, args, shared_bytes=one.dynamic_shared_bytes)
        if not same_code(code, self.kernel):
            self.__dict__["note"] = f"{code.toolkit} compiled other machine code than the shipped listing's"
            self.__dict__["kernel"] = disassembled(code)
        return self._bits(D)

    @cached_property
    def kernel(self) -> Kernel:
        """What is simulated: the shipped listing, unless another compiler made other code for the GPU."""
        return self.configuration.compiled().kernel()

    def expect(self) -> NDArray[Any]:
        """Launch with simtc."""
        made = self.configuration
        D, args = self._launched()
        launch(
            self.kernel, made.grid_dim(self._whole), made.block_dim, args,
            shared_bytes=made.compiled().dynamic_shared_bytes, device=self.board,
        )  # fmt: skip
        return self._bits(D)

    def show(self, place: tuple[int, ...]) -> str:
        """Name the element of D."""
        return f"D{list(place)} of {self.name}"


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[ProgramCase | Skip]:
    """Yield every program at every size: some in the program's own tiles, some whatever they are."""
    for family in families():
        programs = family.programs(chip.board)
        if not programs:
            yield Skip(name=family.name, reason=f"it has no programs of its own for sm_{chip.sm}")
        for made in programs:
            sizes = [
                tuple(count * unit for count, unit in zip(counts, made.multiple, strict=True))
                for counts in settings["multiples"]
            ]
            for m, n, k in [*sizes, *settings["sizes"]]:
                yield ProgramCase(made, chip.board, (m, n, k), settings["seed"], family.scales(made.to_dict()))
