"""Campaign `tuning`: how long many configurations of one family take on the chip, and by simtc."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from simtc.arch import Device
from simtc.errors import SimtcError
from simtc.gemm.family import Configured
from simtc.gemm.operands import zeros
from simtc.gemm.problem import Problem
from simtc.gemm.registry import family
from simtc.gpu import Code, Gpu, compile_one
from simtc.gpu.gpu import Prepared
from simtc.run.simulate import Simulation
from simtc.validate.campaigns.timing import launch_cycles
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.measured import Measured, MeasuredCase, code_digest
from simtc.validate.stopwatch import Stopwatch, stopwatch

__all__ = ["TuningCase", "cases"]


@dataclass(slots=True)
class _Bench:
    """A stopwatch, and the matrices of one problem on the device: every configuration works on them in turn."""

    gpu: Gpu | None = None
    problem: Problem | None = None
    watch: Stopwatch | None = None
    ready: Prepared | None = None
    open: ExitStack = field(default_factory=ExitStack)

    def set_up(self, gpu: Gpu, problem: Problem, made: Configured, code: Code) -> tuple[Stopwatch, Prepared]:
        """Return both, made anew where they are another problem's."""
        if self.watch is None or self.ready is None or (self.gpu, self.problem) != (gpu, problem):
            self.open.close()
            args = made.arguments(problem, zeros(problem))
            self.watch = self.open.enter_context(stopwatch(gpu))
            self.ready = self.open.enter_context(gpu.prepared(code, 1, 1, args, shared_bytes=made.dynamic_shared_bytes))
            self.gpu, self.problem = gpu, problem
        return self.watch, self.ready


_BENCH = _Bench()


@dataclass(frozen=True, kw_only=True)
class TuningCase(MeasuredCase):
    """One configuration over one problem, whose operands L2 may hold."""

    compared: ClassVar[Mapping[str, str]] = {"sampled_cycles": "cycles", "analytic_cycles": "cycles"}
    measured_as: ClassVar[Mapping[str, str]] = {"sampled_cycles": "cycles", "analytic_cycles": "cycles"}

    configuration: Configured
    problem: Problem
    board: Device
    launches: int
    samples: bool  # by the clock too, where there is a listing or a compiler

    @property
    def name(self) -> str:
        """CONFIGURATION/MxNxK."""
        one = self.problem
        return f"{self.configuration.name}/{one.m}x{one.n}x{one.k}"

    @property
    def group(self) -> str:
        """The problem."""
        return self.name.split("/")[1]

    def measure(self, gpu: Gpu) -> Measured:
        """Time single launches."""
        made, one = self.configuration, self.configuration.compiled()
        code = compile_one(one.source, one.name, gpu, definitions=one.definitions)
        watch, ready = _BENCH.set_up(gpu, self.problem, made, code)
        shared_bytes = made.dynamic_shared_bytes
        own = replace(
            ready,
            function=gpu.driver.function(code.image, code.kernel.name, shared_bytes),
            grid=made.grid_dim(self.problem),
            block=made.block_dim,
            shared_bytes=shared_bytes,
        )
        own.seconds()
        taken = watch.times(own.enqueue, self.launches, cold=False)
        return Measured(values=taken.to_dict(), code=code_digest(code))

    def predict(self) -> Measured:
        """Predict from closed forms, and from the listing or what the compiler at hand makes: some seconds each."""
        made = self.configuration
        loaded = self.board.under_tensor_load()
        found = {"analytic_cycles": made.closed_form(self.problem, loaded).cycles}
        if not self.samples or made.not_executed():
            return Measured(values=found)
        case = Simulation(configuration=made, problem=self.problem, device=self.board, caches="warm")
        found["sampled_cycles"] = case.predict().cycles - launch_cycles(self.board)
        return Measured(values=found, code=code_digest(made.program()))


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[TuningCase | Skip]:
    """Yield the configurations of each problem."""
    one = family(settings["family"])
    for given in settings["problems"]:
        sizes = {name: given[name] for name in "mnk"}
        problem = one.problem(sizes | {"batch": (settings["batch"],)}, {})
        if not chip.known:
            yield Skip(name="/".join(map(str, sizes.values())), reason=f"simtc has no constants of {chip.name}")
            continue
        for version in given["versions"]:
            try:
                made = one.configure(problem, chip.board, {"version": version})
            except SimtcError as error:
                yield Skip(name=f"{version}/{given['m']}x{given['n']}x{given['k']}", reason=str(error))
                continue
            yield TuningCase(
                configuration=made, problem=problem, board=chip.board, launches=settings["repeats"],
                samples=settings["samples"],
            )  # fmt: skip
