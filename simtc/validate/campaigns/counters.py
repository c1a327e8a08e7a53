"""Campaign `counters`: what Nsight Compute counts of the evaluation set, beside what the clock counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from simtc.gpu import Code, Gpu
from simtc.isa import Kernel
from simtc.results import Stall
from simtc.validate.campaigns.microbench import MicroCase, group_cases
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.counted import CountedCase, counted
from simtc.validate.evaluation import GemmLaunch, evaluation_launches, profiled_conflicts
from simtc.validate.measured import Measured, code_digest
from simtc.validate.profiler import Profile

__all__ = ["CounterCase", "cases"]

_STALLS = {f"stall_{cause.name}": "share" for cause in Stall}


@dataclass(frozen=True, kw_only=True)
class CounterCase(CountedCase):
    """One launch under the profiler."""

    compared: ClassVar[Mapping[str, str]] = {
        "instructions": "count", "bank_conflicts": "conflicts", "active_cycles": "cycles", "elapsed_cycles": "cycles",
        **_STALLS,
    }  # fmt: skip

    launch: GemmLaunch | MicroCase

    @property
    def caches(self) -> str:
        """Cold or warm."""
        return self.launch.caches

    def code(self, gpu: Gpu) -> Code:
        """Compile the kernel for the GPU at hand."""
        return self.launch.code(gpu)

    def measure(self, gpu: Gpu) -> Measured:
        """Look the launch up in the profile, and tell its bank conflicts from the counters."""
        found = super().measure(gpu)
        told = (found.values[name] for name in ("counted_conflicts", "wavefronts", "ideal_wavefronts"))
        return replace(found, values={**found.values, "bank_conflicts": profiled_conflicts(self.kernel, *told)})

    @cached_property
    def kernel(self) -> Kernel:
        """What is simulated: the shipped listing."""
        one = self.launch
        return one.kernel if isinstance(one, MicroCase) else one.shipped.kernel(self.board)

    def predict(self) -> Measured:
        """Launch with the clock."""
        run = self.launch.simulate(self.board, self.kernel)
        return Measured(values=counted(run, self.board), code=code_digest(self.kernel))


@dataclass(frozen=True, kw_only=True)
class CalibrationCase(CounterCase):
    """A microbenchmark: what a launch costs around its instructions. Its errors stand apart from the others'."""

    compared: ClassVar[Mapping[str, str]] = {
        "calibration_active_cycles": "calibration",
        "calibration_elapsed_cycles": "calibration",
    }
    measured_as: ClassVar[Mapping[str, str]] = {
        "calibration_active_cycles": "active_cycles", "calibration_elapsed_cycles": "elapsed_cycles",
    }  # fmt: skip

    def predict(self) -> Measured:
        """Launch with the clock."""
        found = super().predict()
        return replace(found, values={f"calibration_{name}": value for name, value in found.values.items()})


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[CounterCase | Skip]:
    """Yield the evaluation set, and the microbenchmarks that leave no clock of their own or are about more than it."""
    found: list[GemmLaunch | MicroCase | Skip] = list(evaluation_launches(settings, chip))
    for group in settings["cases"]:
        if group.get("counters"):
            found += group_cases(group, settings, chip)
    found = list({one.name: one for one in found}.values())  # a kernel of two groups is skipped once
    launches = [one for one in found if not isinstance(one, Skip)]
    profile = Profile("counters", settings, {one.name: one.caches for one in launches})
    for one in found:
        if isinstance(one, Skip):
            yield one
        elif not chip.known:
            yield Skip(name=one.name, reason=f"simtc has no constants of {chip.name or 'this board'}")
        else:
            kind = CalibrationCase if isinstance(one, MicroCase) else CounterCase
            yield kind(launch=one, board=chip.board, profile=profile)
