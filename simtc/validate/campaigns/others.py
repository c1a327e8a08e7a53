"""Campaign `others`: kernels by others as their libraries launch them, under the profiler, beside the clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from simtc.gpu import Code, Gpu
from simtc.isa import Kernel
from simtc.run.arguments import Struct
from simtc.run.launch import launch
from simtc.validate.archived import ArchivedCase, ArchivedLaunch, archived_cases
from simtc.validate.campaign_profile import CampaignProfile
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.corpus.launch import bits
from simtc.validate.counted import timed
from simtc.validate.measured import Measured, code_digest
from simtc.validate.profiler import CYCLES
from simtc.validate.recorded import Recorded, Run, archive, recorded_launches

__all__ = ["OthersCase", "cases"]


@dataclass(frozen=True, kw_only=True)
class _Launch(ArchivedLaunch):
    """One recorded launch, cold or warm."""

    recorded: Recorded

    @property
    def title(self) -> str:
        """PROGRAM/number of the launch."""
        return f"{self.recorded.program}/{self.recorded.number}"

    @property
    def code(self) -> Code:
        """The machine code, for a GPU."""
        return self.recorded.code

    @property
    def kernel(self) -> Kernel:
        """The machine code, for simtc."""
        return self.recorded.kernel

    @property
    def shape(self) -> tuple[tuple[int, int, int], tuple[int, int, int], int]:
        """Grid, block, and bytes of dynamic shared memory."""
        return self.recorded.grid, self.recorded.block, self.recorded.shared_bytes

    def arguments_on(self, gpu: Gpu) -> list[Any]:
        """Return the arguments, over memory in which the GPU ran the program's launches before it."""
        return self.recorded.arguments(_on_gpu(gpu))


@cache
def _on_gpu(gpu: Gpu) -> Run:
    def run(one: Recorded, args: list[Any]) -> None:
        gpu.launch(one.code, one.grid, one.block, args, shared_bytes=one.shared_bytes)

    return run


def _simulated(one: Recorded, args: list[Any]) -> None:
    launch(one.kernel, one.grid, one.block, args, shared_bytes=one.shared_bytes, device="h200")


@dataclass(frozen=True, kw_only=True)
class OthersCase(ArchivedCase):
    """One launch under the profiler."""

    restores: ClassVar[bool] = True  # counters and flags that a launch leaves would make the next one another

    launch: _Launch

    def checksum(self, written: Sequence[NDArray[Any]]) -> int:
        """Return that of all buffers after a launch, for the process that is profiled."""
        return bits(np.concatenate(written))

    def predict(self) -> Measured:
        """Launch with the clock, every block, over memory in which simtc ran the program's launches before it."""
        one = self.launch.recorded
        args = one.arguments(_simulated)
        run = launch(
            self.kernel, one.grid, one.block, args, shared_bytes=one.shared_bytes, device=self.board, timing=True,
            caches=self.launch.caches,
        )  # fmt: skip
        values = timed(run, self.board) | {"bits": self.checksum(_buffers(args))}
        total = sum(run.stalls.values())
        stalls = {f"stall_{cause}": count / total for cause, count in run.stalls.items()}
        return Measured(values=values | stalls, code=code_digest(self.kernel))


def _buffers(args: Sequence[Struct]) -> list[NDArray[Any]]:
    """Return the buffers that arguments point to, in the order of the pointers: as `Buffers.written` gives them."""
    found = {id(array): array for arg in args for array, _ in arg.pointers.values()}
    return list(found.values())


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[OthersCase | Skip]:
    """Yield the recorded launches, where they were built."""
    yield from archived_cases(
        "others",
        chip,
        OthersCase,
        lambda: [_Launch(recorded=one, caches=caches) for one in recorded_launches() for caches in ("warm", "cold")],
        lambda launches: CampaignProfile(settings, launches, campaign="others", tried=(CYCLES,)),
        absent="" if archive().exists() else "it is not compiled. Try: python validate/others/build.py PACKAGES",
    )
