"""Campaign `configured`: kernels made of tile sizes, on the chip and as simtc predicts them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from simtc.arch import ALIASES, Device
from simtc.codegen import generate
from simtc.errors import BadInputError
from simtc.gemm import arguments, twin, twin_name
from simtc.gpu import Gpu, compile_twin
from simtc.isa import Kernel
from simtc.launch.launch import launch
from simtc.models.configuration import Configuration
from simtc.study.chip import Chip
from simtc.study.measured import Measured, MeasuredCase, code_digest, same_code
from simtc.study.simulate import simulate
from simtc.study.stopwatch import stopwatch
from simtc.study.validate_case import Skip
from simtc.study.validate_timing import launch_cycles

__all__ = ["ConfiguredCase", "cases"]

_FIDELITIES = ("analytic", "sampled")


@dataclass(frozen=True, kw_only=True)
class ConfiguredCase(MeasuredCase):
    """One configuration at one size."""

    # each prediction is beside the same measurement
    compared: ClassVar[Mapping[str, str]] = {
        "simulate_analytic_cycles": "cycles", "simulate_sampled_cycles": "cycles", "clock_of_twin_cycles": "cycles",
        "clock_of_generated_cycles": "cycles",
    }  # fmt: skip

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
        values = taken | dict.fromkeys(self.compared, taken["cycles"])
        return Measured(values=values, code=code_digest(code), note=note)

    @cached_property
    def kernel(self) -> Kernel:
        """The twin's listing."""
        return twin(self.configuration)

    def predict(self) -> Measured:
        """Predict from the tile sizes, and with the clock."""
        found = {}
        m, n, k = self.size
        for fidelity in _FIDELITIES:
            try:
                one = simulate("hgemm", m=m, n=n, k=k, device=self.board, fidelity=fidelity, **self.choices)
            except BadInputError:
                continue  # a fidelity that does not take this case
            found[f"simulate_{fidelity}_cycles"] = one.cycles
        if self.clocked:
            found["clock_of_generated_cycles"] = self._clocked(generate(self.configuration))
            if self.ships:
                found["clock_of_twin_cycles"] = self._clocked(self.kernel)
        return Measured(values=found, code=code_digest(self.kernel) if self.ships else "")

    def _clocked(self, kernel: Kernel) -> float:
        tiles = self.configuration
        run = launch(
            kernel, tiles.grid(*self.size[:2]), tiles.threads, self._arguments(), shared_bytes=tiles.shared_bytes,
            device=self.board, timing=True, caches="warm",
        )  # fmt: skip
        return run.cycles - launch_cycles(self.board)


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
