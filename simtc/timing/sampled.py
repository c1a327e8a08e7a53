"""Time a launch of any size by a part of it: one SM, a few waves of blocks, a few iterations of each long loop.

The first SM runs in the clock. Once a loop has settled, its warps are taken along the kernel's skeleton to its last
iterations, and the cycles between are added. Waves in the middle of the grid stand for those between them. The other
SMs appear as what they leave of L2's and DRAM's bandwidth, and as what they have brought into L2.
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
from simtc.machine.micro import PREDICATES, WARP_WORDS, Control, Family
from simtc.machine.state import CODE, MEMORY, STATE, Code, Geometry, Memory, State, Waiting, new_state
from simtc.machine.step import step
from simtc.results import Stall, Timing
from simtc.timing.chip import run_chip
from simtc.timing.footprint import Footprint, Footprints, Grid
from simtc.timing.forward import Plan, forward
from simtc.timing.residence import fill, resident
from simtc.timing.simulate import new_clock, read_timing, require_safety, room_of
from simtc.timing.skeleton import Skeleton, skeleton
from simtc.timing.state import CACHES, CLOCK, TABLE, Caches, Chip, Clock
from simtc.timing.steady import Laps, Steady
from simtc.timing.tables import clock_table
from simtc.timing.totals import chip_wide, restored, vector, with_counts

__all__ = ["sample_launch"]

_WINDOWS = 1  # of the clock, between two looks at it
_KEPT_LAPS = 3  # of a loop, executed at its end
_LEAST_SKIP = 4
_LAPS_ROOM = 4096
_L2_ROOM = 1 << 26  # bytes: more than one SM fetches in the waves that are executed
_LIMIT = 100_000_000
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
    kernel = lowered.kernel
    room = room_of(kernel, device, block, geometry)
    blocks = grid[0] * grid[1] * grid[2]
    sms = min(device.sm_count, blocks)
    waves = Grid(blocks=blocks, sms=sms, slots=min(room.blocks, -(-blocks // sms)))
    geometry = geometry.copy()
    geometry[Geometry.TRACE] = 1
    chosen = sorted({0, 1, waves.waves // 2, waves.waves - 1} & set(range(waves.waves)))
    order = np.concatenate([waves.of_first_sm(w) for w in chosen])
    state = new_state(literals, geometry, slots=waves.slots, work_words=WORK_WORDS)
    clock, caches = new_clock(
        kernel, device, sms=1, slots=waves.slots, room=room, order=order, laps=_LAPS_ROOM,
        l2_bytes=max(device.l2_bytes, _L2_ROOM), shares=len(memory.starts),
    )  # fmt: skip
    caches.shares[:, 0] = memory.starts >> 5
    bones = skeleton(lowered)
    prints = Footprints(
        lowered.code, bones, grid=waves, geometry=geometry, literals=literals, memory=memory, l2_bytes=device.l2_bytes
    )
    one = _Sample(
        bones=bones, grid=waves, chosen=chosen, prints=prints, clock=clock, caches=caches, state=state,
        code=lowered.code, parts=(bundle(STATE, state), bundle(MEMORY, memory), bundle(CODE, lowered.code)),
        clocked=(bundle(CLOCK, clock), bundle(TABLE, clock_table(kernel, device)), bundle(CACHES, caches)),
        warm=resident(device, caches, memory) if warm else None,
    )  # fmt: skip
    outcome = one.run(progress)
    if outcome < 0:
        raise fault_error(outcome, kernel, state, arena, grid)
    require_safety(kernel, clock)
    scaled, cycles, doubt = one.composed()
    timing = read_timing(kernel, scaled, room, device)
    return replace(
        timing,
        cycles=cycles,
        fidelity="sampled",
        error_estimate=doubt + _shared_doubt(timing, sms) + one.overflow,
        notes=one.notes(),
    )


def _shared_doubt(timing: Timing, sms: int) -> float:
    """Return the doubt that comes from standing in for the other SMs."""
    waiting = timing.stalls[Stall.long_scoreboard.name] + timing.stalls[Stall.lg_throttle.name]
    return _SHARED * waiting / max(timing.warp_cycles, 1) if sms > 1 else 0.0


@dataclass(slots=True, kw_only=True)
class _Sample:
    """One SM on its way through the waves that stand for the launch."""

    bones: Skeleton
    grid: Grid
    chosen: list[int]
    prints: Footprints
    clock: Clock
    caches: Caches
    state: State
    parts: tuple[Any, Any, Any]  # bundles: state, memory, code
    clocked: tuple[Any, Any, Any]  # clock, table, caches
    code: Code
    warm: np.ndarray | None  # sectors that L2 held before the launch
    base: np.ndarray = field(init=False)  # the chip's own constants
    offset: float = 0.0  # cycles that were added, not executed
    doubts: float = 0.0  # cycles by which they may be wrong
    skipped: int = 0  # laps
    entered: int = 0  # waves
    admitted: list[float] = field(default_factory=list)  # when the first SM got each of its blocks
    added: np.ndarray = field(init=False)  # what the skipped laps would have added to the vector
    at_wave: list[np.ndarray] = field(default_factory=list)  # the vector at the end of each executed wave
    laps: dict[int, Laps] = field(default_factory=dict)
    marks: list[tuple[int, np.ndarray]] = field(default_factory=list)  # cycle and vector, round by round
    resident: bytes = b""

    def __post_init__(self) -> None:
        self.base = self.clock.chip.copy()
        self.added = np.zeros_like(vector(self.clock, self.caches))

    def run(self, progress: Callable[[int, int], None] | None) -> int:
        """Execute the chosen waves; return 1, or a fault."""
        span = np.zeros(4, np.int64)
        (state, mem, code), (clock, table, cached) = self.parts, self.clocked
        self._enter()
        sizes = np.cumsum([len(self.grid.of_first_sm(w)) for w in self.chosen])
        while True:
            outcome = int(run_chip(step, state, mem, code, clock, table, cached, span, _WINDOWS))
            if outcome:
                self.at_wave.append(vector(self.clock, self.caches) + self.added)
                return outcome
            self._note_admissions()
            done = int(self.clock.grid[2])
            while len(self.at_wave) < len(sizes) - 1 and done >= sizes[len(self.at_wave)]:
                self.at_wave.append(vector(self.clock, self.caches) + self.added)
            if self.entered < len(sizes) and int(self.clock.grid[0]) > sizes[self.entered - 1]:
                self._enter()
                if progress:
                    progress(self.entered, len(sizes))
            self._look()

    def _enter(self) -> None:
        """Give the first SM its share of the chip for the wave that begins, and L2 what it holds by then."""
        w = self.chosen[self.entered]
        self.entered += 1
        chip, base = self.clock.chip, self.base
        footprint = self.prints.of_wave(w)
        chip[Chip.L2_BYTES] = base[Chip.L2_BYTES] / footprint.active
        chip[Chip.DRAM_BYTES] = base[Chip.DRAM_BYTES] / footprint.active
        self.caches.shares[:, 1], self.caches.shares[:, 2] = footprint.shares, footprint.shares * footprint.costs
        fill(self.caches, self.clocked[2], self._held(w, footprint))

    @property
    def overflow(self) -> float:
        """Return the doubt of a warm launch whose buffers do not fit L2: what is gone when is a matter of chance."""
        if self.warm is None:
            return 0.0
        return _GONE * float(1 - self.prints.of_wave(0).kept.min())

    def _held(self, w: int, footprint: Footprint) -> np.ndarray:
        held = self.prints.held(w, footprint) if footprint.has_hits else np.zeros(0, np.int64)
        if self.warm is None:
            return held
        return np.union1d(held, self.prints.part(self.warm, footprint.kept))

    def _note_admissions(self) -> None:
        warps = len(self.clock.warps) // self.grid.slots
        for place in range(len(self.admitted), int(self.clock.grid[0])):
            slot = int(np.flatnonzero(self.clock.running == self.clock.order[place])[0])
            self.admitted.append(float(self.clock.warps["start"][slot * warps]) + self.offset)

    def _look(self) -> None:
        """Read the log of backward branches; where a loop has settled, skip its laps."""
        clock = self.clock
        resident = clock.warps["resident"].tobytes()
        count = int(clock.lap_count[0])
        if resident != self.resident:
            self.resident, self.laps, self.marks = resident, {}, []
        elif count:
            warps = int(clock.warps["resident"].sum())
            for place, warp, cycle in clock.laps[:count].tolist():
                self.laps.setdefault(place, Laps(warps)).note(warp, cycle)
            rounds = max(len(laps.rounds) for laps in self.laps.values())
            if rounds > len(self.marks):
                self.marks += [(int(clock.sms["next"][0]), vector(clock, self.caches))] * (rounds - len(self.marks))
                for place, laps in self.laps.items():
                    steady = laps.settled() if self.bones.is_closed and place in self.bones.loops else None
                    if steady and self._skip(place, steady):
                        self.laps, self.marks = {}, []
                        break
        clock.lap_count[0] = 0

    def _skip(self, place: int, steady: Steady) -> bool:
        """Take all warps towards the last laps of the loop; return whether there was anything to skip."""
        body = self.bones.loops[place]
        resident = self.clock.warps["resident"]
        left = {w: self._forward(place, body, w, None, None) - _KEPT_LAPS for w in np.flatnonzero(resident).tolist()}
        rates = self.laps[place].rates(self._together(body))
        if min(left.values()) < 1 or set(rates) != set(left):
            return False
        cycles = min(left[w] / rates[w] for w in left)
        laps = {w: int(cycles * rates[w] + 0.5) for w in left}
        if max(laps.values()) < _LEAST_SKIP:
            return False
        counts = np.zeros(len(self.bones.parts), np.int64)
        for w, many in laps.items():
            self._forward(place, body, w, many, counts)
        (then, before), now = self.marks[-1 - steady.stretch], int(self.clock.sms["next"][0])
        more = (vector(self.clock, self.caches) - before) * (cycles / max(now - then, 1))
        self.added += with_counts(self.clock, more, counts, len(laps) * cycles)
        self.offset += cycles
        self.skipped += max(laps.values())
        self.doubts += steady.doubt * cycles
        return True

    def _together(self, body: np.ndarray) -> list[list[int]]:
        """Return the warps that a loop keeps in step: those of a block, where it has a barrier."""
        ops = self.code.ops[: len(body)]
        barrier = (ops["family"] == Family.CONTROL) & (ops["code"] == Control.BARRIER) & (body > 0)
        warps = np.arange(len(self.clock.warps))
        size = len(warps) // self.grid.slots if barrier.any() else 1
        return warps.reshape(-1, size).tolist()

    def _forward(self, place: int, body: np.ndarray, w: int, laps: int | None, counts: np.ndarray | None) -> int:
        """Take a warp so many laps on; without a number, only count those that are left."""
        state, warp = self.state, self.state.warps[w]
        bundled, mem, code = self.parts
        first = int(state.geometry[Geometry.LITERAL_WORDS]) + w * WARP_WORDS
        registers = state.F[first : first + WARP_WORDS]
        predicates = state.P[w * PREDICATES : (w + 1) * PREDICATES]
        before, block = warp.copy(), state.blocks.copy()
        saved = registers.copy(), predicates.copy()
        if before["waiting"] == Waiting.BARRIER:  # it stands behind its barrier until the others come
            warp["waiting"], warp["blocked"], warp["active"] = Waiting.READY, 0, before["alive"]
            warp["pc"] = before["lane_pc"][0]
        plan = np.zeros(Plan.COUNT, np.int64)
        plan[:] = place, _LIMIT if laps is None else laps, int(warp["pc"]), _LIMIT
        seen = np.zeros(len(body), np.int64) if counts is None else counts
        gone = int(forward(step, bundled, mem, code, self.bones.parts, body, seen, plan, w))
        state.blocks[:] = block
        if laps is None:
            state.warps[w], registers[:], predicates[:] = before, saved[0], saved[1]
            return max(gone, 0)
        executed = warp["executed"]
        for name in ("pc", "active", "blocked", "waiting", "lane_pc", "lane_wait"):
            warp[name] = before[name]
        warp["executed"] = executed
        return gone

    def composed(self) -> tuple[Clock, int, float]:
        """Return the whole launch as a clock would have counted it, its cycles, and the doubt about them."""
        final = float(max(self.clock.sms["last_cycle"].max(), self.clock.sms["drained"].max()))
        cycles = final + self.offset
        doubts = self.doubts
        spans = np.diff([0.0, *self.admitted_by_wave(), cycles])
        stood = _stood_for(self.grid.waves, self.chosen)
        vectors = np.diff(np.stack([np.zeros_like(self.added), *self.at_wave]), axis=0)
        wide = chip_wide(self.clock, self.caches)
        total = np.zeros_like(self.added)
        middle = [float(span) for span, times in zip(spans, stood, strict=True) if times > 1]
        spread = max(middle) - min(middle) if middle else 0.0
        for w, span, times, counted in zip(self.chosen, spans, stood, vectors, strict=True):
            cycles += (times - 1) * span
            doubts += (times - 1) * spread / 2
            ratio = len(self.grid.wave(w)) / len(self.grid.of_first_sm(w))
            total += counted * times * np.where(wide, ratio, 1.0)
        issued = vectors.sum(axis=0) * (self.grid.blocks / len(self.clock.order))
        return restored(self.clock, self.caches, total, issued), round(cycles), doubts / cycles

    def admitted_by_wave(self) -> list[float]:
        """Return when the blocks of each executed wave but the first came to the SM, on average."""
        sizes = [len(self.grid.of_first_sm(w)) for w in self.chosen]
        ends = np.cumsum(sizes)
        return [float(np.mean(self.admitted[end - size : end])) for size, end in zip(sizes[1:], ends[1:], strict=True)]

    def notes(self) -> tuple[str, ...]:
        """Say what was sampled."""
        waves, chosen = self.grid.waves, len(self.chosen)
        return (
            f"simulated was one SM of {self.grid.sms} in {chosen} of {waves} waves, without {self.skipped:,} loop laps",
            "no values were computed: the arrays are as they were",
        )


def _stood_for(waves: int, chosen: list[int]) -> list[float]:
    """Return how many waves each executed one stands for: those between the first and the last are shared equally."""
    middle = [w for w in chosen if 0 < w < waves - 1]
    return [(waves - 2) / len(middle) if w in middle else 1.0 for w in chosen]
