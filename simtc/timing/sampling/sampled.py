"""Time a launch of any size by a part of it: some SMs, a few waves of blocks, a few iterations of each long loop.

As many SMs run in the clock, side by side, as can be afforded. Warps are taken along the kernel's skeleton past most
laps of a long loop; waves in the middle of the grid stand for those between them. The other SMs appear as what they
leave of L2's and DRAM's bandwidth, and as what they have brought into L2. A small launch is executed whole.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from simtc.bundle import bundle
from simtc.machine.faults import fault_error
from simtc.machine.functional import WORK_WORDS
from simtc.machine.state import CODE, MEMORY, STATE, new_state
from simtc.results import Stall, Timing
from simtc.results.estimate import EXTRAPOLATED
from simtc.timing.clock import Clock
from simtc.timing.occupancy import Occupancy
from simtc.timing.reading import busy_cycles, read_timing, require_room, safety
from simtc.timing.request import ENDLESS, Request
from simtc.timing.sampling.footprint import Footprints
from simtc.timing.sampling.portion import Portion, portion
from simtc.timing.sampling.residence import resident
from simtc.timing.sampling.sample import Course, Sample
from simtc.timing.sampling.skeleton import Skeleton
from simtc.timing.sampling.skipping import Settled, Shortened, Traveller
from simtc.timing.sampling.survey import CannotSampleError, Traces
from simtc.timing.sampling.totals import chip_wide, restored
from simtc.timing.setup import new_clock, room_of
from simtc.timing.simulate import time_launch
from simtc.timing.units.aging import new_age
from simtc.timing.units.server import SERVER

__all__ = ["sample_launch"]

_LAPS_ROOM = 4096  # of each SM
_SECTOR = 32  # bytes
_L2_ROOM = 1 << 26  # bytes: more than some SMs fetch in the waves that are executed
_UNSETTLED = 0.02  # doubt about a cycle that was extrapolated from shortened loops
_UNEVEN = 0.25  # doubt about a last wave of blocks that do not end together: some SM gets one more than its share
_PART = 0.01  # doubt that comes from leaving out SMs at all: each goes its own way
_CROWDED = 0.1  # and about a launch in which L2 or DRAM is always busy; for one that is half of the time, none
_DRAWN = 2.0  # deviations of a mean over blocks that were drawn, where they differ
_SHARED = 0.06  # and about a cycle in which warps wait for memory that other SMs use too


def sample_launch(request: Request, bones: Skeleton) -> Timing:
    """Estimate the cycles of a launch. What memory holds afterwards is of no use.

    Where a part of it would not do what it does among the others, all of it is executed.

    Args:
        request: of a kernel without values.
        bones: its skeleton.

    Raises:
        KernelFaultError: the kernel faulted.
        SimtcError: the request is strict, and an instruction read a fixed-latency result before it was ready.

    """
    before = request.memory.bytes.copy() if bones.needs_data else request.memory.bytes
    try:
        return _sampled(request, bones)
    except CannotSampleError as why:
        request.memory.bytes[:] = before
        return _whole(request, str(why))


def _whole(request: Request, why: str) -> Timing:
    timing = time_launch(request)
    notes = (*timing.notes, f"all blocks were executed: {why}", "the arrays are as they were")
    return replace(timing, fidelity="sampled", error_estimate=0.0, notes=notes)


def _sampled(request: Request, bones: Skeleton) -> Timing:
    room = room_of(request)
    traces = Traces(request, bones)
    survey = traces.survey
    part = portion(request, room, bones, survey)
    if part is None:
        return _whole(request, "the launch is small")
    grid = part.grid
    samples = _run(request, room, bones, traces, part)
    unsafe = safety(request.lowered.kernel, samples[-1].clock, is_strict=request.is_strict)
    sample, course = samples[-1], samples[-1].course()
    if len(samples) > 1:
        course = _extrapolated(samples[0].course(), course)
    scaled, cycles, doubt = _composed(sample, course)
    doubt += _DRAWN * survey.uneven / math.sqrt(len(sample.clock.order))
    # what a resource had to do is extrapolated as well: where the two contradict each other, neither is known better
    doubt = max(doubt, max(busy_cycles(scaled, request.device).values()) / cycles - 1)
    timing = read_timing(request.lowered.kernel, scaled, room, request.device, cycles=cycles)
    return replace(
        timing,
        fidelity="sampled",
        error_estimate=doubt + _shared_doubt(timing, grid.sms, cycles),
        extrapolated=EXTRAPOLATED,
        notes=(
            *timing.notes,
            f"{grid.simulated} of {grid.sms} SMs were simulated, in {len(part.chosen)} of {grid.waves} waves of blocks",
            *_left_out(bones, survey.laps, course.skipped),
            *unsafe,
        ),
    )


def _left_out(bones: Skeleton, laps: int, skipped: float) -> tuple[str, str]:
    """Say what was not executed."""
    if not bones.is_closed:
        return "no lap was skipped: what blocks compute decides where they go", "the arrays are as they were"
    return (
        f"of the {laps:,} laps of each warp's main loop {skipped:,.0f} were skipped",
        "no values were computed: the arrays are as they were",
    )


def _run(request: Request, room: Occupancy, bones: Skeleton, traces: Traces, part: Portion) -> list[Sample]:
    """Execute the chosen part of a launch, once or twice."""
    lowered, device, memory = request.lowered, request.device, request.memory
    grid, survey = part.grid, traces.survey
    prints = Footprints(traces, grid, l2_bytes=device.l2_kept_bytes, gpcs=device.gpcs)
    held = resident(device, memory) if request.warm else None
    skips: list[int | None] = [max(survey.laps - kept, 0) for kept in part.kept]
    samples = []
    for skip in skips or [None if bones.is_closed else 0]:
        state = new_state(request.literals, request.traced(), slots=grid.simulated * grid.slots, work_words=WORK_WORDS)
        clock = _standing(request, part, room, held)
        parts = bundle(STATE, state), bundle(MEMORY, memory), bundle(CODE, lowered.code)
        common: dict[str, Any] = {
            "traveller": Traveller(
                bones=bones, state=state, parts=parts, main_loop=survey.main_loop, age=clock.age
            ),
            "clock": clock, "blocks": len(clock.order), "block_warps": room.warps,
        }  # fmt: skip
        sample = Sample(
            part=part,
            prints=prints,
            skipper=Settled(simulated=grid.simulated, sms=grid.sms, **common)
            if skip is None
            else Shortened(branch=survey.main_loop, skip=skip, **common),
            warm=held,
            clock=clock,
            parts=parts,
        )
        outcome = sample.run(request)
        if outcome in ENDLESS or (outcome < 0 and bones.from_memory):
            raise CannotSampleError("a part of it does not end well alone")
        if outcome < 0:
            raise fault_error(outcome, lowered.kernel, state, request.arena, request.grid)
        require_room(lowered.kernel, clock)
        samples.append(sample)
    return samples


def _standing(request: Request, part: Portion, room: Occupancy, held: np.ndarray | None) -> Clock:
    """Return the SMs before their first blocks; on the chip they stand as evenly behind its ports as all do."""
    device, memory, grid = request.device, request.memory, part.grid
    clock = new_clock(
        request.lowered.kernel, device, sms=grid.simulated, slots=grid.slots, room=room,
        laps=grid.simulated * _LAPS_ROOM, buffers=len(memory.starts), rested=request.rested, is_cold=not request.warm,
        timeline=request.slices, order=np.concatenate([grid.part(w) for w in part.chosen]),
        l2_bytes=max(device.l2_kept_bytes, _L2_ROOM),
    )  # fmt: skip
    clock.shares["first"] = memory.starts >> 5
    for kind, many in part.ports.items():
        clock.sms[kind] = np.arange(grid.simulated) * many // grid.simulated
    share = grid.simulated / grid.sms
    age = new_age(device.l2_kept_bytes * share, 0.0 if held is None else _SECTOR * len(held) * share)
    clock = clock.replaced(cpc_ports=np.zeros(part.ports["cpc"], SERVER), age=age)
    if part.chosen[-1] == grid.waves - 1 and grid.crowded:
        clock.grid["last_wave"] -= len(grid.part(grid.waves - 1))
        clock.grid["kept"] = grid.crowded
    clock.chip["blocks"]["sm_start_cycles"] *= grid.sms / grid.simulated
    return clock


def _shared_doubt(timing: Timing, sms: int, cycles: int) -> float:
    """Return the doubt that comes from standing in for the other SMs; at barriers, warps wait for those that do."""
    if sms == 1:
        return 0.0
    waiting = sum(timing.stalls[cause.name] for cause in (Stall.long_scoreboard, Stall.lg_throttle, Stall.barrier))
    busy = max(timing.resources[name] for name in ("L2", "DRAM")) / cycles
    return _PART + _CROWDED * max(2 * busy - 1, 0.0) + _SHARED * waiting / max(timing.warp_cycles, 1)


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
    grid, chosen = sample.grid, sample.part.chosen
    stood = _stood_for(grid.waves, chosen)
    wide = chip_wide(sample.clock)
    total = np.zeros(len(wide))
    middle = [float(span) for span, times in zip(course.spans, stood, strict=True) if times > 1]
    spread = max(middle) - min(middle) if middle else 0.0
    cycles, doubts = 0.0, course.doubts
    for w, span, times, counted in zip(chosen, course.spans, stood, course.vectors, strict=True):
        cycles += times * float(span)
        doubts += (times - 1) * (spread / 2 + course.doubts / len(chosen))
        total += counted * times * np.where(wide, 1 / grid.share(w), 1.0)
    if sample.uneven:
        doubts += _UNEVEN * float(course.spans[-1])
    cycles += sample.skipper.late
    issued = course.vectors.sum(axis=0) * (grid.blocks / len(sample.clock.order))
    return restored(sample.clock, total, issued), round(cycles), doubts / cycles


def _stood_for(waves: int, chosen: list[int]) -> list[float]:
    """Return how many waves each executed one stands for: those after the first are shared, but the last if it ran."""
    middle = [w for w in chosen if 0 < w < waves - 1]
    left = waves - len(chosen) + len(middle)
    return [left / len(middle) if w in middle else 1.0 for w in chosen]
