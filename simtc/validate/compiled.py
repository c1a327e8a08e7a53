"""A case of a compiled kernel of a family: launched on the GPU and with simtc, bit for bit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from numpy.typing import NDArray

from simtc.arch import Device
from simtc.gemm.family import Configured
from simtc.gemm.problem import Problem
from simtc.gpu import Gpu, compile_one
from simtc.isa import Kernel
from simtc.run.launch import launch
from simtc.validate.measured import disassembled, same_code

__all__ = ["CompiledCase"]


@dataclass(frozen=True)
class CompiledCase(ABC):
    """One compiled kernel at one size."""

    configuration: Configured
    board: Device
    size: tuple[int, int, int]
    seed: int

    @property
    @abstractmethod
    def name(self) -> str:
        """KERNEL/MxNxK."""

    @property
    @abstractmethod
    def _launched_problem(self) -> Problem:
        """The problem that a launch computes, padding included."""

    @abstractmethod
    def _launched(self) -> tuple[NDArray[Any], list[Any]]:
        """Return D, and the arguments of a launch that writes it."""

    @abstractmethod
    def _bits(self, D: NDArray[Any]) -> NDArray[Any]:
        """Return D as what is compared."""

    def run(self, gpu: Gpu) -> NDArray[Any]:
        """Launch on the GPU."""
        made, one = self.configuration, self.configuration.compiled()
        code = compile_one(one.source, one.name, gpu, definitions=one.definitions)
        D, args = self._launched()
        grid = made.grid_dim(self._launched_problem)
        gpu.launch(code, grid, made.block_dim, args, shared_bytes=one.dynamic_shared_bytes)
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
            self.kernel, made.grid_dim(self._launched_problem), made.block_dim, args,
            shared_bytes=made.compiled().dynamic_shared_bytes, device=self.board,
        )  # fmt: skip
        return self._bits(D)

    def show(self, place: tuple[int, ...]) -> str:
        """Name the element of D."""
        return f"D{list(place)} of {self.name}"
