"""The chip: its SMs side by side, block after block, until the grid is done."""

from __future__ import annotations

from typing import Any, TypeAlias

from simtc.jit import Array, Int, Record, jit
from simtc.machine.state import CODE, MEMORY, STATE, Code, Event, Geometry, Memory, Outcome, State, Waiting
from simtc.machine.step import STEP
from simtc.machine.types import LONGS, float64, int64, void
from simtc.results.stall import Stall
from simtc.timing.constants import ASLEEP, Chip, Counter, Pace, Pipe, Queue
from simtc.timing.issue import admit, check_hazards, follow, occupy, pick, turn
from simtc.timing.queue import advance, settle
from simtc.timing.record import close
from simtc.timing.state import CACHES, CLOCK, SM_RECORD, SUB_RECORD, TABLE, Caches, Clock, Table

__all__ = ["run_chip"]

Step: TypeAlias = Any  # simtc.machine.step.step, called through a pointer so that it is compiled once

_IDLE = ASLEEP
_ENDED = -2  # in place of a block's number: it has, and its stores are still on their way
_WINDOW = 4  # cycles that one SM may be ahead of another: they meet in L2, which serves in the order of asking


@jit(int64(SM_RECORD, LONGS, int64, int64))
def _next_event(sm: Record, wake: Array, cores: Int, now: Int) -> Int:
    """Return the next cycle in which anything can change."""
    best = int64(sm.moves_at)
    if sm.events > 0:
        best = min(best, sm.heap_time[0])
    for sub in range(sm.number * cores, (sm.number + 1) * cores):
        best = min(best, wake[sub])
    return max(best, now + 1)


@jit(void(STATE, CLOCK, int64, int64, int64))
def _go_on(s: State, ck: Clock, w: Int, epoch: Int, now: Int) -> None:
    """Set what a warp that has just issued waits for, and wake the warps of a barrier that it has completed."""
    machine, warp = s.warps[w], ck.warps[w]
    if warp.resident:
        at_barrier = machine.waiting == Waiting.BARRIER
        ck.until[w] = ASLEEP if at_barrier else warp.ready_at
        turn(ck, warp, w, int64(machine.pc), int64(Stall.barrier) if at_barrier else int64(warp.after), now + 1)
    else:
        ck.until[w] = ASLEEP
    ck.wake[warp.sub] = min(ck.wake[warp.sub], ck.until[w])
    block = s.blocks[machine.block]
    if block.epoch == epoch:
        return
    for other in range(block.first_warp, block.first_warp + block.warps):
        freed = ck.warps[other]
        if other != w and freed.resident:
            ck.until[other], ck.wake[freed.sub] = 0, 0
            if s.warps[other].pc != freed.place:
                turn(ck, freed, other, int64(s.warps[other].pc), int64(freed.cause), max(now, freed.since))


@jit(void(CLOCK, int64, int64))
def _ended(ck: Clock, sm: Int, slot: Int) -> None:
    """Note that a block has ended; its place is free when its stores have been answered."""
    ck.sms[sm].blocks -= 1
    ck.sms[sm].ending += 1
    ck.running[slot] = _ENDED
    ck.grid[Queue.DONE] += 1


@jit(int64(LONGS, int64))
def _is_for(grid: Array, sm: Int) -> Int:
    """Tell whether the next block of the grid is for an SM whose place is free."""
    left = grid[Queue.BLOCKS] - grid[Queue.ADMITTED]
    if grid[Queue.FOR] < 0 and grid[Queue.ADMITTED] >= grid[Queue.LAST_WAVE]:
        grid[Queue.FOR] = sm
    if grid[Queue.FOR] != sm:
        return int64(left > grid[Queue.KEPT])
    grid[Queue.KEPT] = max(grid[Queue.KEPT] - 1, 0)
    return int64(left > 0)


@jit(void(STATE, CLOCK, int64, int64))
def _replace(s: State, ck: Clock, sm: Int, now: Int) -> None:
    """Replace blocks that have ended by the next ones of the grid.

    One unit of the chip counts the ends of blocks, one after another.
    """
    slots, warps = int64(ck.chip[Chip.SLOTS]), int64(ck.chip[Chip.WARPS])
    for slot in range(sm * slots, (sm + 1) * slots):
        if ck.running[slot] != _ENDED:
            continue
        stores, answered = 0, now
        for w in range(slot * warps, (slot + 1) * warps):
            stores += ck.warps[w].stores
            answered = max(answered, ck.warps[w].stored)
        if stores > 0:
            continue
        ck.running[slot] = -1
        ck.sms[sm].ending -= 1
        more = _is_for(ck.grid, sm)
        ck.counted[0] = max(ck.counted[0], float64(answered if more else now)) + ck.chip[Chip.LAUNCH_BLOCK]
        if more:
            admit(s, ck, sm, slot, ck.order[ck.grid[Queue.ADMITTED]], int64(ck.counted[0]) + 1)
            ck.grid[Queue.ADMITTED] += 1


@jit(int64(SM_RECORD, SUB_RECORD[::1], int64))
def _draining(sm: Record, subs: Array, cores: Int) -> Int:
    """Tell whether stores of ended blocks are still on their way through the SM."""
    waiting = int64(sm.count)
    for sub in range(sm.number * cores, (sm.number + 1) * cores):
        waiting += subs[sub].count
    return waiting


@jit(int64(STEP, STATE, MEMORY, CODE, CLOCK, TABLE, LONGS, int64, int64, int64))
def _issue(
    step: Step,
    s: State,
    mem: Memory,
    code: Code,
    ck: Clock,
    table: Table,
    span: Array,
    sub: Int,
    w: Int,
    now: Int,
) -> Int:
    """Issue a warp's next instruction: execute it and set when the warp may go on; a negative result is a fault."""
    machine, warp, queue = s.warps[w], ck.warps[w], ck.subs[sub]
    place = int64(machine.pc)
    number = sub // int64(ck.chip[Chip.SUB_CORES])
    s.geometry[Geometry.CLOCK], s.geometry[Geometry.SM_ID] = now, number
    block = s.blocks[machine.block]
    epoch, active = int64(block.epoch), int64(machine.active)
    outcome = step(s, mem, code, w)
    if outcome < 0:
        s.event[Event.WARP], s.event[Event.BLOCK] = machine.index, ck.running[machine.block]
        return outcome
    check_hazards(warp, table, ck.counters, active, int64(s.event[Event.MASK]), place, now)
    ck.issued[place] += 1
    ck.counters[Counter.INSTRUCTIONS] += 1
    turn(ck, warp, w, place, int64(Stall.selected), now)
    ck.stalls[place, Stall.selected] += 1
    warp.cause = -1  # this cycle is charged
    if ck.slices.shape[0]:
        close(warp, ck.slices, ck.slice_count, w, now + 1)
    if s.event[Event.WAVEFRONTS]:
        ck.conflicts[place] += s.event[Event.WAVEFRONTS] - s.event[Event.IDEAL]
        ck.counters[Counter.IDEAL_WAVEFRONTS] += s.event[Event.IDEAL]
    op = table.ops[place]
    if op.pipe == Pipe.TENSOR:
        ck.pace[Pace.LAST] = max(ck.pace[Pace.LAST], now)
    occupy(ck, ck.sms[number], queue, warp, op, s.event, span, w, place, now)
    if op.is_branch and s.event[Event.TAKEN] and machine.pc <= place and ck.lap_count[0] < ck.laps.shape[0]:
        lap = ck.lap_count[0]
        ck.laps[lap, 0], ck.laps[lap, 1], ck.laps[lap, 2] = place, w, now
        ck.lap_count[0] += 1
    completed = int64(block.epoch != epoch)
    follow(ck, ck.sms[number], queue, op, s.warps, block, w, outcome, s.event[Event.TAKEN], completed, now)
    _go_on(s, ck, w, epoch, now)
    if outcome == Outcome.EXITED and block.live_warps == 0:
        _ended(ck, number, int64(machine.block))
    return outcome


@jit(int64(STATE, CLOCK, int64))
def _stuck(s: State, ck: Clock, number: Int) -> Int:
    """Say which warp of an SM in which nothing will ever happen waits for what."""
    slots, warps = int64(ck.chip[Chip.SLOTS]), int64(ck.chip[Chip.WARPS])
    outcome = int64(Outcome.HANGS)
    for w in range(number * slots * warps, (number + 1) * slots * warps):
        machine = s.warps[w]
        waits = machine.waiting == Waiting.BARRIER
        if ck.warps[w].resident and outcome == Outcome.HANGS:
            s.event[Event.WARP], s.event[Event.BLOCK] = machine.index, ck.running[machine.block]
            s.event[Event.PC], s.event[Event.MASK] = machine.pc, int64(machine.blocked)
            outcome = int64(Outcome.DEADLOCK) if waits else outcome
    return outcome


@jit(int64(STEP, STATE, MEMORY, CODE, CLOCK, TABLE, CACHES, LONGS, int64, int64))
def _run_sm(
    step: Step,
    s: State,
    mem: Memory,
    code: Code,
    ck: Clock,
    table: Table,
    caches: Caches,
    span: Array,
    number: Int,
    until: Int,
) -> Int:
    """Run one SM up to a cycle."""
    sm = ck.sms[number]
    cores = int64(ck.chip[Chip.SUB_CORES])
    count = int64(ck.chip[Chip.SLOTS]) * int64(ck.chip[Chip.WARPS])
    first, last = number * count, (number + 1) * count
    span[1], span[2], span[3] = last, cores, int64(ck.chip[Chip.QUEUE])
    span[4], span[5] = int64(ck.chip[Chip.OPERAND_FIRST]), int64(ck.chip[Chip.CONSTANT_FIRST])
    span[6], span[7] = int64(ck.chip[Chip.CODE_FIRST]), int64(ck.chip[Chip.CODE_LINE])
    while sm.next < until:
        now = sm.next
        if sm.events > 0 and sm.heap_time[0] <= now:
            settle(sm, ck.subs, ck.warps, ck.wake, ck.until, now)
        if sm.moves_at <= now:
            advance(sm, ck.subs, ck.warps, table.ops, caches, ck.wake, now)
        for core in range(cores):
            sub = number * cores + core
            if ck.wake[sub] > now:
                continue
            span[0] = first + core
            w = pick(ck, sm, s.warps, ck.subs[sub], table.ops, ck.code[number], span, sub, now)
            if w >= 0:
                outcome = _issue(step, s, mem, code, ck, table, span, sub, w, now)
                if outcome < 0:
                    return outcome
        if sm.ending:
            _replace(s, ck, number, now)
        sm.last_cycle = now + 1
        if sm.blocks == 0 and not _draining(sm, ck.subs, cores):
            sm.next = _IDLE
            return 0
        sm.next = _next_event(sm, ck.wake, cores, now)
        if sm.next >= _IDLE:  # nothing will ever happen
            return _stuck(s, ck, number)
    return 0


@jit(void(STATE, CLOCK))
def _fill(s: State, ck: Clock) -> None:
    """Hand out the first blocks: one to each SM, then a second one to each, as far as they go.

    All SMs start nearly at once; each sets its blocks up one after another, the first one in the place that goes first.
    """
    sms, slots = ck.sms.size, int64(ck.chip[Chip.SLOTS])
    each = ck.chip[Chip.SM_BLOCK] + ck.chip[Chip.SM_BLOCK_WARP] * ck.chip[Chip.WARPS]
    for slot in range(slots):
        for sm in range(sms):
            if ck.grid[Queue.ADMITTED] < ck.grid[Queue.BLOCKS]:
                start = int64(each * slot + ck.chip[Chip.SM_START] * sm)
                admit(s, ck, sm, (sm + 1) * slots - 1 - slot, ck.order[ck.grid[Queue.ADMITTED]], start)
                ck.grid[Queue.ADMITTED] += 1
    for sm in range(sms):
        ck.sms[sm].next = 0 if ck.sms[sm].blocks else _IDLE


@jit(void(CLOCK))
def _charge(ck: Clock) -> None:
    """Charge what warps have waited so far."""
    cores = int64(ck.chip[Chip.SUB_CORES])
    for w in range(ck.warps.size):
        warp = ck.warps[w]
        if warp.resident and warp.cause >= 0:
            now = ck.sms[warp.sub // cores].next
            ck.stalls[warp.place, warp.cause] += max(now - warp.since, 0)
            warp.since = max(warp.since, now)


@jit(void(CLOCK, int64))
def _set_pace(ck: Clock, now: Int) -> None:
    """Let the SMs' clock fall when a tensor instruction has issued, and rise when none has for a while.

    It is taken to be low before the first one, too. Everything is counted in cycles of that clock: what passes in L2
    and DRAM then takes other numbers of them.
    """
    pace = ck.pace
    slow = int64(pace[Pace.LAST] < 0 or now - pace[Pace.LAST] <= ck.chip[Chip.TENSOR_HOLD])
    if slow == pace[Pace.SLOW]:
        return
    for i in range(ck.faster.shape[0]):
        ck.chip[i] *= 1.0 / ck.faster[i] if slow else ck.faster[i]
    if not slow:
        pace[Pace.CYCLES] += now - pace[Pace.SINCE]
    pace[Pace.SLOW], pace[Pace.SINCE] = slow, now


@jit(int64(STEP, STATE, MEMORY, CODE, CLOCK, TABLE, CACHES, LONGS, int64))
def run_chip(
    step: Step, s: State, mem: Memory, code: Code, ck: Clock, table: Table, caches: Caches, span: Array, budget: Int
) -> Int:
    """Run until the grid is done or a stretch of `budget` windows ends; return 1 when done, 0 to go on, or a fault.

    Windows and stretches begin at multiples of their length, so they do not depend on when an SM has something to do.
    """
    if ck.grid[Queue.ADMITTED] == 0:
        _fill(s, ck)
    end = int64(-1)
    while True:
        first = int64(_IDLE)
        for sm in range(ck.sms.size):
            first = min(first, ck.sms[sm].next)
        if first == _IDLE:
            return 1
        if ck.faster.shape[0]:
            _set_pace(ck, first)
        window = first // _WINDOW
        if end < 0:
            end = window // budget * budget + budget
        if window >= end:
            _charge(ck)
            return 0
        until = _WINDOW * (end if ck.sms.size == 1 else window + 1)  # one SM alone meets no other
        for sm in range(ck.sms.size):
            if ck.sms[sm].next < until:
                outcome = _run_sm(step, s, mem, code, ck, table, caches, span, sm, until)
                if outcome < 0:
                    return outcome
