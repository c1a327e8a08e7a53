"""Some SMs on their way through the waves that stand for a launch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import ceil
from typing import Any

import numpy as np

from simtc.jit import Arrays, entry
from simtc.machine.run import start_block
from simtc.machine.state import Memory, State
from simtc.machine.step import step
from simtc.timing.chip import run_chip
from simtc.timing.clock import Clock
from simtc.timing.pipeline import UNITS
from simtc.timing.reading import ended_at
from simtc.timing.request import Request, limit_reached
from simtc.timing.sampling.footprint import Footprint, Footprints
from simtc.timing.sampling.portion import Grid, Portion
from simtc.timing.sampling.residence import forget
from simtc.timing.sampling.skipping import Skipper
from simtc.timing.sampling.totals import vector
from simtc.timing.unit import Scale
from simtc.timing.units.aging import FULL, Age, brought
from simtc.timing.units.l2_tags import hold_sectors, remember

__all__ = ["Course", "Sample", "shared", "starts"]

_ENOUGH = 4  # times what L2 holds: of what comes besides, nothing is left


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What became of the waves that were executed."""

    spans: np.ndarray  # (waves,) cycles until the next wave began, or the end
    vectors: np.ndarray  # (waves, places) what was counted meanwhile
    skipped: float  # laps of each warp
    doubts: float  # cycles by which the sum of the spans may be wrong


@dataclass(slots=True, kw_only=True)
class Sample:
    """Some SMs on their way through the waves that stand for the launch."""

    part: Portion
    prints: Footprints
    skipper: Skipper
    clock: Clock
    parts: tuple[State, Memory, Any]
    warm: np.ndarray | None  # sectors that L2 held before the launch
    grid: Grid = field(init=False)
    base: np.ndarray = field(init=False)  # the chip's own parameters
    entered: int = 0  # waves
    admitted: list[float] = field(default_factory=list)  # when each of the blocks was handed out
    at_wave: list[np.ndarray] = field(default_factory=list)  # the vector at the end of each executed wave

    def __post_init__(self) -> None:
        self.grid, self.base = self.part.grid, self.clock.chip.copy()

    def run(self, request: Request) -> int:
        """Execute the chosen waves; return 1, or a fault."""
        clock = self.clock
        bundled = clock.bundled
        self._enter(bundled)
        sizes, run = np.cumsum([len(self.grid.part(w)) for w in self.part.waves.chosen]), entry(run_chip)
        while True:
            outcome = int(run(step, start_block, *self.parts, bundled, self.skipper.windows))
            outcome = outcome or limit_reached(request, self.skipper.traveller.state, clock)
            if outcome:
                self._note_admissions()
                self._end_all(sizes)
                return outcome
            self._note_admissions()
            while len(self.at_wave) < len(sizes) - 1 and clock.grid["done"][0] >= sizes[len(self.at_wave)]:
                self._end_wave()
            if self.entered < len(sizes) and clock.grid["admitted"][0] > sizes[self.entered - 1]:
                self._enter(bundled)
                if request.progress:
                    request.progress(self.entered, len(sizes))
            count = int(clock.lap_count[0])
            if count:
                self.skipper.look(clock.laps[:count].tolist())
                clock.lap_count[0] = 0

    def _enter(self, bundled: Arrays) -> None:
        """Give the SMs their share of the chip for the wave that begins, and L2 what it holds by then."""
        w = self.part.waves.chosen[self.entered]
        self.entered += 1
        footprint = self.prints.of_wave(w)
        scale = Scale(
            share=self.grid.share(w),
            merged=footprint.merged,
            cpc_crowd=self._crowd(w, "cpc"),
            gpc_crowd=self._crowd(w, "gpc"),
        )
        values, rises = self.clock.chip_values, self.clock.chip_rises
        if not rises.size or self.clock.pace["slow"][0]:
            rises = np.ones(1)
        values /= rises
        for unit in UNITS:
            if unit.parameters is not None:
                for name, value in unit.parameters.from_record(self.base[unit.name]).scaled(scale).items():
                    self.clock.chip[unit.name][name] = value
        values *= rises
        self.clock.shares["share"] = footprint.shares
        warps = len(self.grid.wave(w)) * self.skipper.block_warps
        laps = max(self.prints.laps, 1) * warps
        self.skipper.traveller.lap_bytes = 0.0 if self._is_resident else footprint.fetched / laps
        self._set_l2(w, footprint, bundled)

    def _set_l2(self, w: int, footprint: Footprint, bundled: Arrays) -> None:
        """Make L2 hold what it does when a wave begins."""
        age = self.clock.age
        before = self.part.waves.chosen[self.entered - 2] if self.entered > 1 else w - 1
        between = w - before - 1
        if between and not self._is_resident:
            self._pass_over(before, between)
        forget(self.clock, unused=self.entered > 1 and not between)
        if footprint.has_hits:
            hold_sectors(bundled, self.prints.held(w, footprint))
        if self.warm is not None and (between or self.entered == 1):
            remember(bundled, self.warm, float(age[Age.BUCKET] * FULL))

    def _pass_over(self, w: int, times: int) -> None:
        """Let waves that are passed over bring to L2 what the executed one before them does, results included."""
        age, footprint, share = self.clock.age, self.prints.of_wave(w), self.grid.share(w)
        first, then = share * footprint.fetched, share * (footprint.alone + footprint.stored)
        bucket = age[Age.BUCKET]
        pieces = ceil(then / bucket)
        written = self.base["l2_tags"]["l2_dirty_bytes"][0] > 0  # soon after they are stored
        results = 0.0 if written else share * footprint.stored / max(pieces, 1)
        for _ in range(min(times, ceil(_ENOUGH * bucket * FULL / max(first + then, 1.0)))):
            brought(age, first, 0.0)
            for _ in range(pieces):
                brought(age, then / pieces, results)

    @property
    def _is_resident(self) -> bool:
        """Whether L2 holds all that the launch will touch."""
        return self.warm is not None and len(self.warm) >= self.prints.sectors

    def _crowd(self, w: int, kind: str) -> float:
        """Return how many simulated blocks share a port, for each that does on the chip."""

        def each(blocks: int, ports: int) -> float:
            return blocks / min(blocks, ports)

        ports, part = self.part.ports[kind], np.unique(self.clock.sms[kind]).size
        return each(len(self.grid.part(w)), part) / each(len(self.grid.wave(w)), ports)

    def _end_wave(self) -> None:
        self.at_wave.append(vector(self.clock) + self.skipper.added)

    def _end_all(self, sizes: np.ndarray) -> None:
        """End the waves that are left: those that ended in one stretch share by their blocks what was counted in it."""
        first = len(self.at_wave)
        before = self.at_wave[-1] if first else np.zeros_like(self.skipper.added)
        blocks = np.diff(sizes[max(first - 1, 0) :]) if first else np.diff(sizes, prepend=0)
        self.at_wave += shared(before, vector(self.clock) + self.skipper.added, blocks)

    @property
    def uneven(self) -> bool:
        """Whether SMs end blocks at several times and the last wave has not one for each place."""
        grid = self.grid
        return grid.slots > 1 and grid.waves > 1 and grid.blocks % grid.wave_blocks > 0

    def _note_admissions(self) -> None:
        """Note when blocks began: those that have come and gone since the last look, by now."""
        clock = self.clock
        warps = len(clock.warps) // len(clock.running)
        for place in range(len(self.admitted), int(clock.grid["admitted"][0])):
            slots = np.flatnonzero(clock.running == clock.order[place])
            begun = clock.warps["start"][slots[0] * warps] if slots.size else clock.sms["last_cycle"].max()
            self.admitted.append(float(begun) + self.skipper.cycles)
            if slots.size:
                self.skipper.admit(int(slots[0]))

    def course(self) -> Course:
        """Return what became of each wave."""
        clock = self.clock
        final = float(ended_at(clock).max())
        ends = np.cumsum([len(self.grid.part(w)) for w in self.part.waves.chosen])
        begun = starts(np.split(np.asarray(self.admitted), ends[:-1]))
        return Course(
            spans=np.diff([0.0, *begun[1:], final + self.skipper.cycles]),
            vectors=np.diff(np.stack([np.zeros_like(self.at_wave[0]), *self.at_wave]), axis=0),
            skipped=self.skipper.skipped,
            doubts=self.skipper.doubts,
        )


def starts(waves: Sequence[np.ndarray]) -> list[float]:
    """Return when waves began, from the cycles in which their blocks did: in the mean, as they go where others end.

    A last wave of fewer blocks takes the places that are free first, so it is compared with as many first ones of the
    wave before it: that one lasts no shorter because few blocks follow it.

    Example:
        >>> starts([np.array([0.0, 0.0]), np.array([100.0, 200.0]), np.array([300.0])])
        [0.0, 150.0, 350.0]

    """
    begun = [float(waves[0].mean())]
    for before, wave in pairwise(waves):
        first = min(len(before), len(wave))
        begun.append(begun[-1] + float(wave[:first].mean() - before[:first].mean()))
    return begun


def shared(before: np.ndarray, after: np.ndarray, blocks: np.ndarray) -> list[np.ndarray]:
    """Return what was counted when each wave ended, of waves that ended in one stretch: by their blocks.

    Example:
        >>> [float(one[0]) for one in shared(np.array([200.0]), np.array([320.0]), np.array([10, 2]))]
        [300.0, 320.0]

    """
    return [before + (after - before) * part for part in np.cumsum(blocks) / blocks.sum()]
