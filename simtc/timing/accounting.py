"""Where the cycles of warps went: charged to a cause at an instruction, and shown in the timeline."""

from __future__ import annotations

from typing import Final

import numpy as np

from simtc.jit import Arrays, Int, Record
from simtc.machine.types import int64, void
from simtc.results.stall import Stall
from simtc.timing.constants import STALLS, Counter
from simtc.timing.unit import CLOCK, INT, WARP, Cells, Sizes, Unit, compiled

__all__ = ["UNIT", "charge", "charge_all", "count_issue", "note_lap"]

_NOTHING: Final = -1  # in place of a cause


def _instructions(sizes: Sizes) -> tuple[int]:
    return (sizes.instructions,)


UNIT = Unit(
    name="accounting",
    warp=(
        ("since", np.int64),  # the cycle from which on `cause` is to be charged, at the instruction `instruction`
        ("cause", np.int32),  # why it does not issue, -1 for nothing to charge
        ("instruction", np.int32),
        ("shown_since", np.int64),  # the open slice of the timeline: its start, cause and instruction
        ("shown_cause", np.int32),
        ("shown_instruction", np.int32),
    ),
    chip={
        "stalls": Cells(of=INT, shape=lambda sizes: (sizes.instructions, STALLS)),  # cycles
        "issued": Cells(of=INT, shape=_instructions),
        "conflicts": Cells(of=INT, shape=_instructions),  # wavefronts beyond the ideal
        "sectors": Cells(of=INT, shape=_instructions),  # of global memory
        "counters": Cells(of=INT, shape=lambda _: (Counter.COUNT,)),
        "laps": Cells(of=INT, shape=lambda sizes: (sizes.laps, 3)),  # backward branches: instruction, warp, cycle
        "lap_count": Cells(of=INT, shape=lambda _: (1,)),  # seen, of which the first ones are kept
        "timeline": Cells(of=INT, shape=lambda sizes: (sizes.timeline, 5)),  # warp, instruction, cause, start, end
        "timeline_count": Cells(of=INT, shape=lambda _: (1,)),  # likewise
    },
    counters=(Counter.INSTRUCTIONS, Counter.IDEAL_WAVEFRONTS),
)


@compiled(void, CLOCK, WARP, int64, int64)
def _close(ck: Arrays, warp: Record, w: Int, now: Int) -> None:
    """End a warp's open slice."""
    if warp.shown_cause < 0 or warp.shown_since == now:
        warp.shown_cause = _NOTHING
        return
    n = ck.timeline_count[0]
    if n < ck.timeline.shape[0]:
        ck.timeline[n, 0], ck.timeline[n, 1], ck.timeline[n, 2] = w, warp.shown_instruction, warp.shown_cause
        ck.timeline[n, 3], ck.timeline[n, 4] = warp.shown_since, now
    ck.timeline_count[0] = n + 1
    warp.shown_cause = _NOTHING


@compiled(void, CLOCK, WARP, int64, int64, int64, int64)
def _show(ck: Arrays, warp: Record, w: Int, instruction: Int, cause: Int, now: Int) -> None:
    """Go on with a warp's open slice, or begin another where the cause or the instruction is a new one."""
    if warp.shown_cause == cause and warp.shown_instruction == instruction:
        return
    _close(ck, warp, w, now)
    warp.shown_since, warp.shown_cause, warp.shown_instruction = now, cause, instruction


@compiled(void, CLOCK, WARP, int64, int64, int64, int64)
def charge(ck: Arrays, warp: Record, w: Int, instruction: Int, cause: Int, now: Int) -> None:
    """Charge a warp's cycles up to now to the cause that it had, and note the one that it has from now on."""
    if warp.cause >= 0:
        ck.stalls[warp.instruction, warp.cause] += max(now - warp.since, 0)
    warp.cause, warp.instruction, warp.since = cause, instruction, now
    if ck.timeline.shape[0]:
        _show(ck, warp, w, instruction, cause, now)


@compiled(void, CLOCK, WARP, int64, int64, int64)
def count_issue(ck: Arrays, warp: Record, w: Int, instruction: Int, now: Int) -> None:
    """Count an instruction that issues now, in a cycle of its own."""
    ck.issued[instruction] += 1
    ck.counters[Counter.INSTRUCTIONS] += 1
    charge(ck, warp, w, instruction, int64(Stall.selected), now)
    ck.stalls[instruction, Stall.selected] += 1
    warp.cause = _NOTHING  # this cycle is charged
    if ck.timeline.shape[0]:
        _close(ck, warp, w, now + 1)


@compiled(void, CLOCK, int64, int64, int64)
def note_lap(ck: Arrays, instruction: Int, w: Int, now: Int) -> None:
    """Note a backward branch, as long as there is room."""
    lap = ck.lap_count[0]
    if lap < ck.laps.shape[0]:
        ck.laps[lap, 0], ck.laps[lap, 1], ck.laps[lap, 2] = instruction, w, now
        ck.lap_count[0] += 1


@compiled(void, CLOCK)
def charge_all(ck: Arrays) -> None:
    """Charge what warps have waited so far."""
    for w in range(ck.warps.size):
        warp = ck.warps[w]
        if warp.resident and warp.cause >= 0:
            now = ck.sms[ck.subs[warp.sub].sm].next
            ck.stalls[warp.instruction, warp.cause] += max(now - warp.since, 0)
            warp.since = max(warp.since, now)
