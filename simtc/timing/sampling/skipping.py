"""Two ways past the laps of a long loop, which is where a GEMM spends its time.

Where a barrier keeps warps in step, a loop settles: the laps that are skipped would have taken as long as those before
(`Settled`). Where warps drift apart nothing settles, so each goes round the loop a few times only; two runs that
differ in how often show what a lap costs (`Shortened`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from simtc.bundle import bundle
from simtc.machine.micro import PREDICATES, WARP_WORDS
from simtc.machine.state import Geometry, State, Waiting
from simtc.machine.step import step
from simtc.timing.clock import Clock
from simtc.timing.sampling.forward import PLAN, TRIP, Trip, forward
from simtc.timing.sampling.skeleton import Skeleton
from simtc.timing.sampling.steady import Laps, Steady, slowest
from simtc.timing.sampling.totals import vector, with_counts
from simtc.timing.units.aging import Age, brought, calm

__all__ = ["Settled", "Shortened", "Skipper", "Traveller"]

_KEPT_LAPS = 3  # of a loop, executed at its end
_LEAST_SKIP = 4
_BUSY = 0.6  # of DRAM's bandwidth: with less to do, it does not matter how much
_STARTED = 2  # laps after which a warp of a shortened loop is taken to its last ones
_LIMIT = 100_000_000


@dataclass(slots=True, kw_only=True)
class Traveller:
    """The warps that are simulated, and the kernel's skeleton to take them along."""

    bones: Skeleton
    state: State
    parts: tuple[Any, Any, Any]  # bundles: state, memory, code
    main_loop: int  # its backward branch
    age: np.ndarray  # of L2
    lap_bytes: float = 0.0  # that a warp's lap of the main loop brings into L2

    def left(self, branch: int, w: int) -> int:
        """Return how many laps of the loop a warp still has before it; 0 where it is not in it."""
        return max(self._forward(branch, w, None, np.zeros(len(self.bones.parts), np.int64)), 0)

    def take(self, branch: int, w: int, laps: int, counts: np.ndarray) -> int:
        """Take a warp so many laps on, to the same instruction; return how many it went."""
        return max(self._forward(branch, w, laps, counts), 0)

    def _forward(self, branch: int, w: int, laps: int | None, counts: np.ndarray) -> int:
        state, warp, body = self.state, self.state.warps[w], self.bones.loops[branch]
        bundled, mem, code = self.parts
        first = int(state.geometry[Geometry.LITERAL_WORDS]) + w * WARP_WORDS
        registers = state.F[first : first + WARP_WORDS]
        predicates = state.P[w * PREDICATES : (w + 1) * PREDICATES]
        before, block, saved = warp.copy(), state.blocks.copy(), (registers.copy(), predicates.copy())
        if before["waiting"] == Waiting.BARRIER:  # it goes on behind its barrier, or from where it has gone
            warp["waiting"], warp["blocked"], warp["active"] = Waiting.READY, 0, before["alive"]
            warp["pc"] = before["lane_pc"][0] if before["blocked"] else before["pc"]
        plan = np.zeros(1, PLAN)
        plan["branch"], plan["laps"], plan["stop"] = branch, _LIMIT if laps is None else laps, int(warp["pc"])
        plan["limit"] = _LIMIT
        trip = bundle(TRIP, Trip(plan, self.bones.parts, body, counts))
        gone = int(forward(step, bundled, mem, code, trip, w))
        state.blocks[:] = block
        if laps is None or gone < laps:  # only to count, or there were fewer: back
            state.warps[w], registers[:], predicates[:] = before, saved[0], saved[1]
            return gone if laps is None else 0
        for name in ("pc", "active", "blocked", "waiting", "lane_pc", "lane_wait"):
            warp[name] = before[name]
        if branch == self.main_loop:
            brought(self.age, gone * self.lap_bytes, 0.0)
        return gone


class Skipper(Protocol):
    """What looks at the backward branches of warps and skips laps."""

    traveller: Traveller
    block_warps: int
    skipped: float  # laps of each warp of each block, on average
    cycles: float  # that the skipped laps would have taken, where that is known
    doubts: float  # cycles by which that may be wrong
    added: np.ndarray  # what they would have added to the vector
    windows: int  # of the clock, between two looks

    @property
    def late(self) -> float:
        """Return the cycles by which the slowest SM is later than these."""

    def look(self, log: list[list[int]]) -> None:
        """Read backward branches, (instruction, warp, cycle) each, and skip what can be skipped."""

    def admit(self, slot: int) -> None:
        """Note that a new block has come."""


@dataclass(slots=True, kw_only=True)
class Settled:
    """Skip the laps of a loop that has settled, all warps at once."""

    traveller: Traveller
    clock: Clock
    blocks: int
    block_warps: int
    simulated: int  # SMs
    sms: int  # that they stand for
    windows: int = 64
    skipped: float = 0.0
    cycles: float = 0.0
    doubts: float = 0.0
    jitter: float = 0.0  # of a lap in the last wave
    gone: float = 0.0  # laps of the last wave
    added: np.ndarray = field(init=False)
    laps: dict[int, Laps] = field(default_factory=dict)
    marks: list[tuple[int, float, np.ndarray]] = field(default_factory=list)  # cycle, bytes brought, vector, by round
    resident: bytes = b""

    def __post_init__(self) -> None:
        self.added = np.zeros_like(vector(self.clock))

    def admit(self, slot: int) -> None:  # noqa: ARG002 - all skippers are told which
        """Start anew: the warps of another block are not in step yet."""
        self.laps, self.marks = {}, []
        self.jitter = self.gone = 0.0

    @property
    def late(self) -> float:
        """Return the cycles by which the slowest SM is later than these: the largest of as many sums of laps."""
        return self._slowest(self.jitter * math.sqrt(self.gone))

    @property
    def _now(self) -> int:
        sms = self.clock.sms
        return int(sms["next"][sms["blocks"] > 0].max(initial=0))

    def _slowest(self, spread: float) -> float:
        return slowest(spread, self.sms) - slowest(spread, self.simulated)

    def look(self, log: list[list[int]]) -> None:
        """Count rounds; skip once two stretches of them have taken the same time."""
        resident = self.clock.warps["resident"]
        if resident.tobytes() != self.resident:
            self.resident, self.laps, self.marks = resident.tobytes(), {}, []
            return
        for branch, warp, cycle in log:
            self.laps.setdefault(branch, Laps(int(resident.sum()))).note(warp, cycle)
        new = max(len(laps.rounds) for laps in self.laps.values()) - len(self.marks)
        if new > 0:
            self.marks += [(self._now, self.clock.age[Age.BROUGHT], vector(self.clock))] * new
            self.gone += new
            self.jitter = max(laps.jitter for laps in self.laps.values())
            for branch, laps in self.laps.items():
                steady = laps.settled() if branch in self.traveller.bones.loops else None
                if steady and self._skip(branch, steady):
                    self.laps, self.marks = {}, []
                    break

    def _skip(self, branch: int, steady: Steady) -> bool:
        """Take all warps towards the last laps of the loop; return whether there was anything to skip."""
        warps = np.flatnonzero(self.clock.warps["resident"]).tolist()
        slots = np.arange(len(self.clock.warps)).reshape(-1, self.block_warps).tolist()
        rates = self.laps[branch].rates(slots, steady.over)
        left: dict[int, int] = {}
        for w in warps:
            first = w - w % self.block_warps
            is_known = branch == self.traveller.main_loop and first in left  # a barrier keeps its warps in step
            left[w] = left[first] if is_known else self.traveller.left(branch, w) - _KEPT_LAPS
        if min(left.values()) < 1 or set(rates) != set(left):
            return False
        cycles = min(self._until_dram_differs(steady), *(left[w] / rates[w] for w in warps))
        laps = {w: int(cycles * rates[w] + 0.5) for w in warps}
        if max(laps.values()) < _LEAST_SKIP:
            return False
        if len(set(laps.values())) == 1:  # all in step
            cycles = laps[warps[0]] * steady.period
        counts = np.zeros(len(self.traveller.bones.parts), np.int64)
        for w, many in laps.items():
            self.skipped += self.traveller.take(branch, w, many, counts) / (self.blocks * self.block_warps)
        then, _, before = self.marks[-1 - steady.stretch]
        more = (vector(self.clock) - before) * (cycles / max(self._now - then, 1))
        self.added += with_counts(self.clock, more, counts, len(laps) * cycles)
        self.cycles += cycles
        self.gone += max(laps.values())
        self.doubts += steady.doubt * cycles + self._slowest(steady.jitter * math.sqrt(max(laps.values())))
        return True

    def _until_dram_differs(self, steady: Steady) -> float:
        """Return for how many cycles DRAM will have as much to do, results that leave L2 included, if that matters."""
        age = self.clock.age
        until, highest = calm(age)
        then, seen, _ = self.marks[-1 - steady.stretch]
        rate = float(age[Age.BROUGHT] - seen) / max(self._now - then, 1)
        if rate * (1 + highest) < _BUSY * float(self.clock.chip["dram"]["dram_measured_bytes_per_cycle"][0]):
            return math.inf
        return until / rate


@dataclass(slots=True, kw_only=True)
class Shortened:
    """Take each warp of each block to the last laps of a loop as soon as it has begun it."""

    traveller: Traveller
    branch: int  # the loop's backward branch
    skip: int  # laps
    clock: Clock
    blocks: int
    block_warps: int
    windows: int = 64
    skipped: float = 0.0
    cycles: float = 0.0
    doubts: float = 0.0
    late: float = 0.0  # warps that drift even each other out
    added: np.ndarray = field(init=False)
    gone: np.ndarray = field(init=False)  # laps of each warp

    def __post_init__(self) -> None:
        self.added = np.zeros_like(vector(self.clock))
        self.gone = np.zeros(len(self.clock.warps), np.int64)

    def admit(self, slot: int) -> None:
        """Note that the warps of a slot begin again."""
        self.gone[slot * self.block_warps : (slot + 1) * self.block_warps] = 0

    def look(self, log: list[list[int]]) -> None:
        """Take the warps on that have begun the loop."""
        for branch, w, _ in log:
            if branch != self.branch:
                continue
            self.gone[w] += 1
            if self.gone[w] == _STARTED and self.skip > 0:
                counts = np.zeros(len(self.traveller.bones.parts), np.int64)
                self.skipped += self.traveller.take(branch, w, self.skip, counts) / (self.blocks * self.block_warps)
