"""Campaign `families`: every program of the families that compile all of theirs, bit for bit."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.gemm.operands import bits, drawn, embedded, logical
from simtc.gemm.problem import Problem
from simtc.gemm.registry import families
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.compiled import CompiledCase

__all__ = ["ProgramCase", "cases"]


@dataclass(frozen=True)
class ProgramCase(CompiledCase):
    """One program at one size: D by rows, padding included."""

    scales: tuple[float, float]

    @property
    def name(self) -> str:
        """PROGRAM/MxNxK."""
        return f"{self.configuration.name}/{'x'.join(map(str, self.size))}"

    @cached_property
    def _launched_problem(self) -> Problem:
        return self._problem.padded(self.configuration.multiple)

    @cached_property
    def _problem(self) -> Problem:
        sizes: dict[str, Any] = dict(zip("mnk", self.size, strict=True))
        alpha, beta = self.scales
        return self.configuration.problem(sizes | {"alpha": alpha, "beta": beta})

    @cached_property
    def _matrices(self) -> dict[str, NDArray[Any]]:
        return embedded(
            self._problem, self._launched_problem, drawn(self._problem, zlib.crc32(self.name.encode()) ^ self.seed)
        )

    def inputs(self) -> Mapping[str, NDArray[Any]]:
        """Return A, B and C."""
        return {name: bits(self._matrices[name]) for name in "ABC"}

    def _launched(self) -> tuple[NDArray[Any], list[Any]]:
        arrays = {**self._matrices, "D": np.zeros_like(self._matrices["D"])}
        return arrays["D"], self.configuration.arguments(self._launched_problem, arrays)

    def _bits(self, D: NDArray[Any]) -> NDArray[Any]:
        return bits(logical(self._launched_problem, "D", D))


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[ProgramCase | Skip]:
    """Yield every program at every size: some in the program's own tiles, some whatever they are."""
    named = settings.get("families", [family.name for family in families()])
    for family in (one for one in families() if one.name in named):
        programs = family.programs(chip.board)
        if not programs:
            yield Skip(name=family.name, reason=f"it has no programs of its own for sm_{chip.sm}")
        for made in programs:
            sizes = [
                tuple(count * unit for count, unit in zip(counts, made.multiple, strict=True))
                for counts in settings["multiples"]
            ]
            for m, n, k in [*sizes, *settings["sizes"]]:
                scales = settings.get("scales") or family.scales(made.to_dict())
                yield ProgramCase(made, chip.board, (m, n, k), settings["seed"], (scales[0], scales[1]))
