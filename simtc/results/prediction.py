"""What a configured kernel is predicted to take."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from simtc.results.display import Columns, Display, above, by_column
from simtc.results.estimate import interval, shown

if TYPE_CHECKING:  # it needs numpy, which closed forms do without
    from simtc.results.timeline import Timeline

__all__ = ["Prediction"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Prediction(Display):
    """Cycles of a GEMM, and what limits it. `cycles` leave the launch's own cost out; it stands apart.

    Example:
        >>> from simtc import simulate
        >>> one = simulate("hgemm", m=4096, n=4096, k=4096, device="rtx2070", fidelity="analytic")
        >>> one.bound, one.waves, one.fidelity
        ('tensor pipe', 8, 'analytic')

    """

    family: str
    device: str
    m: int
    n: int
    k: int
    config: Mapping[str, Any]
    fidelity: str
    cycles: float
    clock_mhz: int
    peak_tflops: float  # of the tensor cores for these types, at the clock
    bound: str  # the resource, or latency, that takes most of the cycles
    limit: str  # the same in a sentence
    launch_cycles: float  # of starting the grid: not in `cycles`
    resources: Mapping[str, float]  # cycles if only that resource limited the kernel
    iteration: Mapping[str, float]  # cycles of one block's iteration of block k, by pipe
    traffic: Mapping[str, float]  # bytes, by level
    blocks: int
    waves: int
    blocks_per_sm: int
    warps_per_sm: int
    occupancy_limit: str
    registers: int  # of a thread
    shared_bytes: int  # of a block
    tile_waste: float  # share of the executed operations outside C
    depth_waste: float  # likewise, of k's padding
    wave_waste: float  # share of the waves' places that stay empty
    notes: tuple[str, ...]  # what this case met: misaligned rows, shallow tails
    left_out: tuple[str, ...]  # what this fidelity does not know
    stalls: Mapping[str, int] = field(default_factory=dict)  # warp-cycles by cause; of closed forms there are none
    extrapolated: tuple[str, ...] = ()  # which of these a part of the launch stands for
    flops: int | None = None  # useful operations; None for 2 m n k, those of one real product
    error_estimate: float | None = None  # half of the width of `cycles_interval`, relative; None of closed forms
    timeline: Timeline | None = None  # what each warp did, where it was asked for

    @property
    def seconds(self) -> float:
        """Time at `clock_mhz`."""
        return self.cycles / (self.clock_mhz * 1e6)

    @property
    def tflops(self) -> float:
        """Useful teraflops: padding does not count."""
        flops = 2 * self.m * self.n * self.k if self.flops is None else self.flops
        return 1e-12 * flops / self.seconds

    @property
    def peak_share(self) -> float:
        """Share of the peak."""
        return self.tflops / self.peak_tflops

    @property
    def cycles_interval(self) -> tuple[int, int] | None:
        """Least and most cycles: what fidelity full gives lies between them for 90 % of sampled launches.

        None where nothing was executed.
        """
        return None if self.error_estimate is None else interval(self.cycles, self.error_estimate)

    def headline(self) -> str:
        """Return the problem, the board, the cycles and what limits them in one line."""
        doubt = self.error_estimate or 0.0 if self.extrapolated else 0.0
        what = f"{self.family} {self.m} x {self.n} x {self.k} on {self.device}, {self.fidelity}"
        share = f"{100 * self.peak_share:.1f} % of the peak"
        return f"{what}: {shown(self.cycles, doubt)} cycles, {self.tflops:.2f} TFLOPS, {share}, {self.bound}"

    def columns(self) -> Columns:
        """Return one row: the problem, the configuration, and what it takes."""
        names = ("family", "device", "m", "n", "k", "fidelity", "cycles", "seconds", "tflops", "peak_share", "bound")
        row = {name: getattr(self, name) for name in names}
        row |= dict(zip(("least_cycles", "most_cycles"), self.cycles_interval or (None, None), strict=True))
        sizes = ("blocks", "waves", "blocks_per_sm", "warps_per_sm", "registers", "shared_bytes")
        return by_column([row | dict(self.config) | {name: getattr(self, name) for name in sizes}])

    def tables(self) -> Sequence[tuple[str, Columns]]:
        """Return what each resource alone would take, and where the warps' cycles went."""
        alone = sorted(((n, name) for name, n in self.resources.items() if n), reverse=True)
        resources: Columns = {"resource": [name for _, name in alone], "cycles": [float(n) for n, _ in alone]}
        stalls = sorted(((n, cause) for cause, n in self.stalls.items() if n), reverse=True)
        causes: Columns = {"cause": [cause for _, cause in stalls], "warp-cycles": [n for n, _ in stalls]}
        found: list[tuple[str, Columns]] = [
            ("if only one resource limited it", resources),
            ("where the warps' cycles went", causes),
        ]
        return [one for one in found if any(one[1].values())]

    def roofline(self) -> Display:
        """Return the prediction under its board's ceilings, as a chart with `to_svg()`."""
        chart: Display = above("report.roofline", "roofline_chart")(self)
        return chart

    def to_dict(self) -> dict[str, Any]:
        """Return the prediction as JSON types, with the keys of schema simtc.simulate/1."""
        head = ("device", "m", "n", "k", "config", "fidelity", "cycles", "seconds", "tflops", "peak_share", "bound")
        rest = [name for name in self.__slots__ if name not in (*head, "timeline")]
        plain = {name: getattr(self, name) for name in (*head, *rest)}
        return {
            "schema": "simtc.simulate/1",
            **{name: dict(value) if isinstance(value, Mapping) else value for name, value in plain.items()},
            "cycles_interval": self.cycles_interval and list(self.cycles_interval),
        }

    def to_json(self) -> str:
        """Return the prediction as JSON text."""
        return json.dumps(self.to_dict(), indent=2)
