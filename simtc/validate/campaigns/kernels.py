"""Campaign `kernels`: every shipped kernel, compiled for the chip, bit for bit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.arch import Device
from simtc.gemm.shipped import Shipped, shipped, shipped_names
from simtc.gpu import Gpu, compile_shipped
from simtc.isa import Kernel
from simtc.run.launch import launch
from simtc.run.solve import operands
from simtc.validate.case import Case, Skip
from simtc.validate.chip import Chip
from simtc.validate.measured import disassembled, same_code
from simtc.validate.twins import twin_cases

__all__ = ["KernelCase", "cases"]


@dataclass(frozen=True)
class KernelCase:
    """One shipped kernel at one size: D as its array lies in memory, by rows."""

    shipped: Shipped
    board: Device
    size: tuple[int, int, int]
    seed: int
    alpha: int
    beta: int

    @property
    def name(self) -> str:
        """KERNEL/MxNxK."""
        return f"{self.shipped.name}/{'x'.join(map(str, self.size))}"

    @cached_property
    def _matrices(self) -> dict[str, NDArray[Any]]:
        return operands(self.shipped, *self.size, seed=zlib.crc32(self.name.encode()) ^ self.seed)

    def inputs(self) -> Mapping[str, NDArray[Any]]:
        """Return A, B and C."""
        return {name: self._matrices[name] for name in "ABC"}

    def _launched(self) -> tuple[NDArray[Any], list[Any]]:
        matrices = {**self._matrices, "D": np.zeros_like(self._matrices["D"])}
        return matrices["D"], self.shipped.arguments(matrices, *self.size, self.alpha, self.beta)

    def run(self, gpu: Gpu) -> NDArray[Any]:
        """Launch on the GPU."""
        code = compile_shipped(self.shipped.source, gpu)[self.shipped.name]
        D, args = self._launched()
        m, n, _ = self.size
        gpu.launch(
            code, self.shipped.grid(m, n), self.shipped.threads, args, shared_bytes=self.shipped.dynamic_shared_bytes
        )
        if not same_code(code, self.kernel):
            self.__dict__["note"] = f"{code.toolkit} compiled other machine code than the shipped listing's"
            self.__dict__["kernel"] = disassembled(code)  # then this is what must be simulated
        return D.view(f"uint{8 * D.itemsize}")

    @cached_property
    def kernel(self) -> Kernel:
        """What is simulated: the shipped listing, unless another compiler made other code for the GPU."""
        return self.shipped.kernel(self.board)

    def expect(self) -> NDArray[Any]:
        """Launch with simtc."""
        D, args = self._launched()
        m, n, _ = self.size
        launch(
            self.kernel, self.shipped.grid(m, n), self.shipped.threads, args,
            shared_bytes=self.shipped.dynamic_shared_bytes, device=self.board,
        )  # fmt: skip
        return D.view(f"uint{8 * D.itemsize}")

    def show(self, place: tuple[int, ...]) -> str:
        """Name the element of D."""
        return f"D{list(place)} of {self.name}"


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[Case | Skip]:
    """Yield every shipped kernel at every size; a kernel that the chip cannot run is named."""
    board, sm = chip.board, chip.sm
    for name in shipped_names():
        kernel = shipped(name)
        if not any(built // 10 == sm // 10 and built <= sm for built in kernel.sms):
            built = ", ".join(f"sm_{x}" for x in kernel.sms)
            yield Skip(name=name, reason=f"it is compiled for {built}; the chip is sm_{sm}")
            continue
        for size in _sizes(kernel, settings):
            yield KernelCase(kernel, board, size, settings["seed"], settings["alpha"], settings["beta"])
    if "twin_blocks" in settings:  # captures from before there were twins have none
        yield from twin_cases(settings, chip)


def _sizes(kernel: Shipped, settings: Mapping[str, Any]) -> list[tuple[int, int, int]]:
    if kernel.multiple == (1, 1, 1):
        return [tuple(size) for size in settings["ragged"]]
    out = []
    for rule in settings["sizes"]:
        steps = zip(rule["blocks"], kernel.block, rule["more"], kernel.multiple, strict=True)
        m, n, k = (blocks * block + more * multiple for blocks, block, more, multiple in steps)
        out.append((m, n, k))
    return out
