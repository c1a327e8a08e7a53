"""An instruction issues: the machine executes it, and each unit that it needs takes note. Blocks end and begin."""

from __future__ import annotations

from typing import Any, Final, TypeAlias

from numba import types

from simtc.jit import Array, Arrays, Int, Record
from simtc.machine.state import CODE, MEMORY, STATE, Code, Event, Geometry, Memory, Outcome, State
from simtc.machine.types import LONGS, int64, void
from simtc.timing.accounting import count_issue, note_lap
from simtc.timing.constants import Access, Counter, Kind, Pipe
from simtc.timing.operation import OPERATION
from simtc.timing.safety import check
from simtc.timing.unit import CLOCK, SM, SUB, WARP, compiled
from simtc.timing.units import (
    barrier,
    blocks,
    dispatch,
    dvfs,
    lsu,
    operands,
    pipes,
    queued_barriers,
    scoreboards,
    shared_memory,
    special,
)
from simtc.timing.units.events import lower_board
from simtc.timing.units.fetch import waits_for_constant

__all__ = ["START", "STEP", "issue", "replace_blocks", "start"]

# The machine's `step` and `start_block`, called through pointers: neither has to be compiled for the other.
STEP: Final = types.FunctionType(int64(STATE, MEMORY, CODE, int64))
START: Final = types.FunctionType(void(STATE, int64, int64))
Step: TypeAlias = Any


@compiled(void, CLOCK, SUB, WARP, OPERATION, LONGS, int64, int64)
def _occupy(ck: Arrays, sub: Record, warp: Record, op: Record, event: Array, w: Int, now: Int) -> None:
    """Occupy ports, pipe and queue, and raise the scoreboards, of an instruction that issues."""
    sm = ck.sms[sub.sm]
    operands.read_operands(ck, sub, op, w, now)
    pipes.occupy(ck, sub, op, now)
    scoreboards.raise_boards(warp, op)
    if op.access == Access.BARRIER:
        queued_barriers.push_barrier(ck, sm, sub, warp, op, w, now)
        return
    if op.kind == Kind.MEMORY and (event[Event.MASK] or shared_memory.passes_off(ck, op)):
        lsu.push(ck, sm, sub, warp, op, event, w, now)
        return
    latency = op.latency + (waits_for_constant(ck, sm, op, now) if op.loads_constant else 0)
    if op.special:
        latency += special.serve_special(ck, sm, sub, op, now)
    if op.write_barrier >= 0:
        lower_board(sm, now + latency, w, op.write_barrier)
    if op.read_barrier >= 0:
        lower_board(sm, now + op.last_pass + int64(ck.chip.operands.source_read_cycles), w, op.read_barrier)


@compiled(void, STATE, CLOCK, SUB, int64, int64, int64, int64)
def _follow(s: State, ck: Arrays, sub: Record, w: Int, outcome: Int, epoch: Int, now: Int) -> None:
    """Set when a warp that has just issued may go on, and those of a barrier that it has completed."""
    machine, warp, sm = s.warps[w], ck.warps[w], ck.sms[sub.sm]
    block, op = s.blocks[machine.block], ck.ops[warp.instruction]
    dispatch.follow(ck, sub, warp, op, w, s.event[Event.TAKEN], now)
    completed = block.epoch != epoch
    if outcome == Outcome.EXITED:
        warp.resident = 0
        warp.lived += now + 1 - warp.start
    elif outcome == Outcome.BLOCKED or (completed and outcome == Outcome.BRANCHED):
        barrier.arrive(s, ck, sm, w, int64(op.access == Access.BARRIER), now)
    if completed:
        barrier.release(ck, sm, s.warps, block, now)
    dispatch.go_on(ck, warp, machine, w, now)
    if completed:
        barrier.wake_others(ck, s.warps, block, w, now)
    if outcome == Outcome.EXITED and block.live_warps == 0:
        blocks.end(ck, sm, machine.block)


@compiled(int64, STEP, STATE, MEMORY, CODE, CLOCK, SUB, int64, int64)
def issue(step: Step, s: State, mem: Memory, code: Code, ck: Arrays, sub: Record, w: Int, now: Int) -> Int:
    """Issue a warp's next instruction: execute it and set when the warp may go on; a negative result is a fault."""
    machine, warp, event = s.warps[w], ck.warps[w], s.event
    instruction, active, epoch = int64(machine.pc), int64(machine.active), s.blocks[machine.block].epoch
    s.geometry[Geometry.CLOCK], s.geometry[Geometry.SM_ID] = now, sub.sm
    outcome = step(s, mem, code, w)
    if outcome < 0:
        event[Event.WARP], event[Event.BLOCK] = machine.index, ck.running[machine.block]
        return outcome
    check(ck, warp, active, event[Event.MASK], instruction, now)
    count_issue(ck, warp, w, instruction, now)
    if event[Event.WAVEFRONTS]:
        ck.conflicts[instruction] += event[Event.WAVEFRONTS] - event[Event.IDEAL]
        ck.counters[Counter.IDEAL_WAVEFRONTS] += event[Event.IDEAL]
    ck.sectors[instruction] += event[Event.SECTORS]
    op = ck.ops[instruction]
    if op.pipe == Pipe.TENSOR:
        dvfs.note_tensor(ck, now)
    _occupy(ck, sub, warp, op, event, w, now)
    if op.is_branch and event[Event.TAKEN] and machine.pc <= instruction:
        note_lap(ck, instruction, w, now)
    _follow(s, ck, sub, w, outcome, epoch, now)
    return outcome


@compiled(void, START, STATE, CLOCK, SM, int64, int64)
def start(begin: Step, s: State, ck: Arrays, sm: Record, slot: Int, now: Int) -> None:
    """Start the next block of the grid in a slot."""
    begin(s, slot, ck.order[ck.grid.admitted])
    blocks.admit(ck, sm, s.blocks[slot], slot, now)


@compiled(void, START, STATE, CLOCK, SM, int64)
def replace_blocks(begin: Step, s: State, ck: Arrays, sm: Record, now: Int) -> None:
    """Replace the blocks of an SM that have ended by the next ones of the grid."""
    slots = int64(ck.chip.blocks.slots)
    for slot in range(sm.number * slots, (sm.number + 1) * slots):
        if ck.running[slot] == blocks.ENDED:
            at = blocks.retire(ck, sm, slot, now)
            if at >= 0:
                start(begin, s, ck, sm, slot, at)
