"""Campaign `counters`: what Nsight Compute counts of the evaluation set, beside what the clock counts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from simtc.arch import Device
from simtc.gpu import Gpu
from simtc.gpu.gpu import Prepared
from simtc.isa import Kernel
from simtc.results import LaunchResult, Stall
from simtc.validate.campaigns.microbench import MicroCase, group_cases
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.evaluation import GemmLaunch, evaluation_launches, profiled_conflicts
from simtc.validate.idle_clock import by_fastest_clock
from simtc.validate.measured import Measured, MeasuredCase, code_digest
from simtc.validate.profiler import Profile

__all__ = ["CounterCase", "cases", "counted"]

_STALLS = {f"stall_{cause.name}": "share" for cause in Stall}


@dataclass(frozen=True, kw_only=True)
class CounterCase(MeasuredCase):
    """One launch under the profiler."""

    compared: ClassVar[Mapping[str, str]] = {
        "instructions": "count", "bank_conflicts": "conflicts", "active_cycles": "cycles", "elapsed_cycles": "cycles",
        **_STALLS,
    }  # fmt: skip

    launch: GemmLaunch | MicroCase
    board: Device
    profile: Profile = field(compare=False, repr=False)  # of the whole campaign: one start of the profiler does for all

    @property
    def name(self) -> str:
        """As the launch is called."""
        return self.launch.name

    @property
    def caches(self) -> str:
        """Cold or warm."""
        return self.launch.caches

    def prepared(self, gpu: Gpu) -> AbstractContextManager[Prepared]:
        """Upload the launch, for the process that is profiled."""
        return self.launch.prepared(gpu)

    def measure(self, gpu: Gpu) -> Measured:
        """Look the launch up in the profile."""
        values = dict(self.profile.of(gpu, self.name))
        told = (values[name] for name in ("counted_conflicts", "wavefronts", "ideal_wavefronts"))
        values["bank_conflicts"] = profiled_conflicts(self.kernel, *told)
        return Measured(values=values, code=code_digest(self.launch.code(gpu)))

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
class EmptyCase(CounterCase):
    """A launch of nothing: what starting blocks costs. Calibration, so its errors stand apart from the others'."""

    compared: ClassVar[Mapping[str, str]] = {
        "empty_active_cycles": "calibration",
        "empty_elapsed_cycles": "calibration",
    }
    measured_as: ClassVar[Mapping[str, str]] = {
        "empty_active_cycles": "active_cycles", "empty_elapsed_cycles": "elapsed_cycles",
    }  # fmt: skip

    def predict(self) -> Measured:
        """Launch with the clock."""
        found = super().predict()
        return replace(found, values={f"empty_{name}": value for name, value in found.values.items()})


def counted(run: LaunchResult, board: Device) -> dict[str, float]:
    """Return the clock's counts under the profiler's names; of several blocks, the cycles until all SMs are done."""
    x, y, z = run.grid
    alone = x * y * z == 1
    cycles = (
        {"active_cycles": run.cycles}
        if alone
        else {"elapsed_cycles": by_fastest_clock(run, board) + board.sm.launch.chip_cycles}
    )
    total = sum(run.stalls.values())
    shares = {f"stall_{cause}": count / total for cause, count in run.stalls.items()}
    return {"instructions": run.instructions, "bank_conflicts": run.bank_conflicts, **cycles, **shares}


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[CounterCase | Skip]:
    """Yield the evaluation set, and launches of nothing."""
    found: list[GemmLaunch | MicroCase | Skip] = list(evaluation_launches(settings, chip))
    for group in settings["cases"]:
        if group.get("counters"):
            found += group_cases(group, settings, chip)
    launches = [one for one in found if not isinstance(one, Skip)]
    profile = Profile("counters", settings, {one.name: one.caches for one in launches})
    for one in found:
        if isinstance(one, Skip):
            yield one
        elif not chip.known:
            yield Skip(name=one.name, reason=f"simtc has no constants of {chip.name or 'this board'}")
        else:
            kind = EmptyCase if isinstance(one, MicroCase) else CounterCase
            yield kind(launch=one, board=chip.board, profile=profile)
