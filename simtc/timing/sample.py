"""One SM on its way through the waves that stand for a launch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from simtc.bundle import bundle
from simtc.machine.state import Memory, State
from simtc.machine.step import step
from simtc.timing.chip import run_chip
from simtc.timing.constants import SPAN, Chip, Pace
from simtc.timing.footprint import Footprint, Footprints, Grid
from simtc.timing.residence import fill
from simtc.timing.skipping import Shortened, Skipper
from simtc.timing.state import CACHES, CLOCK, TABLE, Caches, Clock, Table
from simtc.timing.totals import vector

__all__ = ["Course", "Sample"]

_GONE = 0.25  # doubt about a warm launch of which nothing but the main loop's operands fits L2


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """What became of the waves that an SM executed."""

    spans: np.ndarray  # (waves,) cycles until its next wave began, or the end
    vectors: np.ndarray  # (waves, places) what was counted meanwhile
    skipped: float  # laps of each warp
    doubts: float  # cycles by which the sum of the spans may be wrong


@dataclass(slots=True, kw_only=True)
class Sample:
    """One SM on its way through the waves that stand for the launch."""

    grid: Grid
    chosen: list[int]
    prints: Footprints
    skipper: Skipper
    clock: Clock
    caches: Caches
    parts: tuple[State, Memory, Any]
    warm: np.ndarray | None  # sectors that L2 held before the launch
    base: np.ndarray = field(init=False)  # the chip's own constants
    entered: int = 0  # waves
    admitted: list[float] = field(default_factory=list)  # when the SM got each of its blocks
    at_wave: list[np.ndarray] = field(default_factory=list)  # the vector at the end of each executed wave

    def __post_init__(self) -> None:
        self.base = self.clock.chip.copy()

    def run(self, table: Table, progress: Callable[[int, int], None] | None) -> int:
        """Execute the chosen waves; return 1, or a fault."""
        clock, span = self.clock, np.zeros(SPAN, np.int64)
        bundled, tabled, cached = bundle(CLOCK, clock), bundle(TABLE, table), bundle(CACHES, self.caches)
        state, mem, code = self.parts
        self._enter(cached)
        sizes = np.cumsum([len(self.grid.of_first_sm(w)) for w in self.chosen])
        while True:
            outcome = int(run_chip(step, state, mem, code, bundled, tabled, cached, span, self.skipper.windows))
            if outcome:
                self._end_wave()
                return outcome
            self._note_admissions()
            while len(self.at_wave) < len(sizes) - 1 and clock.grid[2] >= sizes[len(self.at_wave)]:
                self._end_wave()
            if self.entered < len(sizes) and clock.grid[0] > sizes[self.entered - 1]:
                self._enter(cached)
                if progress:
                    progress(self.entered, len(sizes))
            count = int(clock.lap_count[0])
            if count:
                self.skipper.look(clock.laps[:count].tolist())
                clock.lap_count[0] = 0

    def _enter(self, cached: Caches) -> None:
        """Give the SM its share of the chip for the wave that begins, and L2 what it holds by then."""
        w = self.chosen[self.entered]
        self.entered += 1
        chip, base = self.clock.chip, self.base
        rises = self.clock.faster if self.clock.faster.size and not self.clock.pace[Pace.SLOW] else np.ones(1)
        chip /= rises
        footprint = self.prints.of_wave(w)
        if footprint.active > 1:  # one queue for all slices, as wide as this SM's share of them
            chip[Chip.SLICES] = 1
            chip[Chip.SLICE_BYTES] = base[Chip.SLICES] * base[Chip.SLICE_BYTES] / (footprint.active * footprint.merged)
            chip[Chip.PACKET] = base[Chip.CLUSTER_SMS] * footprint.active / base[Chip.SMS] * base[Chip.PACKET]
            if base[Chip.GPCS]:  # likewise of its GPC's ports
                gpcs = base[Chip.GPCS] / footprint.active
                chip[Chip.GPCS], chip[Chip.GPC_BYTES] = 1, gpcs * base[Chip.GPC_BYTES]
                chip[Chip.GPC_L2_BYTES] = gpcs * base[Chip.GPC_L2_BYTES] / footprint.merged
        chip[Chip.DRAM_BYTES] = base[Chip.DRAM_BYTES] / footprint.active
        chip *= rises
        self.caches.shares[:, 1], self.caches.shares[:, 2] = footprint.shares, footprint.shares * footprint.costs
        fill(self.caches, cached, self._held(w, footprint))

    def _end_wave(self) -> None:
        self.at_wave.append(vector(self.clock, self.caches) + self.skipper.added)

    @property
    def overflow(self) -> float:
        """Return the doubt of a warm launch whose buffers do not fit L2: what is gone when is a matter of chance."""
        if self.warm is None:
            return 0.0
        return _GONE * float(1 - self.prints.of_wave(0).kept.min())

    @property
    def uneven(self) -> bool:
        """Whether blocks drift and the last wave has not one for each place."""
        full = self.grid.blocks % self.grid.wave_blocks == 0
        return isinstance(self.skipper, Shortened) and self.grid.waves > 1 and not full

    def _held(self, w: int, footprint: Footprint) -> np.ndarray:
        held = self.prints.held(w, footprint) if footprint.has_hits else np.zeros(0, np.int64)
        if self.warm is None:
            return held
        return np.union1d(held, self.prints.part(self.warm, footprint.kept))

    def _note_admissions(self) -> None:
        warps = len(self.clock.warps) // self.grid.slots
        for place in range(len(self.admitted), int(self.clock.grid[0])):
            slot = int(np.flatnonzero(self.clock.running == self.clock.order[place])[0])
            self.admitted.append(float(self.clock.warps["start"][slot * warps]) + self.skipper.cycles)
            self.skipper.admit(slot)

    def course(self) -> Course:
        """Return what became of each wave."""
        clock = self.clock
        final = float(max(clock.sms["last_cycle"].max(), clock.sms["drained"].max(), clock.counted[0]))
        ends = np.cumsum([len(self.grid.of_first_sm(w)) for w in self.chosen])
        starts = [float(np.mean(self.admitted[first:last])) for first, last in zip([0, *ends[:-1]], ends, strict=True)]
        return Course(
            spans=np.diff([*starts, final + self.skipper.cycles]),
            vectors=np.diff(np.stack([np.zeros_like(self.at_wave[0]), *self.at_wave]), axis=0),
            skipped=self.skipper.skipped,
            doubts=self.skipper.doubts,
        )
