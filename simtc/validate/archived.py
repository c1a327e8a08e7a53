"""Launches of machine code that lies in an archive, cold and warm, under the profiler: what such campaigns share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

from simtc.gpu import Code, Gpu
from simtc.gpu.gpu import Prepared
from simtc.isa import Kernel
from simtc.validate.campaign_profile import CampaignProfile
from simtc.validate.case import Skip
from simtc.validate.chip import Chip
from simtc.validate.counted import CountedCase

__all__ = ["ArchivedCase", "ArchivedLaunch", "archived_cases"]

_SM = 90  # what the archives are compiled for
_C = TypeVar("_C")


@dataclass(frozen=True, kw_only=True)
class ArchivedLaunch(ABC):
    """One launch, cold or warm."""

    caches: str

    @property
    @abstractmethod
    def title(self) -> str:
        """What is launched."""

    @property
    def name(self) -> str:
        """What is launched, and cold or warm."""
        return f"{self.title}/{self.caches}"

    @property
    @abstractmethod
    def code(self) -> Code:
        """The machine code, for a GPU."""

    @property
    @abstractmethod
    def kernel(self) -> Kernel:
        """The machine code, for simtc."""

    @property
    @abstractmethod
    def shape(self) -> tuple[Any, Any, int]:
        """Grid, block, and bytes of dynamic shared memory."""

    @abstractmethod
    def arguments_on(self, gpu: Gpu) -> list[Any]:
        """Return the arguments, as a GPU gets them."""

    def prepared(self, gpu: Gpu) -> AbstractContextManager[Prepared]:
        """Upload the launch."""
        grid, block, shared_bytes = self.shape
        return gpu.prepared(self.code, grid, block, self.arguments_on(gpu), shared_bytes=shared_bytes)


@dataclass(frozen=True, kw_only=True)
class ArchivedCase(CountedCase):
    """One launch under the profiler."""

    compared: ClassVar[Mapping[str, str]] = {
        "active_cycles": "cycles", "nanoseconds": "cycles", "instructions": "count", "bits": "bits",
    }  # fmt: skip

    launch: ArchivedLaunch

    def code(self, gpu: Gpu) -> Code:  # noqa: ARG002 - the archive's, whatever the GPU
        """Return the archive's machine code."""
        return self.launch.code

    @property
    def kernel(self) -> Kernel:
        """What is simulated: the same machine code."""
        return self.launch.kernel


def archived_cases(
    campaign: str,
    chip: Chip,
    made: Callable[..., _C],
    launches: Callable[[], Sequence[ArchivedLaunch]],
    profile: Callable[[list[tuple[str, str]]], CampaignProfile],
    *,
    absent: str = "",
) -> Iterator[_C | Skip]:
    """Yield a case of each launch, or why there is none.

    Args:
        campaign: its name.
        chip: the chip at hand.
        made: makes a case of a launch, a board and a profile.
        launches: returns what is launched, where it can be.
        profile: makes the profile of launches, given by name and caches.
        absent: why there is nothing to launch, if there is not.

    """
    if chip.sm != _SM:
        yield Skip(name=campaign, reason=f"its machine code is for sm_{_SM}")
        return
    if not chip.known:
        yield Skip(name=campaign, reason=f"simtc has no constants of {chip.name or 'this board'}")
        return
    if absent:
        yield Skip(name=campaign, reason=absent)
        return
    found = launches()
    counters = profile([(one.name, one.caches) for one in found])
    for one in found:
        yield made(launch=one, board=chip.board, profile=counters)
