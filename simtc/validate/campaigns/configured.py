"""Campaign `configured`: kernels made of tile sizes, on the chip and as simtc predicts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from simtc.arch import ALIASES, Device
from simtc.gemm.family import Configured
from simtc.gemm.operands import dtype, zeros
from simtc.gemm.problem import Problem
from simtc.gemm.registry import family
from simtc.gpu import Gpu, compile_one
from simtc.isa import Kernel
from simtc.run.launch import launch
from simtc.run.simulate import FIDELITIES, simulate
from simtc.validate.campaigns.timing import launch_cycles
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.idle_clock import by_fastest_clock
from simtc.validate.measured import Measured, MeasuredCase, code_digest, same_code
from simtc.validate.stopwatch import stopwatch

__all__ = ["ConfiguredCase", "cases"]


@dataclass(frozen=True, kw_only=True)
class ConfiguredCase(MeasuredCase):
    """One configuration at one size."""

    compared: ClassVar[Mapping[str, str]] = dict.fromkeys(
        (*(f"simulate_{fidelity}_cycles" for fidelity in FIDELITIES), "twin_full_cycles", "twin_sampled_cycles"),
        "cycles",
    )
    measured_as: ClassVar[Mapping[str, str]] = dict.fromkeys(compared, "cycles")  # all beside the same measurement

    family: str
    configuration: Configured
    choices: Mapping[str, Any] = field(compare=False)  # as simulate takes them
    size: tuple[int, int, int]
    board: Device
    launches: int
    ships: bool  # whether the twin's listing does
    clocked: bool

    @property
    def name(self) -> str:
        """TWIN/MxNxK."""
        return f"{self.configuration.compiled().name}/{'x'.join(map(str, self.size))}"

    @property
    def _problem(self) -> Problem:
        return self.configuration.problem(dict(zip("mnk", self.size, strict=True)))

    def _arguments(self) -> list[Any]:
        one, rng = self._problem, np.random.default_rng(1)
        drawn = {x: rng.standard_normal(one.stored(x), dtype=np.float32).astype(dtype(one, x)) for x in "AB"}
        return self.configuration.arguments(one, zeros(one) | drawn)

    def measure(self, gpu: Gpu) -> Measured:
        """Time single launches of the twin."""
        made, twin = self.configuration, self.configuration.compiled()
        code = compile_one(twin.source, twin.name, gpu, definitions=twin.definitions)
        shared, grid = twin.dynamic_shared_bytes, made.grid_dim(self._problem)
        with (
            stopwatch(gpu) as watch,
            gpu.prepared(code, grid, made.block_dim, self._arguments(), shared_bytes=shared) as ready,
        ):
            ready.seconds()
            taken = watch.times(ready.enqueue, self.launches, cold=False).to_dict()
        note = ""
        if self.ships and not same_code(code, self.kernel):
            note = f"{code.toolkit} compiled other machine code than the shipped listing's"
        return Measured(values=taken, code=code_digest(code), note=note)

    @cached_property
    def kernel(self) -> Kernel:
        """The twin's listing."""
        return self.configuration.compiled().kernel()

    def predict(self) -> Measured:
        """Predict from the tile sizes, and with the clock."""
        found = self._simulated()
        if self.ships:
            for fidelity in FIDELITIES[1:] if self.clocked else FIDELITIES[1:2]:
                found[f"twin_{fidelity}_cycles"] = self._clocked(fidelity)
        return Measured(values=found, code=code_digest(self.kernel) if self.ships else "")

    def _simulated(self) -> dict[str, float]:
        found = {}
        m, n, k = self.size
        for fidelity in FIDELITIES if self.clocked else FIDELITIES[:2]:
            one = simulate(
                self.family, m=m, n=n, k=k, device=self.board, fidelity=fidelity, caches="warm", **self.choices
            )  # fmt: skip
            own = 0.0 if fidelity == "analytic" else launch_cycles(self.board)
            found[f"simulate_{fidelity}_cycles"] = one.cycles - own
        return found

    def _clocked(self, fidelity: str) -> float:
        made = self.configuration
        run = launch(
            self.kernel, made.grid_dim(self._problem), made.block_dim, self._arguments(), device=self.board,
            timing=True, shared_bytes=made.compiled().dynamic_shared_bytes, fidelity=fidelity, caches="warm",
        )  # fmt: skip
        return by_fastest_clock(run, self.board) - launch_cycles(self.board)


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[ConfiguredCase | Skip]:
    """Yield every configuration of the chip's generation at every size."""
    arch = next((alias for alias, sm in ALIASES.items() if sm == f"sm_{chip.sm}"), chip.arch)
    shipped, more = settings["twins"].get(arch, []), settings.get(arch, [])
    if not (shipped or more):
        yield Skip(name=settings["family"], reason=f"no configurations are listed for {arch}")
        return
    for ships, entry in [*((True, one) for one in shipped), *((False, one) for one in more)]:
        choices: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
        }
        made = family(settings["family"]).configured(arch, choices)
        for size in settings["sizes"]:
            m, n, k = size
            if not chip.known:
                yield Skip(name=f"{made.compiled().name}/{m}x{n}x{k}", reason="simtc has no constants of this board")
                continue
            yield ConfiguredCase(
                family=settings["family"], configuration=made, choices=choices, size=(m, n, k), board=chip.board,
                launches=settings["repeats"], ships=ships, clocked=m * n * k <= settings["clock_products"],
            )  # fmt: skip
