"""Campaign `corpus`: kernels that no one chose, under the profiler, cold and warm, beside the clock."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from simtc.gpu import Gpu
from simtc.gpu.gpu import Prepared
from simtc.validate.archived import ArchivedCase, archived_cases
from simtc.validate.campaign_profile import CampaignProfile
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.corpus.allocated import allocated
from simtc.validate.corpus.drawing import draw, half_of, names
from simtc.validate.corpus.halves import asked, placed, told
from simtc.validate.corpus.launch import CorpusLaunch, bits
from simtc.validate.counted import timed
from simtc.validate.measured import Measured, code_digest

__all__ = ["CorpusCase", "cases"]


@dataclass(frozen=True, kw_only=True)
class CorpusCase(ArchivedCase):
    """One launch under the profiler."""

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

    def checksum(self, written: Sequence[NDArray[Any]]) -> int:
        """Return that of a launch's results, for the process that is profiled."""
        return bits(written[0])

    def beside(self, gpu: Gpu, ready: Prepared) -> dict[str, float]:
        """Return where its arrays lie, and on which half of L2, for the process that is profiled."""
        return asked(gpu, ready.buffers.spans)

    def as_captured(self, measured: Mapping[str, float]) -> CorpusCase:
        """Return the launch with its arrays where they lay on the chip."""
        arrays = len(self.launch.knobs.array_bytes)
        places = placed(measured, arrays) or self.launch.places
        return replace(self, launch=replace(self.launch, places=places, far=told(measured, arrays)))

    def predict(self) -> Measured | None:
        """Launch with the clock, every block; the half that is an examination only where it is one."""
        if self.half == "exam" and not self.examined:
            return None
        run, written = self.launch.simulate(self.board)
        return Measured(values={**timed(run, self.board), "bits": written}, code=code_digest(self.kernel))


def cases(settings: Mapping[str, Any], chip: Chip) -> Iterator[CorpusCase | Skip]:
    """Yield the launches of the corpus."""
    chosen, batch = [name for name in names() if half_of(name) in settings["halves"]], int(settings["batch"])
    processes = (chosen[at : at + batch] for at in range(0, len(chosen), batch))
    places = [place for some in processes for place in allocated(draw(name).array_bytes for name in some)]
    yield from archived_cases(
        "corpus",
        chip,
        CorpusCase,
        lambda: [
            CorpusLaunch(program=name, caches=caches, places=lies)
            for name, lies in zip(chosen, places, strict=True)
            for caches in ("warm", "cold")
        ],
        lambda launches: CampaignProfile(settings, launches, campaign="corpus"),
    )
