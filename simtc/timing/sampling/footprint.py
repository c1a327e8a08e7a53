"""What the blocks of a launch fetch, wave after wave: what they share, and what L2 still holds from before.

The SMs that are simulated cannot see it: their misses are other SMs' hits. So the addresses of the first iterations of
every block of a wave are followed along the kernel's skeleton, and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from simtc.timing.constants import SECTOR
from simtc.timing.sampling.portion import Grid
from simtc.timing.sampling.survey import Traces, distinct

__all__ = ["Footprint", "Footprints"]

_LAPS = 2  # iterations of each block that are followed
_DEPTH = 6  # waves to look back
_BUCKETS = 1000
_MIX, _LOW = 2654435761, 7  # a product of which these bits depend on a number as if by chance
_SOME = 8  # of which one sector is looked at
_SM = 40  # bits of a sector's number, above which there is room for another one
_SECTOR = (1 << _SM) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """What one wave fetches."""

    merged: float  # sectors that GPCs ask L2 for, for each that their SMs do: of the chip's, by that of the part's
    shares: np.ndarray  # (buffers,) sectors that come from DRAM for the chip, for each that do for as large a part
    hits: np.ndarray  # (buffers,) share of the sectors that L2 holds from before
    fetched: float  # bytes that come from DRAM
    alone: float  # and those that only the ends of the blocks load, such as C
    stored: float  # bytes that it stores to

    @property
    def has_hits(self) -> bool:
        """Whether L2 holds anything of use."""
        return bool((self.hits > 0).any())


class _Loaded(NamedTuple):
    """What the first iterations of a wave's blocks load."""

    every: np.ndarray  # sectors, in ascending order
    part: np.ndarray  # those of the simulated SMs
    merged: float  # see Footprint


class Footprints:
    """The footprints of a launch's waves."""

    def __init__(self, traces: Traces, grid: Grid, *, l2_bytes: float, gpcs: int) -> None:
        self._traces, self._grid, self._l2, self._gpcs = traces, grid, l2_bytes, gpcs
        self._samples: dict[int, _Loaded] = {}

    def _sample(self, w: int) -> _Loaded:
        """Return the sectors that the first iterations of a wave's blocks load."""
        if w not in self._samples:
            numbers, sms = self._grid.wave(w), self._grid.sms
            log, ends = self._traces.of(numbers, _LAPS)
            many = np.diff(ends, prepend=0)
            sm = np.repeat(np.arange(len(numbers)) % sms, many)
            loads = log & 1 == 0
            own = np.repeat(np.isin(numbers, self._grid.part(w)), many)[loads]
            sm, sectors = sm[loads], log[loads] >> 1
            self._samples[w] = _Loaded(
                every=distinct(sectors),
                part=distinct(sectors[own]),
                merged=self._merged(sm, sectors) / self._merged(sm[own], sectors[own]) if self._gpcs else 1.0,
            )
        return self._samples[w]

    def _merged(self, sm: np.ndarray, sectors: np.ndarray) -> float:
        """Return how many sectors GPCs ask for, for each that an SM does; some of the sectors tell."""
        some = (sectors * _MIX >> _LOW) % _SOME == 0
        keys = distinct((sm[some] << _SM) | sectors[some])
        gpc = (keys >> _SM) * self._gpcs // self._grid.sms
        return len(distinct((gpc << _SM) | (keys & _SECTOR))) / max(len(keys), 1) or 1.0

    @property
    def sectors(self) -> int:
        """Sectors of all buffers."""
        return self._traces.sectors

    @property
    def laps(self) -> int:
        """Laps of the main loop of each warp."""
        return self._traces.survey.laps

    @property
    def _scale(self) -> float:
        """What a whole block fetches, for each sector of its first iterations."""
        return (self.laps + 1) / (_LAPS + 1) if self.laps > _LAPS else 1.0

    def of_wave(self, w: int) -> Footprint:
        """Return the footprint of a wave, without what L2 held before the launch."""
        loaded = self._sample(w)
        every = loaded.every
        survey = self._traces.survey
        buffers = len(survey.loaded)
        known = np.zeros(len(every), bool)
        blocks = min(self._grid.wave_blocks, self._grid.blocks)
        apart = np.ones(buffers, bool)  # buffers that only the ends of the blocks load, such as C
        apart[self._traces.buffers(every)] = False
        stored = SECTOR * survey.stored * blocks
        alone = SECTOR * float(survey.loaded[apart].sum()) * blocks
        together, streamed = every, 0.0
        for before in range(w - 1, max(w - 1 - _DEPTH, -1), -1):
            if 16 * self._scale * len(every) > self._l2:  # too much, whatever the wave before was
                break
            earlier = self._sample(before).every
            streamed += SECTOR * self._scale * (len(earlier) + len(every)) / 2
            together = distinct(np.concatenate([together, earlier]))
            kept = min(streamed, SECTOR * self._scale * len(together)) + (stored + alone) * (w - before)
            if kept > self._l2:
                break
            known |= np.isin(every, earlier, assume_unique=True)
        of_every = self._traces.buffers(every)
        unique = np.bincount(of_every, minlength=buffers)
        own = self._alike(np.bincount(self._traces.buffers(loaded.part), minlength=buffers))
        hits = np.bincount(of_every[known], minlength=buffers) / np.maximum(unique, 1)
        return Footprint(
            merged=loaded.merged,
            shares=np.where(own > 0, self._alike(unique) * self._grid.share(w) / np.maximum(own, 1), 1.0),
            hits=hits,
            fetched=SECTOR * self._scale * float((unique * (1 - hits)).sum()),
            alone=SECTOR * float(survey.loaded[apart].sum()) * len(self._grid.wave(w)),
            stored=SECTOR * survey.stored * len(self._grid.wave(w)),
        )

    def _alike(self, counts: np.ndarray) -> np.ndarray:
        """Return for each buffer the sum over those that are to other blocks what it is to one.

        The matrices of a batch lie one behind another, and a block touches one of each kind: those that the first
        block touches begin a kind each. A buffer alone would tell nothing: all who share it may be simulated.
        """
        kind = np.searchsorted(np.flatnonzero(self._traces.survey.loaded), np.arange(len(counts)), side="right")
        together: np.ndarray = np.bincount(kind, weights=counts)[kind]
        return together

    def held(self, w: int, footprint: Footprint) -> np.ndarray:
        """Return the sectors of a wave's simulated blocks that L2 holds from earlier waves: always the same ones."""
        sectors = distinct(self._traces.of(self._grid.part(w), 0)[0] >> 1)
        chance = (sectors * _MIX >> _LOW) % _BUCKETS
        found: np.ndarray = sectors[chance < footprint.hits[self._traces.buffers(sectors)] * _BUCKETS]
        return found
