"""Campaign `others`: kernels by others as their libraries launch them, under the profiler, beside the clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from simtc.gpu import Code, Gpu
from simtc.gpu.gpu import Prepared
from simtc.isa import Kernel
from simtc.run.arguments import Struct
from simtc.run.launch import launch
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.corpus.launch import bits
from simtc.validate.corpus.profile import CorpusProfile
from simtc.validate.counted import CountedCase, timed
from simtc.validate.measured import Measured, code_digest
from simtc.validate.profiler import CYCLES
from simtc.validate.recorded import Recorded, Run, archive, recorded_launches

__all__ = ["OthersCase", "cases"]

_SM = 90  # what the archive is compiled for


@dataclass(frozen=True, kw_only=True)
class _Launch:
    """One recorded launch, cold or warm."""

    recorded: Recorded
    caches: str

    @property
    def name(self) -> str:
        """PROGRAM/number of the launch/cold or warm."""
        return f"{self.recorded.program}/{self.recorded.number}/{self.caches}"

    def prepared(self, gpu: Gpu) -> AbstractContextManager[Prepared]:
        """Upload the launch, over memory in which the GPU ran the program's launches before it."""
        one = self.recorded
        args = one.arguments(_on_gpu(gpu))
        return gpu.prepared(one.code, one.grid, one.block, args, shared_bytes=one.shared_bytes)


@cache
def _on_gpu(gpu: Gpu) -> Run:
    def run(one: Recorded, args: list[Any]) -> None:
        gpu.launch(one.code, one.grid, one.block, args, shared_bytes=one.shared_bytes)

    return run


def _simulated(one: Recorded, args: list[Any]) -> None:
    launch(one.kernel, one.grid, one.block, args, shared_bytes=one.shared_bytes, device="h200")


@dataclass(frozen=True, kw_only=True)
class OthersCase(CountedCase):
    """One launch under the profiler."""

    compared: ClassVar[Mapping[str, str]] = {
        "active_cycles": "cycles", "nanoseconds": "cycles", "instructions": "count", "bits": "bits",
    }  # fmt: skip
    restores: ClassVar[bool] = True  # counters and flags that a launch leaves would make the next one another

    launch: _Launch

    def code(self, gpu: Gpu) -> Code:  # noqa: ARG002 - the archive's, whatever the GPU
        """Return the archive's machine code."""
        return self.launch.recorded.code

    def checksum(self, written: Sequence[NDArray[Any]]) -> int:
        """Return that of all buffers after a launch, for the process that is profiled."""
        return bits(np.concatenate(written))

    @property
    def kernel(self) -> Kernel:
        """What is simulated: the same machine code."""
        return self.launch.recorded.kernel

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
    if chip.sm != _SM:
        yield Skip(name="others", reason=f"its machine code is for sm_{_SM}")
        return
    if not chip.known:
        yield Skip(name="others", reason=f"simtc has no constants of {chip.name or 'this board'}")
        return
    if not archive().exists():
        yield Skip(name="others", reason="it is not compiled. Try: python validate/others/build.py PACKAGES")
        return
    launches = [_Launch(recorded=one, caches=caches) for one in recorded_launches() for caches in ("warm", "cold")]
    named = [(one.name, one.caches) for one in launches]
    profile = CorpusProfile(settings, named, campaign="others", tried=(CYCLES,))
    for one in launches:
        yield OthersCase(launch=one, board=chip.board, profile=profile)
