"""How much of a launch is simulated: all of it where it is small, some SMs and some waves of blocks where it is not."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import ceil, comb, log

import numpy as np

from simtc.machine.lowering import Lowered
from simtc.machine.micro import Control, Family
from simtc.timing.constants import SECTOR
from simtc.timing.occupancy import Occupancy
from simtc.timing.placing import neighbours
from simtc.timing.request import Request
from simtc.timing.sampling.skeleton import Skeleton
from simtc.timing.sampling.survey import Survey, Traces, distinct
from simtc.timing.sampling.waves import Waves, flowing, spread_out
from simtc.timing.setup import once_bytes

__all__ = ["Grid", "Portion", "portion"]

_SMALL = 3_000_000  # warp-instructions: what one core executes in the clock in three seconds or so
_AFFORDABLE = 1_500_000  # warp-instructions of a part, beside all that it takes to choose it
_STEP = 0.5  # what an instruction of the skeleton costs beside one in the clock
_SETTLING = 30  # laps of a loop that are executed until it has settled, and after the others were skipped
_KEPT = (8, 24)  # laps of a loop that does not settle
_IN_STEP = 2  # resident blocks of which a barrier keeps a loop settled
_FLOWING = (8, 16)  # waves of short blocks: the fewest, and the most
_ENOUGH = 1 / 3  # of the SMs, where more of them would be fewer waves
_EARLY = 2  # places of an SM that may be free before the first one of another


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """How the blocks of a launch fall into waves: one to each SM, then a second one to each, as far as they go."""

    blocks: int
    sms: int
    slots: int
    simulated: int = 1  # SMs, spread evenly over the others
    working: np.ndarray | None = field(default=None, compare=False)  # those blocks, where others leave at once

    @property
    def wave_blocks(self) -> int:
        """Blocks of a full wave."""
        return self.sms * self.slots

    @property
    def waves(self) -> int:
        """Waves, the last one perhaps not full."""
        return -(-self.blocks // self.wave_blocks)

    def wave(self, w: int) -> np.ndarray:
        """Return the numbers of a wave's blocks."""
        places = slice(w * self.wave_blocks, min((w + 1) * self.wave_blocks, self.blocks))
        return np.arange(places.start, places.stop) if self.working is None else self.working[places]

    @property
    def is_simulated(self) -> np.ndarray:
        """Whether each SM is, (sms,) bool."""
        out = np.zeros(self.sms, bool)
        out[np.arange(self.simulated) * self.sms // self.simulated] = True
        return out

    @property
    def crowded(self) -> int:
        """The most blocks of a last wave that some SM is likely to get; 0 if even.

        Any of two places of an SM may be free first. Of more, the first ones of all SMs are mostly free before the
        last ones of any, as its blocks get ahead of each other: so no SM gets many more than its share.

        Example:
            >>> [Grid(blocks=blocks, sms=40, slots=2).crowded for blocks in (160, 160 - 1, 100, 80 + 20, 80 + 5)]
            [0, 2, 2, 2, 1]
            >>> [Grid(blocks=blocks, sms=40, slots=4).crowded for blocks in (160 + 8, 160 + 80, 160 + 100)]
            [1, 2, 3]

        """
        filled = self.blocks % self.wave_blocks / self.wave_blocks
        if self.waves == 1 or not filled:
            return 0
        chances = [comb(self.slots, j) * filled**j * (1 - filled) ** (self.slots - j) for j in range(self.slots + 1)]
        likely = max(j for j in range(1, self.slots + 1) if j == 1 or self.sms * sum(chances[j:]) > log(2))
        return min(likely, max(ceil(filled * self.slots), _EARLY))

    def part(self, w: int) -> np.ndarray:
        """Return those of them that are for the SMs that are simulated."""
        numbers = self.wave(w)
        own = self.is_simulated[np.arange(len(numbers)) % self.sms]
        if w == self.waves - 1:  # as many as one SM may get
            own[np.flatnonzero(~own)[: max(self.crowded - int(own.sum()), 0)]] = True
        chosen: np.ndarray = numbers[own]
        return chosen

    def share(self, w: int) -> float:
        """Return what part of the wave's blocks these are."""
        return len(self.part(w)) / len(self.wave(w))


@dataclass(frozen=True, slots=True, kw_only=True)
class Portion:
    """What is simulated of a launch."""

    grid: Grid
    waves: Waves
    ports: Mapping[str, int]  # that all SMs of the launch share, by what shares them
    kept: tuple[int, ...]  # laps of a loop whose warps drift apart, run by run; none where it settles


def portion(request: Request, room: Occupancy, bones: Skeleton, traces: Traces) -> Portion | None:
    """Choose what is to be simulated of a launch; None for all of it.

    One SM alone would wait for nothing but its own requests, and all its warps would go the same way round a loop that
    may settle in two ways. So as many are simulated side by side as can be afforded.
    """
    device, survey = request.device, traces.survey
    blocks = request.blocks if traces.working is None else len(traces.working)
    if survey.instructions(survey.laps) * room.warps * blocks <= _SMALL:
        return None
    sms = min(device.sm_count, blocks)
    grid = Grid(blocks=blocks, sms=sms, slots=min(room.blocks, -(-blocks // sms)), working=traces.working)
    loop = survey.main_loop
    drifts = loop >= 0 and not (grid.slots <= _IN_STEP and _has_barrier(request.lowered, bones.loops[loop]))
    kept = _kept(survey, bones) if drifts else ()
    each = sum(_work(survey, laps) for laps in kept or (_SETTLING,)) * grid.slots * room.warps
    most = int(_AFFORDABLE / (each * sms * _ENOUGH))
    if most < min(_FLOWING[0], grid.waves):
        waves = spread_out(grid.waves, drifts=drifts)
    else:
        waves = flowing(grid.waves, most=min(most, _FLOWING[1]), filling=_filling(request, traces, grid))
    many = len(waves.chosen)
    traced = _STEP * survey.steps * many * grid.wave_blocks * room.warps
    ports = {name: len(set(places)) for name, places in zip(("gpc", "cpc"), neighbours(device, sms), strict=True)}
    simulated = _evenly(int((_AFFORDABLE - traced) // (each * many)), sms, list(ports.values()))
    return Portion(grid=replace(grid, simulated=simulated), waves=waves, ports=ports, kept=kept)


def _has_barrier(lowered: Lowered, body: np.ndarray) -> bool:
    ops = lowered.code.ops[: len(body)]
    barrier = (ops["family"] == Family.CONTROL) & (ops["code"] == Control.BARRIER)
    return bool((barrier & (body > 0)).any())


def _kept(survey: Survey, bones: Skeleton) -> tuple[int, ...]:
    """Return the laps to execute, run by run: two runs where that is less than all laps."""
    return _KEPT if bones.is_closed and survey.laps > sum(_KEPT) else (survey.laps,)


def _filling(request: Request, traces: Traces, grid: Grid) -> float:
    """Return how many waves fill L2, by what the second one touches that the first one does not."""
    if grid.waves < 2:
        return 0.0
    first, second = (distinct(traces.of(grid.wave(w), 0)[0] >> 1) for w in (0, 1))
    new = len(second) - len(np.intersect1d(first, second, assume_unique=True))
    return once_bytes(request.device) / max(SECTOR * new, 1)


def _work(survey: Survey, laps: int) -> float:
    """Return what it costs to take a warp past all but so many laps of the main loop, in instructions in the clock."""
    return survey.instructions(laps) + _STEP * survey.steps * max(survey.laps - laps, 0)


def _evenly(affordable: int, sms: int, ports: list[int]) -> int:
    """Return how many SMs to simulate: as many behind one port as behind another.

    Example:
        >>> [_evenly(many, 132, [8, 24]) for many in (0, 5, 13, 40, 140)]
        [1, 5, 8, 24, 132]

    """
    simulated = min(max(affordable, 1), sms)
    for many in ports:
        if many < simulated < sms:
            simulated -= simulated % many
    return simulated
