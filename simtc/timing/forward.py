"""Take warps along their skeleton: through a loop without executing it, or through a block to see what it touches."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, TypeAlias

from simtc.jit import Array, Int, jit
from simtc.machine.run import start_block
from simtc.machine.state import CODE, MEMORY, STATE, Code, Event, Memory, Outcome, State
from simtc.machine.step import STEP
from simtc.machine.types import BYTES, LONGS, int64
from simtc.timing.skeleton import Part

__all__ = ["Plan", "forward", "trace_blocks"]

Step: TypeAlias = Any

_RUN, _ACCESS, _STORE = int(Part.RUN), int(Part.ACCESS), int(Part.STORE)


class Plan(IntEnum):
    """Places in the array that says how far to go."""

    BRANCH = 0  # the backward branch whose passes are laps
    LAPS = 1  # how many to go
    STOP = 2  # where to stop after them
    LIMIT = 3  # the most instructions
    COUNT = 4


@jit(int64(STEP, STATE, MEMORY, CODE, BYTES, BYTES, LONGS, LONGS, int64))
def forward(
    step: Step, s: State, mem: Memory, code: Code, parts: Array, body: Array, counts: Array, plan: Array, w: Int
) -> Int:
    """Take a warp so many laps on, or to where it leaves the loop; return the laps that it went, or a fault.

    `counts` grows by one at each instruction that the warp passes. A warp that leaves the loop has gone fewer laps
    than it should.
    """
    warp = s.warps[w]
    laps = int64(0)
    for _ in range(plan[Plan.LIMIT]):
        place = int64(warp.pc)
        if (laps >= plan[Plan.LAPS] and place == plan[Plan.STOP]) or not body[place]:
            return laps
        counts[place] += 1
        if not parts[place] & _RUN:
            warp.pc += 1
            continue
        outcome = step(s, mem, code, w)
        if outcome < 0:
            return outcome
        if outcome == Outcome.EXITED:
            return laps
        if place == plan[Plan.BRANCH] and s.event[Event.TAKEN] and warp.pc <= place:
            laps += 1
    return Outcome.INSTRUCTION_LIMIT


@jit(int64(STEP, STATE, MEMORY, CODE, BYTES, LONGS, LONGS, LONGS, LONGS, int64))
def _trace(
    step: Step,
    s: State,
    mem: Memory,
    code: Code,
    parts: Array,
    plan: Array,
    log: Array,
    count: Array,
    laps: Array,
    w: Int,
) -> Int:
    """Take a warp from its start to its end, or to a lap, and log twice each sector it touches, plus 1 for a store."""
    warp = s.warps[w]
    for _ in range(plan[Plan.LIMIT]):
        place = int64(warp.pc)
        if not parts[place]:
            warp.pc += 1
            continue
        outcome = step(s, mem, code, w)
        if outcome < 0:
            return outcome
        if outcome == Outcome.EXITED:
            return 0
        if parts[place] & _ACCESS:
            store = int64(1) if parts[place] & _STORE else int64(0)
            for k in range(s.event[Event.SECTORS]):
                if count[0] < log.size:
                    log[count[0]] = 2 * s.event[Event.LIST + k] + store
                    count[0] += 1
        elif s.event[Event.TAKEN] and warp.pc <= place:
            laps[place] += 1
            if place == plan[Plan.BRANCH] and laps[place] >= plan[Plan.LAPS]:
                return 0
    return Outcome.INSTRUCTION_LIMIT


@jit(int64(STEP, STATE, MEMORY, CODE, BYTES, LONGS, LONGS, LONGS, LONGS, LONGS, LONGS))
def trace_blocks(
    step: Step,
    s: State,
    mem: Memory,
    code: Code,
    parts: Array,
    plan: Array,
    log: Array,
    count: Array,
    laps: Array,
    numbers: Array,
    ends: Array,
) -> Int:
    """Trace blocks one after another; `ends` says where in the log each of them ends."""
    for i in range(numbers.size):
        start_block(s, 0, numbers[i])
        block = s.blocks[0]
        for w in range(block.first_warp, block.first_warp + block.warps):
            for place in range(laps.size):
                laps[place] = 0
            outcome = _trace(step, s, mem, code, parts, plan, log, count, laps, w)
            if outcome < 0:
                return outcome
        ends[i] = count[0]
    return 0
