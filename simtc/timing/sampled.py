"""Time a launch of any size by a part of it: one SM, a few waves of blocks, a few iterations of each long loop.

The first SM runs in the clock. Warps are taken along the kernel's skeleton past most laps of a long loop; waves in the
middle of the grid stand for those between them. The other SMs appear as what they leave of L2's and DRAM's bandwidth,
and as what they have brought into L2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from simtc.arch import Device
from simtc.bundle import bundle
from simtc.machine.arena import Arena
from simtc.machine.faults import fault_error
from simtc.machine.functional import WORK_WORDS
from simtc.machine.lowering import Lowered
from simtc.machine.micro import Control, Family
from simtc.machine.state import CODE, MEMORY, STATE, Geometry, Memory, State, new_state
from simtc.machine.step import step
from simtc.models.occupancy import Occupancy
from simtc.results import Stall, Timing
from simtc.timing.chip import run_chip
from simtc.timing.footprint import Footprint, Footprints, Grid
from simtc.timing.residence import fill, resident
from simtc.timing.simulate import new_clock, read_timing, require_safety, room_of
from simtc.timing.skeleton import skeleton
from simtc.timing.skipping import Settled, Shortened, Skipper, Traveller
from simtc.timing.state import CACHES, CLOCK, SPAN, TABLE, Caches, Chip, Clock, Table
from simtc.timing.tables import clock_table
from simtc.timing.totals import chip_wide, restored, vector

__all__ = ["sample_launch"]

_LAPS_ROOM = 4096
_L2_ROOM = 1 << 26  # bytes: more than one SM fetches in the waves that are executed
_IN_STEP = 2  # resident blocks of which a barrier keeps a loop settled
_KEPT = (7, 13)  # laps of a shortened loop
_MANY = 30  # waves, of which the last one is like the others
_UNSETTLED = 0.02  # doubt about a cycle that was extrapolated from shortened loops
_UNEVEN = 0.25  # doubt about a last wave of drifting blocks: some SM gets one more of them than its share
_GONE = 0.25  # doubt about a warm launch of which nothing but the main loop's operands fits L2
_SHARED = 0.03  # doubt about a cycle in which warps wait for memory that other SMs use too


def sample_launch(
    lowered: Lowered,
    *,
    device: Device,
    grid: tuple[int, int, int],
    block: tuple[int, int, int],
    geometry: np.ndarray,
    literals: np.ndarray,
    memory: Memory,
    arena: Arena,
    warm: bool,
    progress: Callable[[int, int], None] | None = None,
) -> Timing:
    """Estimate the cycles of a launch. What memory holds afterwards is of no use.

    Raises:
        KernelFaultError: the kernel faulted.
        SimtcError: an instruction read a fixed-latency result before it was ready: a latency table is wrong.

    """
    geometry = geometry.copy()
    geometry[Geometry.TRACE] = 1
    room = room_of(lowered.kernel, device, block, geometry)
    blocks = grid[0] * grid[1] * grid[2]
    sms = min(device.sm_count, blocks)
    waves = Grid(blocks=blocks, sms=sms, slots=min(room.blocks, -(-blocks // sms)))
    bones = skeleton(lowered)
    prints = Footprints(
        lowered.code, bones, grid=waves, geometry=geometry, literals=literals, memory=memory, l2_bytes=device.l2_bytes,
        gpcs=device.gpcs,
    )  # fmt: skip
    held = resident(device, memory) if warm else None
    table = clock_table(lowered.kernel, device)
    loop = prints.main_loop
    drifts = loop >= 0 and not (waves.slots <= _IN_STEP and _has_barrier(lowered, bones.loops[loop]))
    chosen = _chosen(waves.waves, few=drifts)

    def run(skip: int | None) -> _Sample:
        state = new_state(literals, geometry, slots=waves.slots, work_words=WORK_WORDS)
        clock, caches = _one_sm(lowered, device, waves, room, chosen, memory, warm=warm)
        parts = bundle(STATE, state), bundle(MEMORY, memory), bundle(CODE, lowered.code)
        common: dict[str, Any] = {
            "traveller": Traveller(bones=bones, state=state, parts=parts),
            "clock": clock, "caches": caches, "blocks": len(clock.order), "block_warps": room.warps,
        }  # fmt: skip
        skipper = Settled(sms=sms, **common) if skip is None else Shortened(place=loop, skip=skip, **common)
        sample = _Sample(
            grid=waves,
            chosen=chosen,
            prints=prints,
            skipper=skipper,
            warm=held,
            clock=clock,
            caches=caches,
            parts=parts,
        )
        outcome = sample.run(table, progress)
        if outcome < 0:
            raise fault_error(outcome, lowered.kernel, state, arena, grid)
        require_safety(lowered.kernel, clock)
        return sample

    skips = [max(prints.laps - kept, 0) for kept in _KEPT] if bones.is_closed else [0, 0]
    if not drifts:
        sample = run(None if bones.is_closed else 0)
        course = sample.course()
    elif skips[1]:
        sample = run(skips[0])
        course = _extrapolated(sample.course(), run(skips[1]).course())
    else:
        sample = run(0)
        course = sample.course()
    scaled, cycles, doubt = _composed(sample, course)
    timing = read_timing(lowered.kernel, scaled, room, device)
    return replace(
        timing,
        cycles=cycles,
        fidelity="sampled",
        error_estimate=doubt + _shared_doubt(timing, sms) + sample.overflow,
        notes=(
            f"one SM of {sms} was simulated, in {len(chosen)} of {waves.waves} waves of blocks",
            f"of the {prints.laps:,} laps of each warp's main loop {course.skipped:,.0f} were skipped",
            "no values were computed: the arrays are as they were",
        ),
    )


def _has_barrier(lowered: Lowered, body: np.ndarray) -> bool:
    ops = lowered.code.ops[: len(body)]
    barrier = (ops["family"] == Family.CONTROL) & (ops["code"] == Control.BARRIER)
    return bool((barrier & (body > 0)).any())


def _chosen(waves: int, *, few: bool) -> list[int]:
    """Return the waves to execute: the first two, one in the middle and the last."""
    middle = {1} if few else {1, waves // 2}
    last = set() if few and waves >= _MANY else {waves - 1}
    return sorted(({0} | middle | last) & set(range(waves)))


def _one_sm(
    lowered: Lowered,
    device: Device,
    waves: Grid,
    room: Occupancy,
    chosen: list[int],
    memory: Memory,
    *,
    warm: bool,
) -> tuple[Clock, Caches]:
    """Return the first SM before its first block."""
    clock, caches = new_clock(
        lowered.kernel, device, sms=1, slots=waves.slots, room=room, laps=_LAPS_ROOM, shares=len(memory.starts),
        order=np.concatenate([waves.of_first_sm(w) for w in chosen]), l2_bytes=max(device.l2_bytes, _L2_ROOM),
    )  # fmt: skip
    caches.shares[:, 0] = memory.starts >> 5
    if not warm:
        clock.chip[Chip.CODE_FIRST] = device.sm.fetch.first_cycles
    return clock, caches


def _shared_doubt(timing: Timing, sms: int) -> float:
    """Return the doubt that comes from standing in for the other SMs."""
    waiting = timing.stalls[Stall.long_scoreboard.name] + timing.stalls[Stall.lg_throttle.name]
    return _SHARED * waiting / max(timing.warp_cycles, 1) if sms > 1 else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Course:
    """What became of the waves that an SM executed."""

    spans: np.ndarray  # (waves,) cycles until its next wave began, or the end
    vectors: np.ndarray  # (waves, places) what was counted meanwhile
    skipped: float  # laps of each warp
    doubts: float  # cycles by which the sum of the spans may be wrong


def _extrapolated(short: _Course, longer: _Course) -> _Course:
    """Return the course of the whole loop from two in which each warp went round it a few times, and more times."""
    if short.skipped <= longer.skipped:
        return longer
    times = longer.skipped / (short.skipped - longer.skipped)
    spans = longer.spans + times * (longer.spans - short.spans)
    vectors = longer.vectors + times * (longer.vectors - short.vectors)
    doubts = _UNSETTLED * float(spans.sum() - longer.spans.sum())
    return _Course(spans=spans, vectors=vectors.clip(0), skipped=longer.skipped, doubts=doubts)


@dataclass(slots=True, kw_only=True)
class _Sample:
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
        footprint = self.prints.of_wave(w)
        if footprint.active > 1:  # one queue for all slices, as wide as this SM's share of them
            chip[Chip.SLICES] = 1
            chip[Chip.SLICE_BYTES] = base[Chip.SLICES] * base[Chip.SLICE_BYTES] / (footprint.active * footprint.merged)
            if base[Chip.GPCS]:  # likewise of its GPC's port
                chip[Chip.GPCS], chip[Chip.GPC_BYTES] = 1, base[Chip.GPCS] * base[Chip.GPC_BYTES] / footprint.active
        chip[Chip.DRAM_BYTES] = base[Chip.DRAM_BYTES] / footprint.active
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

    def course(self) -> _Course:
        """Return what became of each wave."""
        final = float(max(self.clock.sms["last_cycle"].max(), self.clock.sms["drained"].max()))
        ends = np.cumsum([len(self.grid.of_first_sm(w)) for w in self.chosen])
        starts = [float(np.mean(self.admitted[first:last])) for first, last in zip([0, *ends[:-1]], ends, strict=True)]
        return _Course(
            spans=np.diff([*starts, final + self.skipper.cycles]),
            vectors=np.diff(np.stack([np.zeros_like(self.at_wave[0]), *self.at_wave]), axis=0),
            skipped=self.skipper.skipped,
            doubts=self.skipper.doubts,
        )


def _composed(sample: _Sample, course: _Course) -> tuple[Clock, int, float]:
    """Return the whole launch as a clock would have counted it, its cycles, and the doubt about them."""
    grid, chosen = sample.grid, sample.chosen
    stood = _stood_for(grid.waves, chosen)
    wide = chip_wide(sample.clock, sample.caches)
    total = np.zeros(len(wide))
    middle = [float(span) for span, times in zip(course.spans, stood, strict=True) if times > 1]
    spread = max(middle) - min(middle) if middle else 0.0
    cycles, doubts = 0.0, course.doubts
    for w, span, times, counted in zip(chosen, course.spans, stood, course.vectors, strict=True):
        cycles += times * float(span)
        doubts += (times - 1) * (spread / 2 + course.doubts / len(chosen))
        ratio = len(grid.wave(w)) / len(grid.of_first_sm(w))
        total += counted * times * np.where(wide, ratio, 1.0)
    if sample.uneven:
        doubts += _UNEVEN * float(course.spans[-1])
    issued = course.vectors.sum(axis=0) * (grid.blocks / len(sample.clock.order))
    return restored(sample.clock, sample.caches, total, issued), round(cycles), doubts / cycles


def _stood_for(waves: int, chosen: list[int]) -> list[float]:
    """Return how many waves each executed one stands for: those after the first are shared, but the last if it ran."""
    middle = [w for w in chosen if 0 < w < waves - 1]
    left = waves - len(chosen) + len(middle)
    return [left / len(middle) if w in middle else 1.0 for w in chosen]
