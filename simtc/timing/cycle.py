"""A cycle of an SM: what is due comes, memory instructions move on, each sub-core picks a warp and issues."""

from __future__ import annotations

import math
from typing import Any, TypeAlias

from simtc.jit import Arrays, Int, Record, jit
from simtc.machine.state import CODE, MEMORY, STATE, Code, Memory, State
from simtc.machine.types import int64, void
from simtc.timing.issue import START, STEP, issue, replace_blocks
from simtc.timing.pipeline import CLOCK, SM
from simtc.timing.units import barrier, dispatch, events, fills, landing, lsu, scoreboards, waiting

__all__ = ["cycle"]

Step: TypeAlias = Any  # simtc.machine.step.step, and start_block


@jit(void(CLOCK, SM, int64))
def _settle(ck: Arrays, sm: Record, now: Int) -> None:
    """Let everything happen whose time has come, and wake those that waited for it."""
    while sm.event_count > 0 and sm.heap[0].time <= now:
        kind, number = sm.heap[0].kind, sm.heap[0].number
        events.pop(sm)
        if kind == events.FILL:
            if landing.is_held(ck, sm, number, now):
                continue
            fills.arrived(sm, number)
            sm.moves_at = min(sm.moves_at, max(now, int64(math.ceil(sm.stage_free))))
        elif kind == events.TURN:
            waiting.take_turn(ck, sm, now)
        elif kind == events.COME:
            barrier.come(sm, number)
        elif kind == events.ENTRY:
            lsu.free(ck, number)
        else:
            scoreboards.lower(ck, number, kind)


@jit(int64(STEP, START, STATE, MEMORY, CODE, CLOCK, SM, int64))
def cycle(step: Step, start: Step, s: State, mem: Memory, code: Code, ck: Arrays, sm: Record, now: Int) -> Int:
    """Let every unit of an SM do its work of one cycle; a negative result is a fault."""
    _settle(ck, sm, now)
    if sm.moves_at <= now:
        lsu.advance(ck, sm, now)
    if sm.barriers_passed:
        barrier.passed(s, ck, sm, now)
    for i in range(sm.first_sub, sm.end_sub):
        if ck.wake[i] <= now:
            sub = ck.subs[i]
            w = dispatch.pick(ck, sub, s.warps, now)
            if w >= 0:
                outcome = issue(step, s, mem, code, ck, sub, w, now)
                if outcome < 0:
                    return outcome
    if sm.ending:
        replace_blocks(start, s, ck, sm, now)
    return 0
