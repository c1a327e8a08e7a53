"""Generated programs beside their compiled twins in the clock: what the compiler's order of instructions costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from simtc import arch
from simtc.gemm.family import Configured
from simtc.gemm.operands import zeros
from simtc.isa import Kernel
from simtc.results import LaunchResult, Stall
from simtc.run.launch import launch

__all__ = ["Pace", "Twins", "compare_twins"]

_SHORT, _LONG = 6, 14  # tiles of k: both past the start, an even number apart for two stages
_NAMED = 3  # causes that an explanation names
_LEAST = 0.01  # of the cycles: a cause that differs by less explains nothing


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """One kernel, a block alone on an SM, L2 warm."""

    cycles_a_tile: float  # of one more tile of k
    other_cycles: float  # set-up and epilogue
    registers: int
    issued_a_tile: float  # instructions of a warp
    stalls: Mapping[str, float]  # cycles of a warp and tile by cause; they sum to cycles_a_tile


@dataclass(frozen=True, slots=True, kw_only=True)
class Twins:
    """A generated program and its compiled twin."""

    configuration: Configured
    generated: Pace
    compiled: Pace

    @property
    def ratio(self) -> float:
        """Cycles a tile of the compiled twin over those of the generated program."""
        return self.compiled.cycles_a_tile / self.generated.cycles_a_tile

    @property
    def differences(self) -> dict[str, float]:
        """Cycles a tile that the compiled twin spends more, by cause, the largest first."""
        more = {cause: self.compiled.stalls[cause] - self.generated.stalls[cause] for cause in self.generated.stalls}
        return dict(sorted(more.items(), key=lambda item: -abs(item[1])))

    @property
    def explanation(self) -> str:
        """Say where the twin's cycles differ, in cycles a tile."""
        least = _LEAST * self.generated.cycles_a_tile
        causes = [f"{cause} {more:+.0f}" for cause, more in self.differences.items() if abs(more) >= least][:_NAMED]
        issued = self.compiled.issued_a_tile - self.generated.issued_a_tile
        registers = self.compiled.registers - self.generated.registers
        return ", ".join([*causes, f"{issued:+.0f} instructions", f"{registers:+d} registers"])


def compare_twins(configuration: Configured, device: str) -> Twins:
    """Time a configuration's generated program and its shipped twin.

    Args:
        configuration: one of its family's twins.
        device: a board of its generation.

    Raises:
        BadInputError: its twin does not ship.

    Example:
        >>> from simtc.gemm.registry import family
        >>> one = compare_twins(family("hgemm").twins("turing")[-1], "t4")
        >>> one.compiled.registers > one.generated.registers
        True
        >>> abs(sum(one.differences.values()) - one.compiled.cycles_a_tile + one.generated.cycles_a_tile) < 2
        True

    """
    twin = configuration.compiled()
    return Twins(
        configuration=configuration,
        generated=_pace(configuration, configuration.program(), configuration.dynamic_shared_bytes, device),
        compiled=_pace(configuration, twin.kernel(), twin.dynamic_shared_bytes, device),
    )


def _pace(made: Configured, kernel: Kernel, shared_bytes: int, device: str) -> Pace:
    short, long = (_run(made, kernel, shared_bytes, device, count) for count in (_SHORT, _LONG))
    more, warps = _LONG - _SHORT, prod(made.block_dim) // 32
    cycles = (long.cycles - short.cycles) / more
    return Pace(
        cycles_a_tile=cycles,
        other_cycles=short.cycles - _SHORT * cycles,
        registers=kernel.registers,
        issued_a_tile=(long.instructions - short.instructions) / more / warps,
        stalls={cause.name: (long.stalls[cause.name] - short.stalls[cause.name]) / more / warps for cause in Stall},
    )


def _run(made: Configured, kernel: Kernel, shared_bytes: int, device: str, count: int) -> LaunchResult:
    m, n, k = made.tile
    problem = made.problem({"m": m, "n": n, "k": k * count})
    return launch(
        kernel, made.grid_dim(problem), made.block_dim, made.arguments(problem, zeros(problem)),
        shared_bytes=shared_bytes, device=arch.device(device), timing=True, caches="warm",
    )  # fmt: skip
