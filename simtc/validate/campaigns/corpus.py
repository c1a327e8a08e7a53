"""Campaign `corpus`: kernels that no one chose, under the profiler, cold and warm, beside the clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from numpy.typing import NDArray

from simtc.gpu import Code, Gpu
from simtc.isa import Kernel
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.corpus.drawing import half_of, names
from simtc.validate.corpus.launch import CorpusLaunch, bits
from simtc.validate.corpus.profile import CorpusProfile
from simtc.validate.counted import CountedCase, timed
from simtc.validate.measured import Measured, code_digest

__all__ = ["CorpusCase", "cases"]

_SM = 90  # what the archive was compiled for


@dataclass(frozen=True, kw_only=True)
class CorpusCase(CountedCase):
    """One launch under the profiler."""

    compared: ClassVar[Mapping[str, str]] = {
        "active_cycles": "cycles", "nanoseconds": "cycles", "instructions": "count", "bits": "bits",
    }  # fmt: skip

    launch: CorpusLaunch
    examined: bool = False  # True only where validate/corpus/exam.py makes the case

    @property
    def group(self) -> str:
        """Errors are collected by the kind of kernel."""
        return self.launch.knobs.kind

    @property
    def half(self) -> str:
        """development, or exam: those that only the examination compares."""
        return half_of(self.launch.program)

    def code(self, gpu: Gpu) -> Code:  # noqa: ARG002 - the archive's, whatever the GPU
        """Return the archive's machine code."""
        return self.launch.code

    def checksum(self, written: Sequence[NDArray[Any]]) -> int:
        """Return that of a launch's results, for the process that is profiled."""
        return bits(written[0])

    @property
    def kernel(self) -> Kernel:
        """What is simulated: the same machine code."""
        return self.launch.kernel

    def predict(self) -> Measured | None:
        """Launch with the clock, every block; the half that is an examination only where it is one."""
        if self.half == "exam" and not self.examined:
            return None
        run, written = self.launch.simulate(self.board)
        return Measured(values={**timed(run, self.board), "bits": written}, code=code_digest(self.kernel))


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[CorpusCase | Skip]:
    """Yield the launches of the corpus."""
    if chip.sm != _SM:
        yield Skip(name="corpus", reason=f"its machine code is for sm_{_SM}")
        return
    if not chip.known:
        yield Skip(name="corpus", reason=f"simtc has no constants of {chip.name or 'this board'}")
        return
    launches = [CorpusLaunch(program=name, caches=caches) for name in names() for caches in ("warm", "cold")]
    profile = CorpusProfile(settings, [(one.name, one.caches) for one in launches])
    for one in launches:
        yield CorpusCase(launch=one, board=chip.board, profile=profile)
