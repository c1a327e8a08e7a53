"""Take warps along their skeleton: through a loop without executing it, or through a block to see what it touches."""

from __future__ import annotations

from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np
from numba import from_dtype

from simtc.bundle import BundleType
from simtc.jit import Array, Int, jit
from simtc.machine.run import start_block
from simtc.machine.state import CODE, MEMORY, STATE, Code, Event, Geometry, Memory, Outcome, State, Waiting
from simtc.machine.step import STEP
from simtc.machine.types import BYTES, LONGS, int64, void
from simtc.timing.sampling.skeleton import Part

__all__ = ["PLAN", "TRACE", "TRIP", "Trace", "Trip", "forward", "trace_blocks"]

Step: TypeAlias = Any

_RUN, _ACCESS, _STORE = int(Part.RUN), int(Part.ACCESS), int(Part.STORE)
_STRETCH = 1024  # instructions that a warp of a block executes before the next one goes on


PLAN: Final = np.dtype(
    [
        ("branch", np.int64),  # the backward branch whose passes are laps
        ("laps", np.int64),  # how many to go
        ("stop", np.int64),  # where to stop after them
        ("limit", np.int64),  # the most instructions
        ("values", np.int64),  # 1 where everything is executed, in at of the skeleton
    ]
)


class Trip(NamedTuple):
    """A warp's way through a loop."""

    plan: Array  # one record
    parts: Array  # (instructions + 1,) uint8: the skeleton
    body: Array  # (instructions + 1,) uint8: 1 in the loop
    counts: Array  # grows by one at each instruction that the warp passes


class Trace(NamedTuple):
    """What blocks touch on their way."""

    plan: Array  # one record
    parts: Array  # (instructions + 1,) uint8: the skeleton
    log: Array  # twice each sector that was touched, plus 1 for a store
    count: Array  # (1,) how many of them
    laps: Array  # (warps, instructions + 1) of the last block's warps, by branch
    numbers: Array  # of the blocks
    ends: Array  # where in the log each block ends
    executed: Array  # instructions of each block


TRIP: Final = BundleType("Trip", {"plan": from_dtype(PLAN), "parts": BYTES, "body": BYTES, "counts": LONGS})
TRACE: Final = BundleType(
    "Trace",
    {**dict.fromkeys(Trace._fields, LONGS), "plan": from_dtype(PLAN), "parts": BYTES, "laps": int64[:, ::1]},
)


@jit(int64(STEP, STATE, MEMORY, CODE, TRIP, int64), from_python=True)
def forward(step: Step, s: State, mem: Memory, code: Code, trip: Trip, w: Int) -> Int:
    """Take a warp so many laps on, or to where it leaves the loop; return the laps that it went, or a fault.

    A warp that leaves the loop has gone fewer laps than it should.
    """
    warp, plan = s.warps[w], trip.plan
    laps = int64(0)
    for _ in range(plan.limit):
        at = int64(warp.pc)
        if (laps >= plan.laps and at == plan.stop) or not trip.body[at]:
            return laps
        trip.counts[at] += 1
        if not trip.parts[at] & _RUN:
            warp.pc += 1
            continue
        outcome = step(s, mem, code, w)
        if outcome < 0:
            return outcome
        if outcome == Outcome.EXITED:
            return laps
        if at == plan.branch and s.event[Event.TAKEN] and warp.pc <= at:
            laps += 1
    return Outcome.INSTRUCTION_LIMIT


@jit(void(STATE, TRACE, int64))
def _log(s: State, trace: Trace, store: Int) -> None:
    """Log twice each sector that the last step touched, plus 1 for a store."""
    for k in range(s.event[Event.SECTORS]):
        if trace.count[0] < trace.log.size:
            trace.log[trace.count[0]] = 2 * s.event[Event.LIST + k] + store
            trace.count[0] += 1


@jit(int64(STEP, STATE, MEMORY, CODE, TRACE, int64))
def _trace(step: Step, s: State, mem: Memory, code: Code, trace: Trace, w: Int) -> Int:
    """Take a warp along the skeleton from its start to its end, or to a lap, and log what it touches."""
    warp, plan, laps = s.warps[w], trace.plan, trace.laps
    for _ in range(plan.limit):
        at = int64(warp.pc)
        if not trace.parts[at]:
            warp.pc += 1
            continue
        outcome = step(s, mem, code, w)
        if outcome < 0:
            return outcome
        if outcome == Outcome.EXITED:
            return 0
        if trace.parts[at] & _ACCESS:
            _log(s, trace, int64(1) if trace.parts[at] & _STORE else int64(0))
        elif s.event[Event.TAKEN] and warp.pc <= at:
            laps[w, at] += 1
            if at == plan.branch and laps[w, at] >= plan.laps:
                return 0
    return Outcome.INSTRUCTION_LIMIT


@jit(int64(STEP, STATE, MEMORY, CODE, TRACE, int64))
def _advance(step: Step, s: State, mem: Memory, code: Code, trace: Trace, w: Int) -> Int:
    """Execute some instructions of a warp, and log what it touches in so many laps; return 0, or a fault."""
    warp, plan, laps = s.warps[w], trace.plan, trace.laps
    for _ in range(_STRETCH):
        at = int64(warp.pc)
        s.geometry[Geometry.CLOCK] += 1
        outcome = step(s, mem, code, w)
        if outcome < 0:
            return outcome
        gone = plan.laps > 0 and laps[w, plan.branch] >= plan.laps
        if trace.parts[at] & _ACCESS:
            if not gone:
                _log(s, trace, int64(1) if trace.parts[at] & _STORE else int64(0))
        elif s.event[Event.TAKEN] and warp.pc <= at:
            laps[w, at] += 1
        if outcome >= Outcome.BLOCKED:
            break
    return Outcome.INSTRUCTION_LIMIT if warp.executed > plan.limit else int64(0)


@jit(int64(STEP, STATE, MEMORY, CODE, TRACE))
def _execute(step: Step, s: State, mem: Memory, code: Code, trace: Trace) -> Int:
    """Execute a block until each of its warps has ended, or gone so many laps; those wait for the others if need be."""
    block, plan = s.blocks[0], trace.plan
    while True:
        progress, left = False, 0
        for gone in range(2):  # those that have gone their laps go on only where the others wait for them
            for w in range(block.first_warp, block.first_warp + block.warps):
                waiting = s.warps[w].waiting
                if waiting == Waiting.DONE:
                    continue
                laps_left = plan.laps == 0 or trace.laps[w, plan.branch] < plan.laps
                left += 1 if laps_left and not gone else 0
                if waiting != Waiting.READY or (gone == 0) != laps_left:
                    continue
                progress = True
                outcome = _advance(step, s, mem, code, trace, w)
                if outcome < 0:
                    s.event[Event.WARP] = s.warps[w].index
                    return outcome
            if not left:
                return 0
            if progress:
                break
        if not progress:
            return Outcome.DEADLOCK


@jit(int64(STEP, STATE, MEMORY, CODE, TRACE), from_python=True)
def trace_blocks(step: Step, s: State, mem: Memory, code: Code, trace: Trace) -> Int:
    """Trace blocks one after another, along their skeleton or with all that they compute."""
    for i in range(trace.numbers.size):
        start_block(s, 0, trace.numbers[i])
        block = s.blocks[0]
        s.event[Event.BLOCK] = trace.numbers[i]
        trace.laps[:] = 0
        if trace.plan.values:
            outcome = _execute(step, s, mem, code, trace)
            if outcome < 0:
                return outcome
        else:
            for w in range(block.first_warp, block.first_warp + block.warps):
                outcome = _trace(step, s, mem, code, trace, w)
                if outcome < 0:
                    s.event[Event.WARP] = s.warps[w].index
                    return outcome
        trace.ends[i] = trace.count[0]
        for w in range(block.first_warp, block.first_warp + block.warps):
            trace.executed[i] += s.warps[w].executed
    return 0
