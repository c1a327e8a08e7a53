"""`simulate`: what a configured kernel takes, by closed forms or from its generated program in the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from simtc import arch
from simtc.arch import Device
from simtc.errors import BadInputError, unknown
from simtc.gemm.hgemm.closed_form import predict
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.configure import configure
from simtc.gemm.hgemm.tiles import Shape
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    from simtc.results import Timing

__all__ = ["FIDELITIES", "Simulation", "simulate", "simulation"]

FIDELITIES = ("analytic", "sampled", "full")
_CHOICES = ("layout", "stages", "accumulator", "loads", "sts_interleave", "transpose")  # sizes apart
_SATURATED = 0.8  # of the cycles: beyond it a resource, not latency, sets the time
_EXTRAPOLATED = ("cycles", "seconds", "tflops", "peak_share", "resources", "traffic", "stalls")
_LEFT_OUT = (
    "code that outgrows the instruction caches, and the TLB",
    "DRAM's turnarounds, and its refresh on boards where it was not measured",
    "clocks that fall under load, on boards where it was not measured",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """A configured kernel's problem, on a board, at a fidelity."""

    tiles: Configuration
    device: Device
    m: int
    n: int
    k: int
    fidelity: str = "sampled"
    alpha: float = 1.0
    beta: float = 0.0
    split_k: int = 1
    caches: str = "cold"

    def __post_init__(self) -> None:
        if self.fidelity not in FIDELITIES:
            raise unknown("fidelity", self.fidelity, FIDELITIES)
        if self.caches not in ("cold", "warm"):
            raise unknown("state of the caches", self.caches, ("cold", "warm"))
        if self.fidelity != "analytic":
            self._require_generated()

    def predict(self, progress: Callable[[int, int], None] | None = None) -> Prediction:
        """Return the prediction; `progress` is called with (parts done, parts) while the clock runs."""
        loaded = self.device.under_tensor_load()
        closed = predict(
            self.tiles, loaded, m=self.m, n=self.n, k=self.k,
            beta=self.beta != 0, split_k=self.split_k,
        )  # fmt: skip
        return closed if self.fidelity == "analytic" else _with_timing(closed, self._clocked(progress), loaded)

    def _clocked(self, progress: Callable[[int, int], None] | None) -> Timing:
        """Launch the generated program over zeros: its time does not depend on values."""
        import numpy as np  # noqa: PLC0415 - closed forms start without all of this

        from simtc.gemm.hgemm import generate  # noqa: PLC0415
        from simtc.gemm.hgemm.twin import arguments  # noqa: PLC0415
        from simtc.run.launch import launch  # noqa: PLC0415

        m, n, k = self.tiles.padded(self.m, self.n, self.k)
        turned = self.tiles.turned
        A, B = (
            np.zeros((k, extent) if turned[which] else (extent, k), np.float16) for which, extent in enumerate((m, n))
        )
        D = np.zeros((m, n), np.float16 if self.tiles.accumulator == "f16" else np.float32)
        scaled = () if self.tiles.epilogue == "none" else (np.zeros_like(D), self.alpha, self.beta)
        result = launch(
            generate(self.tiles),
            self.tiles.grid(m, n),
            self.tiles.threads,
            arguments(A, B, D, *scaled),
            device=self.device,
            timing=True,
            fidelity=self.fidelity,
            caches=self.caches,
            progress=progress,
        )
        return cast("Timing", result.timing)

    def _require_generated(self) -> None:
        """Refuse what generated kernels do not do."""
        if self.tiles.not_generated:
            raise BadInputError(f"{self.tiles.not_generated}. Try: --fidelity analytic")
        if self.split_k != 1:
            raise BadInputError(
                f"split_k {self.split_k}: generated kernels do not split k; closed forms do. Try: --fidelity analytic"
            )


def simulation(
    family: str,
    *,
    m: int,
    n: int,
    k: int,
    device: str | Device = "t4",
    fidelity: str = "sampled",
    clock_mhz: int | None = None,
    block: Shape | None = None,
    warp: Shape | None = None,
    **options: Any,
) -> Simulation:
    """Return what `simulate` predicts, before it does.

    Raises:
        BadInputError: unknown names, tiles that do not fit, or what this fidelity does not know.

    """
    if family != "hgemm":
        raise unknown("family", family, ("hgemm",), then="simtc simulate hgemm -m 4096 -n 4096 -k 4096")
    board = arch.device(device) if isinstance(device, str) else device
    if clock_mhz is not None and clock_mhz < 1:
        raise BadInputError(f"clock {clock_mhz}: a positive number of MHz")
    if board.cycle_level is None:
        raise BadInputError(f"{board.name} ({board.sm_name}) has no tensor cores, which hgemm runs on. Try: simtc arch")
    board = board if clock_mhz is None else board.at(clock_mhz)
    choices = {name: options.pop(name) for name in _CHOICES if name in options}
    if options.get("beta", 0.0):
        choices["epilogue"] = "beta"
    elif options.get("alpha", 1.0) != 1:
        choices["epilogue"] = "alpha"
    tiles = configure(board, block, warp, **choices)
    return Simulation(tiles=tiles, device=board, m=m, n=n, k=k, fidelity=fidelity, **options)


def simulate(family: str, *, progress: Callable[[int, int], None] | None = None, **options: Any) -> Prediction:
    """Predict a configured kernel: `hgemm`, f16 operands on tensor cores.

    Args:
        family: "hgemm".
        progress: called with (parts done, parts) while the clock runs.
        options: m, n, k: the sizes, padded to whole blocks.
            device: a board, "t4" unless given. clock_mhz: its SM clock, where not its own.
            fidelity: "analytic" for closed forms, at once; "sampled", the default, for the generated program's steady
            state in the clock, in seconds; "full" for every block of it, which takes as long as it takes.
            block, warp: m, n, k of a thread block's tile and of a warp's step. layout, stages, accumulator, loads,
            sts_interleave, transpose: see `simtc.gemm.hgemm.tiles.Tiles`.
            alpha, beta: of C = alpha A B + beta C: 1 and 0 unless given; any other beta reads C.
            split_k: slices of k, which the clock does not know.
            caches: "cold", or "warm" where L2 holds of A and B what it can; closed forms do not tell them apart.

    Raises:
        BadInputError: unknown names, sizes below 1, tiles that do not fit, or what this fidelity does not know.

    Example:
        >>> simulate("hgemm", m=8192, n=8192, k=8192, device="rtx2070", fidelity="analytic").limit
        'limited by tensor pipe'

    """
    return simulation(family, **options).predict(progress)


def _with_timing(closed: Prediction, timing: Timing, device: Device) -> Prediction:
    """Put what the clock found in the place of closed forms."""
    resources = {name.removeprefix("the "): cycles for name, cycles in timing.resources.items()}
    name = max(resources, key=lambda one: resources[one])
    counters = timing.counters
    return replace(
        closed,
        fidelity=timing.fidelity,
        cycles=float(timing.cycles),
        clock_mhz=timing.clock_mhz,
        peak_tflops=closed.peak_tflops * timing.clock_mhz / closed.clock_mhz,
        bound=name if resources[name] >= _SATURATED * timing.cycles else "latency",
        limit=timing.limit,
        resources=resources,
        traffic={
            "shared memory": float(device.sm.shared.wavefront_bytes * counters["wavefronts"]),
            "L1 read": 32.0 * counters["l1_sectors"],
            "L2 read": 32.0 * counters["l2_sectors"],
            "DRAM read": 32.0 * counters["dram_sectors"],
            "written": 32.0 * counters["store_sectors"],
        },
        stalls=timing.stalls,
        launch_cycles=device.sm.launch.chip_cycles,  # the rest of it is among the clock's cycles
        error_estimate=timing.error_estimate,
        extrapolated=_EXTRAPOLATED if timing.extrapolated else (),
        notes=timing.notes,
        left_out=_LEFT_OUT,
    )
