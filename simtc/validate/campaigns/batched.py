"""Campaign `batched`: compiled kernels of families that take a batch, at ragged sizes, bit for bit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.gemm.operands import drawn
from simtc.gemm.problem import Problem
from simtc.gemm.registry import family
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.compiled import CompiledCase

__all__ = ["BatchedCase", "cases"]


@dataclass(frozen=True)
class BatchedCase(CompiledCase):
    """One kernel over one batch: all of D as it lies in memory, what stands between its columns included."""

    scales: tuple[float, float]
    batch: int
    gap: int  # elements between the columns of each matrix

    @property
    def name(self) -> str:
        """KERNEL/MxNxK/ALPHA,BETA."""
        alpha, beta = self.scales
        return f"{self.configuration.name}/{'x'.join(map(str, self.size))}/{alpha:g},{beta:g}"

    @cached_property
    def _launched_problem(self) -> Problem:
        alpha, beta = self.scales
        sizes: dict[str, Any] = dict(zip("mnk", self.size, strict=True))
        sizes |= {"alpha": alpha, "beta": beta, "batch": (self.batch,)}
        tight = self.configuration.problem(sizes)
        gaps = {f"ld{name.lower()}": tight.leading(name) + self.gap for name in "ABCD"}
        return self.configuration.problem(sizes | gaps)

    @cached_property
    def _matrices(self) -> dict[str, NDArray[Any]]:
        return drawn(self._launched_problem, zlib.crc32(self.name.encode()) ^ self.seed)

    def inputs(self) -> Mapping[str, NDArray[Any]]:
        """Return A, B and C."""
        return {name: self._raw(self._matrices[name]) for name in "ABC"}

    def _launched(self) -> tuple[NDArray[Any], list[Any]]:
        arrays = {**self._matrices, "D": np.zeros_like(self._matrices["D"])}
        return arrays["D"], self.configuration.arguments(self._launched_problem, arrays)

    def _bits(self, D: NDArray[Any]) -> NDArray[Any]:
        return self._raw(D.reshape(-1, D.shape[-1]))

    @staticmethod
    def _raw(array: NDArray[Any]) -> NDArray[Any]:
        return np.ascontiguousarray(array).view(f"u{array.itemsize}")


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[BatchedCase | Skip]:
    """Yield every kernel that the settings name at every size, alpha and beta in turn."""
    for group in settings["kernels"]:
        one = family(group["family"])
        for version in group["versions"]:
            for choices in group["choices"]:
                least = one.problem({"m": 1, "n": 1, "k": 1}, choices)
                made = one.configure(least, chip.board, {"version": version, **choices})
                for number, (m, n, k) in enumerate(settings["sizes"]):
                    alpha, beta = settings["scales"][number % len(settings["scales"])]
                    yield BatchedCase(
                        made, chip.board, (m, n, k), settings["seed"], (alpha, beta), settings["batch"], settings["gap"]
                    )
