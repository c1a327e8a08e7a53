"""One cycle of one sub-core: which warps could issue, which one does, and why the others do not."""

from __future__ import annotations

from simtc.jit import jit
from simtc.machine.run import start_block
from simtc.machine.state import CODE, MEMORY, STATE, Event, Geometry, Outcome, Waiting
from simtc.machine.step import STEP
from simtc.machine.types import int64, void
from simtc.results.stall import Stall
from simtc.timing.queue import at, push
from simtc.timing.state import CLOCK, TABLE, Access, Chip, Counter, Kind, Pipe

__all__ = ["admit", "cause_of", "issue", "pick"]

_LATE = 512  # as simtc.timing.tables marks rows
_VARIABLE = 2  # cycles after issue until a scoreboard's sources have been read, where nothing better is known


@jit(int64(CLOCK, STATE, TABLE, int64, int64, int64))
def cause_of(ck, s, table, sub, w, now):
    """Return why a warp cannot issue now; Stall.selected where it can."""
    machine, warp = s.warps[w], ck.warps[w]
    if machine.waiting == Waiting.BARRIER:
        return Stall.barrier
    if now < warp.ready_at:
        return warp.after
    op = table.ops[machine.pc]
    mask = op.wait_mask
    board = 0
    while mask:
        if mask & 1 and warp.counts[board] > 0:
            return Stall.long_scoreboard if warp.is_long[board] else Stall.short_scoreboard
        mask >>= 1
        board += 1
    if op.kind == Kind.WAIT and warp.counts[op.wait_board] > op.wait_count:
        return Stall.long_scoreboard if warp.is_long[op.wait_board] else Stall.short_scoreboard
    queue = ck.subs[sub]
    if queue.free[op.pipe] > now:
        return Stall.math_pipe_throttle
    if op.kind == Kind.MEMORY and queue.held >= int64(ck.chip[Chip.QUEUE]):
        return Stall.lg_throttle if op.is_long else Stall.mio_throttle
    return Stall.selected


@jit(int64(CLOCK, STATE, TABLE, int64, int64, int64, int64))
def pick(ck, s, table, sub, first, last, now):
    """Note every warp's cause and choose the one that issues, or -1: greedy, then the youngest.

    Warps that compete for the tensor pipe, the XU or the memory I/O queue take turns.
    """
    step = int64(ck.chip[Chip.SUB_CORES])
    chosen, oldest, before = int64(-1), int64(-1), ck.subs[sub].last
    for w in range(first, last, step):
        warp = ck.warps[w]
        if not warp.resident:
            continue
        warp.cause = cause_of(ck, s, table, sub, w, now)
        if warp.cause == Stall.selected:
            chosen = w
            if oldest < 0 or warp.issued_at < ck.warps[oldest].issued_at:
                oldest = w
    if chosen < 0:
        return chosen
    greedy = before >= first and before < last and ck.warps[before].resident and ck.warps[before].cause == Stall.selected
    if greedy and ck.warps[before].after != Stall.not_selected:
        pipe = table.ops[s.warps[before].pc].pipe
        chosen = oldest if pipe == Pipe.TENSOR or pipe == Pipe.XU or pipe == Pipe.MIO else before
    for w in range(first, last, step):
        warp = ck.warps[w]
        if warp.resident and warp.cause == Stall.selected and w != chosen:
            warp.cause = Stall.not_selected
    return chosen


@jit(void(CLOCK, TABLE, int64, int64, int64))
def _hazards(ck, table, w, place, now):
    """Check that every source with a fixed latency is ready, then note what this instruction writes."""
    op = table.ops[place]
    for i in range(op.first_read, op.first_read + op.reads):
        row = table.rows[i] & 511
        by = ck.written_by[w, row]
        if by < 0:
            continue
        missing = table.safe[by, op.consumer] - (now - ck.written_at[w, row])
        if table.rows[i] & _LATE:
            missing -= int64(ck.chip[Chip.WIDE_UPPER])
        if missing > 0:
            ck.counters[Counter.HAZARDS] += 1
            if missing > ck.counters[Counter.HAZARD_MISSING]:
                ck.counters[Counter.HAZARD_PLACE] = place
                ck.counters[Counter.HAZARD_ROW] = row
                ck.counters[Counter.HAZARD_MISSING] = missing
    for i in range(op.first_write, op.first_write + op.writes):
        row = table.rows[i] & 511
        ck.written_by[w, row] = op.producer + (1 if table.rows[i] & _LATE else 0)
        ck.written_at[w, row] = now


@jit(void(CLOCK, STATE, TABLE, int64, int64, int64, int64, int64))
def _occupy(ck, s, table, sm, sub, w, place, now):
    """Occupy the pipe and raise the scoreboards of an instruction that issues."""
    op = table.ops[place]
    queue, warp = ck.subs[sub], ck.warps[w]
    queue.free[op.pipe] = now + op.interval
    queue.busy[op.pipe] += op.interval
    if op.pipe == Pipe.NONE:
        queue.free[op.pipe] = 0
    for board in (op.write_barrier, op.read_barrier):
        if board >= 0:
            warp.counts[board] += 1
            warp.is_long[board] = op.is_long
    if op.kind == Kind.MEMORY and s.event[Event.MASK]:
        sectors = s.event[Event.SECTORS] if op.access >= Access.GLOBAL_LOAD else int64(0)
        wavefronts = max(s.event[Event.WAVEFRONTS], 1)
        i = push(ck, sm, sub, w, place, now, wavefronts, s.event[Event.LINES], sectors)
        for k in range(sectors):
            ck.entry_sectors[sub, i, k] = s.event[Event.LIST + k]
        if s.event[Event.WAVEFRONTS]:
            extra = wavefronts - s.event[Event.IDEAL]
            ck.conflicts[place] += extra
            ck.counters[Counter.IDEAL_WAVEFRONTS] += s.event[Event.IDEAL]
        return
    if op.write_barrier >= 0:
        at(ck, sm, now + op.latency, w * 16 + op.write_barrier)
    if op.read_barrier >= 0:
        at(ck, sm, now + (op.war if op.war else _VARIABLE), w * 16 + op.read_barrier)


@jit(void(CLOCK, STATE, int64, int64))
def _release(ck, s, slot, now):
    """Start the warps that a barrier has just let go."""
    block = s.blocks[slot]
    for w in range(block.first_warp, block.first_warp + block.warps):
        warp = ck.warps[w]
        if warp.at_barrier and s.warps[w].waiting != Waiting.BARRIER:
            warp.at_barrier = 0
            warp.ready_at = now + int64(ck.chip[Chip.BARRIER_RELEASE])
            warp.after = Stall.barrier


@jit(int64(STEP, STATE, MEMORY, CODE, CLOCK, TABLE, int64, int64, int64, int64))
def issue(step, s, mem, code, ck, table, sm, sub, w, now):
    """Issue a warp's next instruction: execute it and set when the warp may go on; a negative result is a fault."""
    machine, warp, queue = s.warps[w], ck.warps[w], ck.subs[sub]
    place = int64(machine.pc)
    op = table.ops[place]
    s.geometry[Geometry.CLOCK], s.geometry[Geometry.SM_ID] = now, sm
    _hazards(ck, table, w, place, now)
    outcome = step(s, mem, code, w)
    if outcome < 0:
        s.event[Event.WARP], s.event[Event.BLOCK] = machine.index, ck.running[machine.block]
        return outcome
    queue.last, warp.issued_at = w, now
    queue.issued += 1
    ck.issued[place] += 1
    ck.counters[Counter.INSTRUCTIONS] += 1
    _occupy(ck, s, table, sm, sub, w, place, now)
    stall = max(int64(op.stall), 1)
    if op.yields and stall == 1:
        stall = int64(ck.chip[Chip.STALL1_YIELD])
    warp.ready_at, warp.after = now + stall, Stall.wait
    if s.event[Event.TAKEN]:
        warp.ready_at, warp.after = now + int64(ck.chip[Chip.BRANCH_TAKEN]), Stall.branch_resolving
    if outcome == Outcome.BLOCKED:
        warp.at_barrier = 1
    elif outcome == Outcome.EXITED:
        warp.resident, warp.end = 0, now + 1
        _release(ck, s, machine.block, now)
    elif op.pipe == Pipe.ADU and outcome == Outcome.BRANCHED:
        warp.at_barrier = 1
        _release(ck, s, machine.block, now)
    return outcome


@jit(void(STATE, CLOCK, int64, int64, int64, int64))
def admit(s, ck, sm, slot, number, now):
    """Make a block resident: its warps start one after another."""
    start_block(s, slot, number)
    ck.running[slot] = number
    ck.sms[sm].blocks += 1
    block = s.blocks[slot]
    for w in range(block.first_warp, block.first_warp + block.warps):
        warp = ck.warps[w]
        after = ck.chip[Chip.LAUNCH_BASE] + ck.chip[Chip.LAUNCH_WARP] * (w - block.first_warp)
        warp.ready_at, warp.after, warp.start = now + int64(after), Stall.no_instruction, now
        warp.resident, warp.at_barrier, warp.issued_at = 1, 0, 0
        warp.copies_done, warp.stores_done = 0, 0
        for k in range(6):
            warp.counts[k] = 0
        for row in range(ck.written_by.shape[1]):
            ck.written_by[w, row] = -1
