"""A case of a campaign under the profiler: what Nsight Compute counts of one launch, beside what the clock counts."""

from __future__ import annotations

from abc import abstractmethod
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

from simtc.arch import Device
from simtc.gpu import Code, Gpu
from simtc.gpu.gpu import Prepared
from simtc.isa import Kernel
from simtc.results import LaunchResult
from simtc.validate.idle_clock import by_fastest_clock
from simtc.validate.measured import Measured, MeasuredCase, code_digest

__all__ = ["CountedCase", "counted", "timed"]


class _Launch(Protocol):
    @property
    def name(self) -> str: ...

    def prepared(self, gpu: Gpu) -> AbstractContextManager[Prepared]: ...


class _Profile(Protocol):
    def of(self, gpu: Gpu, name: str) -> dict[str, float]: ...


@dataclass(frozen=True, kw_only=True)
class CountedCase(MeasuredCase):
    """One launch under the profiler."""

    launch: _Launch
    board: Device
    profile: _Profile = field(compare=False, repr=False)  # of the whole campaign: the profiler starts once for all

    @property
    def name(self) -> str:
        """As the launch is called."""
        return self.launch.name

    def prepared(self, gpu: Gpu) -> AbstractContextManager[Prepared]:
        """Upload the launch, for the process that is profiled."""
        return self.launch.prepared(gpu)

    @abstractmethod
    def code(self, gpu: Gpu) -> Code:
        """Return what the GPU runs."""

    @property
    @abstractmethod
    def kernel(self) -> Kernel:
        """What is simulated."""

    def measure(self, gpu: Gpu) -> Measured:
        """Look the launch up in the profile."""
        return Measured(values=self.profile.of(gpu, self.name), code=code_digest(self.code(gpu)))


def counted(run: LaunchResult, board: Device) -> dict[str, float]:
    """Return the clock's counts under the profiler's names; of several blocks, the cycles until all SMs are done."""
    x, y, z = run.grid
    alone = x * y * z == 1
    cycles = (
        {"active_cycles": run.cycles}
        if alone
        else {"elapsed_cycles": by_fastest_clock(run, board) + board.outside_cycles}
    )
    total = sum(run.stalls.values())
    shares = {f"stall_{cause}": count / total for cause, count in run.stalls.items()}
    return {"instructions": run.instructions, "bank_conflicts": run.bank_conflicts, **cycles, **shares}


def timed(run: LaunchResult, board: Device) -> dict[str, float]:
    """Return the clock's counts by the profiler's names; gpu__time_duration includes what starting a launch takes."""
    starting = board.outside_cycles / board.clock_mhz * 1e3
    nanoseconds = 1e9 * run.seconds + starting
    return {"active_cycles": run.cycles, "nanoseconds": nanoseconds, "instructions": run.instructions}
