"""What the blocks of a launch fetch, wave after wave: what they share, and what L2 still holds from before.

One SM cannot see it: its misses are other SMs' hits. So the addresses of the first iterations of every block of a wave
are followed along the kernel's skeleton, and counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from simtc.bundle import bundle
from simtc.errors import SimtcError
from simtc.machine.functional import WORK_WORDS
from simtc.machine.state import CODE, MEMORY, STATE, Code, Geometry, Memory, new_state
from simtc.machine.step import step
from simtc.timing.forward import Plan, trace_blocks
from simtc.timing.skeleton import Skeleton

__all__ = ["SAMPLED_LAPS", "Footprint", "Footprints", "Grid"]

SAMPLED_LAPS = 2  # iterations of each block that are followed
_ROOM = 1 << 23  # sectors of one trace
_LIMIT = 100_000_000
_DEPTH = 6  # waves to look back
_BUCKETS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """How the blocks of a launch fall into waves: one to each SM, then a second one to each, as far as they go."""

    blocks: int
    sms: int
    slots: int

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
        return np.arange(w * self.wave_blocks, min((w + 1) * self.wave_blocks, self.blocks), dtype=np.int64)

    def of_first_sm(self, w: int) -> np.ndarray:
        """Return those of them that the first SM executes."""
        return self.wave(w)[:: self.sms].copy()

    def active(self, w: int) -> int:
        """Return how many SMs the wave occupies."""
        return min(self.sms, len(self.wave(w)))


@dataclass(frozen=True, slots=True, kw_only=True)
class Footprint:
    """What one wave fetches."""

    active: int  # SMs at work
    merged: float  # sectors that GPCs ask L2 for, for each that their SMs do
    shares: np.ndarray  # (buffers,) sectors that come from DRAM, for each that an SM misses
    hits: np.ndarray  # (buffers,) share of the sectors that L2 holds from before
    kept: np.ndarray  # (buffers,) share of what L2 held before the launch that is still there when it is needed
    costs: np.ndarray  # (buffers,) DRAM's work for each byte fetched, the results that it evicts included

    @property
    def has_hits(self) -> bool:
        """Whether L2 holds anything of use."""
        return bool((self.hits > 0).any())


class Footprints:
    """The footprints of a launch's waves."""

    def __init__(
        self,
        code: Code,
        bones: Skeleton,
        *,
        grid: Grid,
        geometry: np.ndarray,
        literals: np.ndarray,
        memory: Memory,
        l2_bytes: int,
        gpcs: int,
    ) -> None:
        self._bones, self._grid, self._memory, self._l2, self._gpcs = bones, grid, memory, l2_bytes, gpcs
        geometry = geometry.copy()
        geometry[Geometry.TRACE] = 1
        state = new_state(literals, geometry, slots=1, work_words=WORK_WORDS)
        self._parts: Any = (bundle(STATE, state), bundle(MEMORY, memory), bundle(CODE, code))
        self._samples: dict[int, tuple[np.ndarray, np.ndarray, float]] = {}
        self.main_loop, self.laps, self._loaded, self._stored = self._survey()

    def _trace(self, numbers: np.ndarray, laps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return what blocks touch, where each block's part ends, and the last warp's laps by branch."""
        plan = np.zeros(Plan.COUNT, np.int64)
        plan[:] = -1, laps, 0, _LIMIT
        if laps:
            plan[Plan.BRANCH] = self.main_loop
        log, count, ends = np.empty(_ROOM, np.int64), np.zeros(1, np.int64), np.zeros(len(numbers), np.int64)
        seen = np.zeros(len(self._bones.parts), np.int64)
        state, mem, code = self._parts
        outcome = trace_blocks(step, state, mem, code, self._bones.parts, plan, log, count, seen, numbers, ends)
        if outcome < 0:
            raise SimtcError(f"the skeleton of the kernel faulted ({outcome})")
        return log[: count[0]].copy(), ends, seen

    def _survey(self) -> tuple[int, int, np.ndarray, int]:
        """Follow one block to its end: its busiest loop and its laps, the sectors it loads by buffer, and stores."""
        log, _, laps = self._trace(np.zeros(1, np.int64), 0)
        weight = {branch: int(laps[branch]) * int(body.sum()) for branch, body in self._bones.loops.items()}
        busiest = max(weight, key=lambda branch: weight[branch], default=-1)
        sectors = _distinct(log)
        loaded = np.bincount(self.buffers(sectors[sectors & 1 == 0] >> 1), minlength=len(self._memory.starts))
        return busiest, int(laps[busiest]) if busiest >= 0 else 0, loaded, int((sectors & 1).sum())

    def _sample(self, w: int) -> tuple[np.ndarray, np.ndarray, float]:
        """Return the sectors that the first iterations of a wave's blocks load.

        Returns:
            Those of each SM, those of all of them, and how many GPCs ask for, for each that an SM does.

        """
        if w not in self._samples:
            numbers = self._grid.wave(w)
            log, ends, _ = self._trace(numbers, SAMPLED_LAPS)
            sm = np.repeat(np.arange(len(numbers)) % self._grid.sms, np.diff(ends, prepend=0))
            loads = log & 1 == 0
            keys = _distinct((sm[loads] << 40) | (log[loads] >> 1))
            each = keys & ((1 << 40) - 1)
            gpc = (keys >> 40) * max(self._gpcs, 1) // self._grid.sms
            merged = len(_distinct((gpc << 40) | each)) / max(len(keys), 1) if self._gpcs else 1.0
            self._samples[w] = each, _distinct(each), merged
        return self._samples[w]

    @property
    def _scale(self) -> float:
        """What a whole block fetches, for each sector of its first iterations."""
        return (self.laps + 1) / (SAMPLED_LAPS + 1) if self.laps > SAMPLED_LAPS else 1.0

    def buffers(self, sectors: np.ndarray) -> np.ndarray:
        """Return the buffer that each sector lies in."""
        return np.searchsorted(self._memory.starts, 32 * sectors, side="right") - 1

    def of_wave(self, w: int) -> Footprint:
        """Return the footprint of a wave, without what L2 held before the launch."""
        each, every, merged = self._sample(w)
        buffers = len(self._memory.starts)
        known = np.zeros(len(every), bool)
        blocks = min(self._grid.wave_blocks, self._grid.blocks)
        apart = np.ones(buffers, bool)  # buffers that only the ends of the blocks load, such as C
        apart[self.buffers(every)] = False
        stored = 32.0 * self._stored * blocks
        alone = 32.0 * float(self._loaded[apart].sum()) * blocks
        together, streamed = every, 0.0
        for before in range(w - 1, max(w - 1 - _DEPTH, -1), -1):
            if 16 * self._scale * len(every) > self._l2:  # too much, whatever the wave before was
                break
            earlier = self._sample(before)[1]
            streamed += 32 * self._scale * (len(earlier) + len(every)) / 2
            together = np.union1d(together, earlier)
            kept = min(streamed, 32 * self._scale * len(together)) + (stored + alone) * (w - before)
            if kept > self._l2:
                break
            known |= np.isin(every, earlier, assume_unique=True)
        of_every = self.buffers(every)
        total = np.bincount(self.buffers(each), minlength=buffers)
        unique = np.bincount(of_every, minlength=buffers)
        hits = np.bincount(of_every[known], minlength=buffers) / np.maximum(unique, 1)
        fetched = 32 * self._scale * float((unique * (1 - hits)).sum())
        in_loop, at_end = _evicted(w, fetched, alone, stored, self._l2)
        return Footprint(
            active=self._grid.active(w),
            merged=merged,
            shares=np.where(total > 0, unique / np.maximum(total, 1), 1.0),
            hits=hits,
            kept=np.where(apart, np.clip((self._l2 - fetched) / max(alone + stored, 1.0), 0.0, 1.0), 1.0),
            costs=np.where(apart, 1 + at_end, 1 + in_loop),
        )

    def held(self, w: int, footprint: Footprint) -> np.ndarray:
        """Return the sectors of the first SM's blocks of a wave that L2 holds from earlier waves."""
        return self.part(_distinct(self._trace(self._grid.of_first_sm(w), 0)[0] >> 1), footprint.hits)

    def part(self, sectors: np.ndarray, shares: np.ndarray) -> np.ndarray:
        """Return a share of sectors, by the buffer that they lie in: always the same ones."""
        chance = (sectors * 2654435761 >> 7) % _BUCKETS
        found: np.ndarray = sectors[chance < shares[self.buffers(sectors)] * _BUCKETS]
        return found


def _distinct(numbers: np.ndarray) -> np.ndarray:
    """Return the numbers in ascending order, each once (numpy's own way hashes them, which takes longer)."""
    ordered = np.sort(numbers)
    first = np.ones(len(ordered), bool)
    first[1:] = ordered[1:] != ordered[:-1]
    found: np.ndarray = ordered[first]
    return found


def _evicted(w: int, fetched: float, alone: float, stored: float, capacity: float) -> tuple[float, float]:
    """Return the bytes of results that a wave's fetches drive from L2 to DRAM, for each byte: in its loop, at its end.

    What comes into L2 drives out what came `capacity` bytes before. A wave brings what its loop fetches, then what
    only the ends of its blocks load and what they store, mixed.
    """
    period = fetched + alone + stored

    def results(position: float) -> float:
        whole, rest = divmod(max(position, 0.0), period)
        return whole * stored + max(rest - fetched, 0.0) * stored / max(alone + stored, 1.0)

    if not period:
        return 0.0, 0.0
    begin, middle, end = (w * period + part - capacity for part in (0.0, fetched, period))
    return (results(middle) - results(begin)) / max(fetched, 1.0), (results(end) - results(middle)) / max(alone, 1.0)
