"""Time a launch of any size by a part of it: one SM, a few waves of blocks, a few iterations of each long loop.

The first SM runs in the clock. Warps are taken along the kernel's skeleton past most laps of a long loop; waves in the
middle of the grid stand for those between them. The other SMs appear as what they leave of L2's and DRAM's bandwidth,
and as what they have brought into L2.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from simtc.bundle import bundle
from simtc.machine.faults import fault_error
from simtc.machine.functional import WORK_WORDS
from simtc.machine.lowering import Lowered
from simtc.machine.micro import Control, Family
from simtc.machine.state import CODE, MEMORY, STATE, new_state
from simtc.models.occupancy import Occupancy
from simtc.results import Stall, Timing
from simtc.timing.constants import Chip
from simtc.timing.footprint import Footprints, Grid
from simtc.timing.reading import read_timing, require_safety
from simtc.timing.request import Request
from simtc.timing.residence import resident
from simtc.timing.sample import Course, Sample
from simtc.timing.setup import new_clock, room_of
from simtc.timing.skeleton import skeleton
from simtc.timing.skipping import Settled, Shortened, Traveller
from simtc.timing.state import Caches, Clock
from simtc.timing.tables import clock_table
from simtc.timing.totals import chip_wide, restored

__all__ = ["sample_launch"]

_LAPS_ROOM = 4096
_L2_ROOM = 1 << 26  # bytes: more than one SM fetches in the waves that are executed
_IN_STEP = 2  # resident blocks of which a barrier keeps a loop settled
_KEPT = (7, 13)  # laps of a shortened loop
_MANY = 30  # waves, of which the last one is like the others
_UNSETTLED = 0.02  # doubt about a cycle that was extrapolated from shortened loops
_UNEVEN = 0.25  # doubt about a last wave of drifting blocks: some SM gets one more of them than its share
_SHARED = 0.06  # doubt about a cycle in which warps wait for memory that other SMs use too


def sample_launch(request: Request) -> Timing:
    """Estimate the cycles of a launch. What memory holds afterwards is of no use.

    Raises:
        KernelFaultError: the kernel faulted.
        SimtcError: an instruction read a fixed-latency result before it was ready: a latency table is wrong.

    """
    lowered, device, memory, blocks = request.lowered, request.device, request.memory, request.blocks
    geometry, room, sms = request.traced(), room_of(request), min(device.sm_count, blocks)
    waves = Grid(blocks=blocks, sms=sms, slots=min(room.blocks, -(-blocks // sms)))
    bones = skeleton(lowered)
    prints = Footprints(
        lowered.code, bones, grid=waves, geometry=geometry, literals=request.literals, memory=memory,
        l2_bytes=device.l2_kept_bytes, gpcs=device.gpcs,
    )  # fmt: skip
    held = resident(device, memory) if request.warm else None
    table = clock_table(lowered.kernel, device)
    loop = prints.main_loop
    drifts = loop >= 0 and not (waves.slots <= _IN_STEP and _has_barrier(lowered, bones.loops[loop]))
    chosen = _chosen(waves.waves, few=drifts)

    def run(skip: int | None) -> Sample:
        state = new_state(request.literals, geometry, slots=waves.slots, work_words=WORK_WORDS)
        clock, caches = _one_sm(request, waves, room, chosen)
        parts = bundle(STATE, state), bundle(MEMORY, memory), bundle(CODE, lowered.code)
        common: dict[str, Any] = {
            "traveller": Traveller(bones=bones, state=state, parts=parts),
            "clock": clock, "caches": caches, "blocks": len(clock.order), "block_warps": room.warps,
        }  # fmt: skip
        skipper = Settled(sms=sms, **common) if skip is None else Shortened(place=loop, skip=skip, **common)
        sample = Sample(
            grid=waves,
            chosen=chosen,
            prints=prints,
            skipper=skipper,
            warm=held,
            clock=clock,
            caches=caches,
            parts=parts,
        )
        outcome = sample.run(table, request.progress)
        if outcome < 0:
            raise fault_error(outcome, lowered.kernel, state, request.arena, request.grid)
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


def _one_sm(request: Request, waves: Grid, room: Occupancy, chosen: list[int]) -> tuple[Clock, Caches]:
    """Return the first SM before its first block."""
    device, memory = request.device, request.memory
    clock, caches = new_clock(
        request.lowered.kernel, device, sms=1, slots=waves.slots, room=room, laps=_LAPS_ROOM, shares=len(memory.starts),
        order=np.concatenate([waves.of_first_sm(w) for w in chosen]), l2_bytes=max(device.l2_kept_bytes, _L2_ROOM),
        rested=request.rested,
    )  # fmt: skip
    caches.shares[:, 0] = memory.starts >> 5
    clock.chip[Chip.LAUNCH_BLOCK] *= waves.sms  # the others' blocks end as well
    clock.chip[Chip.CONSTANT_TURN] *= waves.sms / max(device.gpcs, 1)  # the others ask for constants as well
    if not request.warm:
        clock.chip[Chip.CODE_FIRST] = device.sm.fetch.first_cycles
    return clock, caches


def _shared_doubt(timing: Timing, sms: int) -> float:
    """Return the doubt that comes from standing in for the other SMs; at barriers, warps wait for those that do."""
    waiting = sum(timing.stalls[cause.name] for cause in (Stall.long_scoreboard, Stall.lg_throttle, Stall.barrier))
    return _SHARED * waiting / max(timing.warp_cycles, 1) if sms > 1 else 0.0


def _extrapolated(short: Course, longer: Course) -> Course:
    """Return the course of the whole loop from two in which each warp went round it a few times, and more times."""
    if short.skipped <= longer.skipped:
        return longer
    times = longer.skipped / (short.skipped - longer.skipped)
    spans = longer.spans + times * (longer.spans - short.spans)
    vectors = longer.vectors + times * (longer.vectors - short.vectors)
    doubts = _UNSETTLED * float(spans.sum() - longer.spans.sum())
    return Course(spans=spans, vectors=vectors.clip(0), skipped=longer.skipped, doubts=doubts)


def _composed(sample: Sample, course: Course) -> tuple[Clock, int, float]:
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
    cycles += sample.skipper.late
    issued = course.vectors.sum(axis=0) * (grid.blocks / len(sample.clock.order))
    return restored(sample.clock, sample.caches, total, issued), round(cycles), doubts / cycles


def _stood_for(waves: int, chosen: list[int]) -> list[float]:
    """Return how many waves each executed one stands for: those after the first are shared, but the last if it ran."""
    middle = [w for w in chosen if 0 < w < waves - 1]
    left = waves - len(chosen) + len(middle)
    return [left / len(middle) if w in middle else 1.0 for w in chosen]
