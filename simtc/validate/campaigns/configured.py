"""Campaign `configured`: kernels made of tile sizes, on the chip and as simtc predicts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from simtc.arch import ALIASES, Device
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.twin import arguments, twin, twin_name
from simtc.gpu import Gpu, compile_twin
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

    configuration: Configuration
    choices: Mapping[str, Any] = field(compare=False)  # as simulate takes them
    size: tuple[int, int, int]
    board: Device
    launches: int
    ships: bool  # whether the twin's listing does
    clocked: bool

    @property
    def name(self) -> str:
        """TWIN/MxNxK."""
        return f"{twin_name(self.configuration)}/{'x'.join(map(str, self.size))}"

    def _arguments(self) -> list[Any]:
        m, n, k = self.size
        rng = np.random.default_rng(1)
        A, B = (rng.standard_normal((x, k), dtype=np.float32).astype(np.float16) for x in (m, n))
        return arguments(A, B, np.zeros((m, n), np.float16 if self.configuration.accumulator == "f16" else np.float32))

    def measure(self, gpu: Gpu) -> Measured:
        """Time single launches of the twin."""
        tiles = self.configuration
        code = compile_twin(tiles, gpu)
        grid = tiles.grid(*self.size[:2])
        with (
            stopwatch(gpu) as watch,
            gpu.prepared(code, grid, tiles.threads, self._arguments(), shared_bytes=tiles.shared_bytes) as ready,
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
        return twin(self.configuration)

    def predict(self) -> Measured:
        """Predict from the tile sizes, and with the clock."""
        found = {}
        m, n, k = self.size
        for fidelity in FIDELITIES if self.clocked else FIDELITIES[:2]:
            one = simulate(
                "hgemm", m=m, n=n, k=k, device=self.board, fidelity=fidelity, caches="warm", **self.choices
            )  # fmt: skip
            own = 0.0 if fidelity == "analytic" else launch_cycles(self.board)
            found[f"simulate_{fidelity}_cycles"] = one.cycles - own
        if self.ships:
            for fidelity in FIDELITIES[1:] if self.clocked else FIDELITIES[1:2]:
                found[f"twin_{fidelity}_cycles"] = self._clocked(fidelity)
        return Measured(values=found, code=code_digest(self.kernel) if self.ships else "")

    def _clocked(self, fidelity: str) -> float:
        tiles = self.configuration
        run = launch(
            self.kernel, tiles.grid(*self.size[:2]), tiles.threads, self._arguments(), device=self.board, timing=True,
            shared_bytes=tiles.shared_bytes, fidelity=fidelity, caches="warm",
        )  # fmt: skip
        return by_fastest_clock(run, self.board) - launch_cycles(self.board)


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[ConfiguredCase | Skip]:
    """Yield every configuration of the chip's generation at every size."""
    arch = next((alias for alias, sm in ALIASES.items() if sm == f"sm_{chip.sm}"), chip.arch)
    shipped, more = settings["twins"].get(arch, []), settings.get(arch, [])
    if not (shipped or more):
        yield Skip(name="hgemm", reason=f"no configurations are listed for {arch}: the template is for turing, hopper")
        return
    for ships, entry in [*((True, one) for one in shipped), *((False, one) for one in more)]:
        choices: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
        }
        tiles = Configuration(arch=arch, **choices)
        for size in settings["sizes"]:
            m, n, k = size
            if not chip.known:
                yield Skip(name=f"{twin_name(tiles)}/{m}x{n}x{k}", reason="simtc has no constants of this board")
                continue
            yield ConfiguredCase(
                configuration=tiles, choices=choices, size=(m, n, k), board=chip.board, launches=settings["repeats"],
                ships=ships, clocked=m * n * k <= settings["clock_products"],
            )  # fmt: skip
