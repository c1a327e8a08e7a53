"""Time a launch of any size by a part of it: some SMs, a few waves of blocks, a few iterations of each long loop.

As many SMs run in the clock, side by side, as can be afforded. Warps are taken along the kernel's skeleton past most
laps of a long loop; waves in the middle of the grid stand for those between them. The other SMs appear as what they
leave of L2's and DRAM's bandwidth, and as what they have brought into L2. A small launch is executed whole.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from simtc.bundle import bundle
from simtc.machine.faults import fault_error
from simtc.machine.functional import WORK_WORDS
from simtc.machine.state import CODE, MEMORY, STATE, new_state
from simtc.results import Timing
from simtc.results.estimate import EXTRAPOLATED
from simtc.timing.clock import Clock
from simtc.timing.constants import SECTOR
from simtc.timing.occupancy import Occupancy
from simtc.timing.reading import busy_cycles, read_timing, require_room, safety
from simtc.timing.request import ENDLESS, Request
from simtc.timing.sampling.doubt import UNSETTLED, half_width, of_counts, of_leaving, of_others, unchecked
from simtc.timing.sampling.footprint import Footprints
from simtc.timing.sampling.leaving import cycles_of_leaving
from simtc.timing.sampling.portion import Portion, portion
from simtc.timing.sampling.residence import resident
from simtc.timing.sampling.sample import Course, Sample
from simtc.timing.sampling.skeleton import Skeleton
from simtc.timing.sampling.skipping import Settled, Shortened, Traveller
from simtc.timing.sampling.survey import CannotSampleError, Traces
from simtc.timing.sampling.totals import chip_wide, restored
from simtc.timing.setup import new_clock, once_bytes, room_of
from simtc.timing.simulate import time_launch
from simtc.timing.units.aging import new_age
from simtc.timing.units.server import SERVER

__all__ = ["sample_launch"]

_LAPS_ROOM = 4096  # of each SM
_L2_ROOM = 1 << 26  # bytes: more than some SMs fetch in the waves that are executed


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
    part = portion(request, room, bones, traces)
    if part is None:
        return _whole(request, "the launch is small")
    grid, many = part.grid, len(part.waves.chosen)
    samples = _run(request, room, bones, traces, part)
    unsafe = safety(request.lowered.kernel, samples[-1].clock, is_strict=request.is_strict)
    sample, course = samples[-1], samples[-1].course()
    if len(samples) > 1:
        course = _extrapolated(samples[0].course(), course)
    scaled, cycles, doubts = _composed(sample, course)
    leaving = round(cycles_of_leaving(request, grid))
    cycles += leaving
    doubts |= of_leaving(leaving / cycles)
    timing = read_timing(request.lowered.kernel, scaled, room, request.device, cycles=cycles)
    doubts |= of_counts(
        busy=max(busy_cycles(scaled, request.device).values()) / cycles,
        uneven=survey.uneven,
        blocks=len(sample.clock.order),
        last_wave=float(course.spans[-1]) / cycles if sample.uneven else 0.0,
    )
    doubts |= of_others(timing, grid)
    return replace(
        timing,
        fidelity="sampled",
        error_estimate=half_width(doubts),
        doubts={name: doubt for name, doubt in doubts.items() if doubt},
        extrapolated=EXTRAPOLATED,
        notes=(
            *timing.notes,
            f"{grid.simulated} of {grid.sms} SMs were simulated, in {many} of {grid.waves} waves of blocks",
            *_left_out(bones, survey.laps, course.skipped),
            *_left_at_once(request.blocks - grid.blocks, request.blocks),
            *unchecked(request.lowered.kernel, int(scaled.issued.sum()), decides=not bones.is_closed),
            *unsafe,
        ),
    )


def _left_at_once(blocks: int, of: int) -> list[str]:
    """Say which blocks the counts leave out."""
    return [f"{blocks:,} of {of:,} blocks leave before they touch memory: only their cycles count"] if blocks else []


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
    prints = Footprints(traces, grid, l2_bytes=once_bytes(device), gpcs=device.gpcs)
    held = resident(device, memory) if request.warm else None
    skips: list[int | None] = [max(survey.laps - kept, 0) for kept in part.kept]
    samples = []
    for skip in skips or [None if bones.is_closed else 0]:
        state = new_state(request.literals, request.traced(), slots=grid.simulated * grid.slots, work_words=WORK_WORDS)
        clock = _standing(request, part, room, 0.0 if held is None else SECTOR * len(held), traces)
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


def _standing(request: Request, part: Portion, room: Occupancy, held: float, traces: Traces) -> Clock:
    """Return the SMs before their first blocks; on the chip they stand as evenly behind its ports as all do.

    L2 holds some bytes; a launch like this one left as large a share of them for DRAM as it stores to.
    """
    device, memory, grid = request.device, request.memory, part.grid
    clock = new_clock(
        request.lowered.kernel, device, sms=grid.simulated, slots=grid.slots, room=room,
        laps=grid.simulated * _LAPS_ROOM, buffers=len(memory.starts), rested=request.rested, is_cold=not request.warm,
        timeline=request.slices, order=np.concatenate([grid.part(w) for w in part.waves.chosen]),
        l2_bytes=max(device.l2_kept_bytes, _L2_ROOM),
    )  # fmt: skip
    clock.shares["first"] = memory.starts >> 5
    for kind, many in part.ports.items():
        clock.sms[kind] = np.arange(grid.simulated) * many // grid.simulated
    if device.gpcs:
        clock.sms["half"] = clock.sms["gpc"] & 1
    share = grid.simulated / grid.sms
    results = 0.0 if device.l2_dirty_bytes else min(traces.survey.stored * grid.blocks / max(traces.sectors, 1), 1.0)
    age = new_age(once_bytes(device) * share, share * held, share * held * results)
    clock = clock.replaced(cpc_ports=np.zeros(part.ports["cpc"], SERVER), age=age)
    if part.waves.chosen[-1] == grid.waves - 1 and grid.crowded and grid.simulated < grid.sms:
        clock.grid["last_wave"] -= len(grid.part(grid.waves - 1))
        clock.grid["kept"] = grid.crowded
    clock.chip["blocks"]["sm_start_cycles"] *= grid.sms / grid.simulated
    return clock


def _extrapolated(short: Course, longer: Course) -> Course:
    """Return the course of the whole loop from two in which each warp went round it a few times, and more times."""
    if short.skipped <= longer.skipped:
        return longer
    times = longer.skipped / (short.skipped - longer.skipped)
    spans = longer.spans + times * (longer.spans - short.spans)
    vectors = longer.vectors + times * (longer.vectors - short.vectors)
    doubts = UNSETTLED * float(spans.sum() - longer.spans.sum())
    return Course(spans=spans, vectors=vectors.clip(0), skipped=longer.skipped, doubts=doubts)


def _composed(sample: Sample, course: Course) -> tuple[Clock, int, dict[str, float]]:
    """Return the whole launch as a clock would have counted it, its cycles, and the doubts about their parts."""
    grid, waves = sample.grid, sample.part.waves
    wide = chip_wide(sample.clock)
    total = np.zeros(len(wide))
    passed = waves.trend(course.spans.tolist())
    cycles = 0.0
    for w, span, times, counted in zip(waves.chosen, course.spans, waves.times, course.vectors, strict=True):
        cycles += times * float(span)
        passed += (times - 1) * course.doubts / len(waves.chosen)
        total += counted * times * np.where(wide, 1 / grid.share(w), 1.0)
    cycles += sample.skipper.late
    issued = course.vectors.sum(axis=0) * (grid.blocks / len(sample.clock.order))
    doubts = {"laps skipped": course.doubts / cycles, "waves passed over": passed / cycles}
    return restored(sample.clock, total, issued), round(cycles), doubts
