"""Take warps along their skeleton: through a loop without executing it, or through a block to see what it touches."""

from __future__ import annotations

from enum import IntEnum
from typing import Any, TypeAlias

from simtc.jit import Array, Int, jit
from simtc.machine.run import start_block
from simtc.machine.state import CODE, MEMORY, STATE, Code, Event, Geometry, Memory, Outcome, State, Waiting
from simtc.machine.step import STEP
from simtc.machine.types import BYTES, LONGS, int64, void
from simtc.timing.skeleton import Part

__all__ = ["Plan", "forward", "trace_blocks"]

Step: TypeAlias = Any

_RUN, _ACCESS, _STORE = int(Part.RUN), int(Part.ACCESS), int(Part.STORE)
_TURN = 1024  # instructions that a warp of a block executes before the next one goes on


class Plan(IntEnum):
    """Places in the array that says how far to go."""

    BRANCH = 0  # the backward branch whose passes are laps
    LAPS = 1  # how many to go
    STOP = 2  # where to stop after them
    LIMIT = 3  # the most instructions
    VALUES = 4  # 1 where everything is executed, in place of the skeleton
    COUNT = 5


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


@jit(void(STATE, LONGS, LONGS, int64))
def _log(s: State, log: Array, count: Array, store: Int) -> None:
    """Log twice each sector that the last step touched, plus 1 for a store."""
    for k in range(s.event[Event.SECTORS]):
        if count[0] < log.size:
            log[count[0]] = 2 * s.event[Event.LIST + k] + store
            count[0] += 1


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
    """Take a warp along the skeleton from its start to its end, or to a lap, and log what it touches."""
    warp, first = s.warps[w], w * parts.size
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
            _log(s, log, count, int64(1) if parts[place] & _STORE else int64(0))
        elif s.event[Event.TAKEN] and warp.pc <= place:
            laps[first + place] += 1
            if place == plan[Plan.BRANCH] and laps[first + place] >= plan[Plan.LAPS]:
                return 0
    return Outcome.INSTRUCTION_LIMIT


@jit(int64(STEP, STATE, MEMORY, CODE, BYTES, LONGS, LONGS, LONGS, LONGS, int64))
def _turn(
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
    """Execute some instructions of a warp, and log what it touches in so many laps; return 0, or a fault."""
    warp, first = s.warps[w], w * parts.size
    for _ in range(_TURN):
        place = int64(warp.pc)
        s.geometry[Geometry.CLOCK] += 1
        outcome = step(s, mem, code, w)
        if outcome < 0:
            return outcome
        gone = plan[Plan.LAPS] > 0 and laps[first + plan[Plan.BRANCH]] >= plan[Plan.LAPS]
        if parts[place] & _ACCESS:
            if not gone:
                _log(s, log, count, int64(1) if parts[place] & _STORE else int64(0))
        elif s.event[Event.TAKEN] and warp.pc <= place:
            laps[first + place] += 1
        if outcome >= Outcome.BLOCKED:
            break
    return Outcome.INSTRUCTION_LIMIT if warp.executed > plan[Plan.LIMIT] else int64(0)


@jit(int64(STEP, STATE, MEMORY, CODE, BYTES, LONGS, LONGS, LONGS, LONGS))
def _execute(
    step: Step, s: State, mem: Memory, code: Code, parts: Array, plan: Array, log: Array, count: Array, laps: Array
) -> Int:
    """Execute a block until each of its warps has ended, or gone so many laps; those wait for the others if need be."""
    block = s.blocks[0]
    while True:
        progress, left = False, 0
        for gone in range(2):  # those that have gone their laps go on only where the others wait for them
            for w in range(block.first_warp, block.first_warp + block.warps):
                waiting = s.warps[w].waiting
                if waiting == Waiting.DONE:
                    continue
                laps_left = plan[Plan.LAPS] == 0 or laps[w * parts.size + plan[Plan.BRANCH]] < plan[Plan.LAPS]
                left += 1 if laps_left and not gone else 0
                if waiting != Waiting.READY or (gone == 0) != laps_left:
                    continue
                progress = True
                outcome = _turn(step, s, mem, code, parts, plan, log, count, laps, w)
                if outcome < 0:
                    s.event[Event.WARP] = s.warps[w].index
                    return outcome
            if not left:
                return 0
            if progress:
                break
        if not progress:
            return Outcome.DEADLOCK


@jit(int64(STEP, STATE, MEMORY, CODE, BYTES, LONGS, LONGS, LONGS, LONGS, LONGS, LONGS, LONGS))
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
    executed: Array,
) -> Int:
    """Trace blocks one after another, along their skeleton or with all that they compute.

    `laps` counts each warp's of the last block, by branch; `ends` says where in the log each block ends, `executed`
    how many instructions of each were.
    """
    for i in range(numbers.size):
        start_block(s, 0, numbers[i])
        block = s.blocks[0]
        s.event[Event.BLOCK] = numbers[i]
        for place in range(laps.size):
            laps[place] = 0
        if plan[Plan.VALUES]:
            outcome = _execute(step, s, mem, code, parts, plan, log, count, laps)
            if outcome < 0:
                return outcome
        else:
            for w in range(block.first_warp, block.first_warp + block.warps):
                outcome = _trace(step, s, mem, code, parts, plan, log, count, laps, w)
                if outcome < 0:
                    s.event[Event.WARP] = s.warps[w].index
                    return outcome
        ends[i] = count[0]
        for w in range(block.first_warp, block.first_warp + block.warps):
            executed[i] += s.warps[w].executed
    return 0
