"""`simulate`: what a configured kernel takes, by closed forms or from its program in the clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from simtc import arch
from simtc.arch import Device
from simtc.errors import BadInputError, unknown
from simtc.gemm.family import Configured
from simtc.gemm.problem import Problem
from simtc.gemm.registry import family as family_named
from simtc.results.prediction import Prediction

if TYPE_CHECKING:
    from simtc.results import Timing

__all__ = ["FIDELITIES", "SIZES", "Simulation", "simulate", "simulation"]

FIDELITIES = ("analytic", "sampled", "full")
SIZES = ("batch", "alpha", "beta", "lda", "ldb", "ldc", "ldd")  # beside m, n and k: what no family names
_SATURATED = 0.8  # of the cycles: beyond it a resource, not latency, sets the time
_EXTRAPOLATED = ("cycles", "seconds", "tflops", "peak_share", "resources", "traffic", "stalls")
_LEFT_OUT = (
    "code that outgrows the instruction caches, and the TLB",
    "DRAM's turnarounds and its refresh, on boards where they are not known",
    "clocks that fall under load, on boards where it was not measured",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Simulation:
    """A configured kernel's problem, on a board, at a fidelity."""

    configuration: Configured
    problem: Problem
    device: Device
    fidelity: str = "sampled"
    caches: str = "cold"
    timeline: bool = False

    def __post_init__(self) -> None:
        if self.fidelity not in FIDELITIES:
            raise unknown("fidelity", self.fidelity, FIDELITIES)
        if self.caches not in ("cold", "warm"):
            raise unknown("state of the caches", self.caches, ("cold", "warm"))
        if self.timeline and self.fidelity == "analytic":
            raise BadInputError("fidelity 'analytic' has no timeline: it executes nothing. Try: --fidelity sampled")
        why = None if self.fidelity == "analytic" else self.configuration.not_executed()
        if why:
            raise BadInputError(f"{why}. Try: --fidelity analytic")

    def predict(self, progress: Callable[[int, int], None] | None = None) -> Prediction:
        """Return the prediction; `progress` is called with (parts done, parts) while the clock runs."""
        loads = self.configuration.uses_tensor_cores
        loaded = self.device.under_tensor_load() if loads else self.device
        closed = self.configuration.closed_form(self.problem, loaded)
        return closed if self.fidelity == "analytic" else _with_timing(closed, self._clocked(progress), loaded)

    def _clocked(self, progress: Callable[[int, int], None] | None) -> Timing:
        """Launch the program over zeros: its time does not depend on values."""
        from simtc.gemm.operands import zeros  # noqa: PLC0415 - closed forms start without all of this
        from simtc.run.launch import launch  # noqa: PLC0415

        made, whole = self.configuration, self.problem.padded(self.configuration.multiple)
        result = launch(
            made.program(),
            made.grid_dim(whole),
            made.block_dim,
            made.arguments(whole, zeros(whole)),
            shared_bytes=made.dynamic_shared_bytes,
            device=self.device,
            timing=True,
            fidelity=self.fidelity,
            caches=self.caches,
            timeline=self.timeline,
            values=False,
            progress=progress,
        )
        return cast("Timing", result.timing)


def simulation(
    family: str,
    *,
    m: int,
    n: int,
    k: int,
    device: str | Device = "t4",
    fidelity: str = "sampled",
    clock_mhz: int | None = None,
    caches: str = "cold",
    timeline: bool = False,
    **options: Any,
) -> Simulation:
    """Return what `simulate` predicts, before it does.

    Raises:
        BadInputError: unknown names, tiles that do not fit, or what this fidelity does not know.

    """
    found = family_named(family)
    board = arch.device(device) if isinstance(device, str) else device
    if clock_mhz is not None:
        if clock_mhz < 1:
            raise BadInputError(f"clock {clock_mhz}: a positive number of MHz")
        board = board.at(clock_mhz)
    sizes = {"m": m, "n": n, "k": k} | {name: options.pop(name) for name in SIZES if name in options}
    choices = found.accepted(options)
    problem = found.problem(sizes, choices)
    made = found.configure(problem, board, choices)
    return Simulation(
        configuration=made, problem=problem, device=board, fidelity=fidelity, caches=caches, timeline=timeline
    )


def simulate(family: str, *, progress: Callable[[int, int], None] | None = None, **options: Any) -> Prediction:
    """Predict a configured kernel of a family.

    Args:
        family: its name; `simtc simulate --list` has them all.
        progress: called with (parts done, parts) while the clock runs.
        options: m, n, k: the sizes, padded to what the kernel takes. batch: leading axes. lda, ldb, ldc, ldd.
            device: a board, "t4" unless given. clock_mhz: its SM clock, where not its own.
            fidelity: "analytic" for closed forms, at once; "sampled", the default, for the program's steady state in
            the clock, in seconds; "full" for every block of it, which takes as long as it takes.
            alpha, beta: of C = alpha A B + beta C: 1 and 0 unless given; any other beta reads C.
            caches: "cold", or "warm" where L2 holds of A and B what it can; closed forms do not tell them apart.
            timeline: also keep what every warp did in every cycle, as `.timeline`; of "sampled", in what was executed.
            And the family's own choices, such as block and warp, which `simtc simulate --help` explains.

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
        launch_cycles=device.outside_cycles,  # the rest of it is among the clock's cycles
        error_estimate=timing.error_estimate,
        extrapolated=_EXTRAPOLATED if timing.extrapolated else (),
        notes=timing.notes,
        left_out=_LEFT_OUT,
        timeline=timing.timeline,
    )
