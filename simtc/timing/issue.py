"""One cycle of one sub-core: which warps could issue, which one does, and why the others do not."""

from __future__ import annotations

from typing import Any

from numba import from_dtype

from simtc.jit import Array, Int, Record, jit
from simtc.machine.run import start_block
from simtc.machine.state import BLOCK, STATE, WARP, Event, Outcome, State, Waiting
from simtc.machine.types import LONGS, int64, void
from simtc.results.stall import Stall
from simtc.timing.constants import ASLEEP, CLASS, ROWS, Access, Chip, Counter, Kind, Pipe
from simtc.timing.events import lower_board
from simtc.timing.fetch import fetching, misses_constant, waits_for_constant
from simtc.timing.hazards import GUARD
from simtc.timing.queue import push
from simtc.timing.record import show
from simtc.timing.stage import beside_tensor
from simtc.timing.state import CLOCK, OP_TIMING, SM_RECORD, SUB_RECORD, TABLE, WARP_RECORD, Clock, Table

__all__ = ["admit", "cause_of", "check_hazards", "follow", "occupy", "pick", "turn"]

_SOURCES_READ = 2  # cycles after issue until sources have been read, where nothing better is known
_FENCE_LOOKS = 8  # cycles between two looks at stores that have not left yet
MACHINE_WARP: Any = from_dtype(WARP)
MACHINE_BLOCK: Any = from_dtype(BLOCK)


@jit(int64(WARP_RECORD, OP_TIMING))
def _awaited(warp: Record, op: Record) -> Int:
    """Return the cause if the instruction waits for a scoreboard, Stall.selected if it does not."""
    mask, board = op.wait_mask, 0
    while mask:
        if mask & 1 and warp.counts[board] > 0:
            return Stall.long_scoreboard if warp.is_long[board] else Stall.short_scoreboard
        mask >>= 1
        board += 1
    if op.kind == Kind.WAIT and warp.counts[op.wait_board] > op.wait_count:
        return Stall.long_scoreboard if warp.is_long[op.wait_board] else Stall.short_scoreboard
    return Stall.selected


@jit(int64(CLOCK, SM_RECORD, WARP_RECORD, MACHINE_WARP, SUB_RECORD, OP_TIMING, LONGS, LONGS, int64, int64))
def cause_of(
    ck: Clock,
    sm: Record,
    warp: Record,
    machine: Record,
    queue: Record,
    op: Record,
    code: Array,
    span: Array,
    w: Int,
    now: Int,
) -> Int:
    """Return why a warp cannot issue now, Stall.selected where it can, and note until when that will stay so."""
    until = ck.until
    until[w] = ASLEEP
    if machine.waiting == Waiting.BARRIER:
        return Stall.barrier
    if now < warp.ready_at:
        until[w] = warp.ready_at
        return warp.after
    if span[6] and fetching(warp, code, span, int64(machine.pc), now):
        until[w] = warp.ready_at
        return Stall.no_instruction
    awaited = _awaited(warp, op)
    if awaited != Stall.selected:
        return awaited
    if op.is_fence and (warp.stores > 0 or warp.stored > now):
        until[w] = max(warp.stored, now + _FENCE_LOOKS)
        return Stall.membar
    until[w] = 0
    free = max(queue.free[op.pipe], queue.port_free) if op.pipe == Pipe.TENSOR else queue.free[op.pipe]
    if free > now:
        until[w] = free
        return Stall.math_pipe_throttle
    if op.kind == Kind.MEMORY and queue.held >= span[3]:
        return Stall.lg_throttle if op.is_long else Stall.mio_throttle
    if op.pipe == Pipe.ADU and warp.unread > 0 and op.is_barrier:
        return Stall.barrier
    if op.constant >= 0 and not op.loads_constant and misses_constant(sm, warp, op, ck.chip, ck.asked, span[4], now):
        until[w] = warp.ready_at
        return Stall.imc_miss
    return Stall.selected


@jit(void(CLOCK, WARP_RECORD, int64, int64, int64, int64))
def turn(ck: Clock, warp: Record, w: Int, place: Int, cause: Int, now: Int) -> None:
    """Charge a warp's cycles up to now to the cause that it had, and note the one that it has from now on."""
    if warp.cause >= 0:
        ck.stalls[warp.place, warp.cause] += max(now - warp.since, 0)
    warp.cause, warp.place, warp.since = cause, place, now
    if ck.slices.shape[0]:
        show(warp, ck.slices, ck.slice_count, w, place, cause, now)


@jit(int64(WARP_RECORD[::1], MACHINE_WARP[::1], OP_TIMING[::1], LONGS, int64, int64))
def _in_turn(warps: Array, machines: Array, ops: Array, span: Array, able: Int, chosen: Int) -> Int:
    """Return whose turn it is: of the warps for one pipe, if one had to wait for it, that which issued longest ago.

    Who is at a pipe goes on, though, for as long as its stall counts bring it back when the pipe is free: only the
    memory pipe does not go by them.
    """
    pipe, waited, oldest = ops[machines[chosen].pc].pipe, int64(0), chosen
    for w in range(span[0], span[1], span[2]):
        if able & 1 and ops[machines[w].pc].pipe == pipe:
            waited |= warps[w].throttled
            if pipe != Pipe.MIO and not warps[w].throttled:
                return w
            if warps[w].issued_at < warps[oldest].issued_at:
                oldest = w
        able >>= 1
    return oldest if waited else chosen


@jit(int64(CLOCK, SM_RECORD, MACHINE_WARP[::1], SUB_RECORD, OP_TIMING[::1], LONGS, LONGS, int64, int64))
def pick(
    ck: Clock, sm: Record, machines: Array, queue: Record, ops: Array, code: Array, span: Array, sub: Int, now: Int
) -> Int:
    """Note the causes of a sub-core's warps and choose the one that issues, or -1: greedy, then the youngest.

    Warps that had to wait for the same pipe take turns. Only warps about which something may have changed are looked
    at; `ck.wake` says when the next one is due.
    `span` is the sub-core's first warp, the end of its SM's warps, the step between them, the queue's depth, what
    the first touch of a line of constants costs, by an operand and by LDC, and what fetching code costs.
    """
    if queue.dispatch_free > now:
        ck.wake[sub] = queue.dispatch_free
        return -1
    warps, until = ck.warps, ck.until
    chosen, greedy, able, bit = int64(-1), int64(-1), int64(0), int64(1)
    wake, held, waited = int64(ASLEEP), False, int64(0)
    for w in range(span[0], span[1], span[2]):
        if until[w] <= now:
            warp, place = warps[w], int64(machines[w].pc)
            cause = cause_of(ck, sm, warp, machines[w], queue, ops[place], code, span, w, now)
            if cause == Stall.selected:
                able |= bit
                chosen = w
                if w == queue.last:
                    greedy = w
                waited |= warp.throttled
            else:
                if cause in (Stall.math_pipe_throttle, Stall.mio_throttle, Stall.lg_throttle):
                    warp.throttled = 1
                if cause != warp.cause or place != warp.place:
                    turn(ck, warp, w, place, cause, now)
                if until[w] <= now:  # what a place of the queue or a store holds up may next be held up by a pipe
                    held = True
        if until[w] > now:
            wake = min(wake, until[w])
        bit <<= 1
    if able and held:
        wake = now + 1
    if able & (able - 1):  # several could
        wake = now + 1
        if greedy >= 0 and not queue.yielded:
            chosen = greedy
        if waited:
            chosen = _in_turn(warps, machines, ops, span, able, chosen)
        for w in range(span[0], span[1], span[2]):
            if able & 1 and w != chosen:
                place = int64(machines[w].pc)
                if warps[w].cause != Stall.not_selected or warps[w].place != place:
                    turn(ck, warps[w], w, place, int64(Stall.not_selected), now)
            able >>= 1
    ck.wake[sub] = wake
    return chosen


@jit(void(WARP_RECORD, TABLE, LONGS, int64, int64, int64, int64))
def check_hazards(warp: Record, table: Table, counters: Array, active: Int, lanes: Int, place: Int, now: Int) -> None:
    """Check that every source with a fixed latency is ready, then note what this instruction writes.

    `active` are the lanes that came here, all of which read the guard; `lanes` are those that execute. What other
    lanes wrote does not matter to them.
    """
    op = table.ops[place]
    for i in range(op.first_read, op.first_read + op.reads):
        row, reader = table.rows[i] % CLASS, table.rows[i] // CLASS
        written = warp.written[row]
        if written < 0 or not warp.writers[row] & (active if reader == GUARD else lanes):
            continue
        missing = table.safe[written % CLASS, reader] - (now - written // CLASS)
        if missing > 0:
            counters[Counter.HAZARDS] += 1
            if missing > counters[Counter.HAZARD_MISSING]:
                counters[Counter.HAZARD_PLACE], counters[Counter.HAZARD_ROW] = place, row
                counters[Counter.HAZARD_MISSING] = missing
    if not lanes:
        return
    for i in range(op.first_write, op.first_write + op.writes):
        row, by = table.rows[i] % CLASS, table.rows[i] // CLASS
        warp.written[row] = CLASS * now + by if by else int64(-1)
        warp.writers[row] = lanes


@jit(void(CLOCK, SM_RECORD, SUB_RECORD, WARP_RECORD, OP_TIMING, LONGS, LONGS, int64, int64, int64))
def occupy(
    ck: Clock,
    sm: Record,
    queue: Record,
    warp: Record,
    op: Record,
    event: Array,
    span: Array,
    w: Int,
    place: Int,
    now: Int,
) -> None:
    """Occupy the pipe and raise the scoreboards of an instruction that issues."""
    queue.late = 0
    queue.dispatch_free = now + 1 + op.conflicts
    if op.pipe == Pipe.TENSOR:
        queue.port_free = queue.tensor_until = now + op.tokens
        queue.port_wait, queue.store_wait, queue.stage_wait = op.port_wait, op.store_wait, op.stage_wait
    elif op.tokens > 0:
        queue.port_free = max(queue.port_free, now) + op.tokens
        if queue.tensor_until > now:
            queue.tensor_until += op.tokens
            if op.kind != Kind.MEMORY:
                queue.late = beside_tensor(queue, queue.port_wait, now)
    if op.pipe != Pipe.NONE:
        queue.free[op.pipe] = now + op.interval
        queue.busy[op.pipe] += op.interval
    if op.write_barrier >= 0:
        warp.counts[op.write_barrier] += 1
        warp.is_long[op.write_barrier] = op.is_long
    if op.read_barrier >= 0:
        warp.counts[op.read_barrier] += 1
        warp.is_long[op.read_barrier] = op.is_long
    if op.kind == Kind.MEMORY and event[Event.MASK]:
        sectors = event[Event.SECTORS] if op.access >= Access.GLOBAL_LOAD else int64(0)
        wavefronts = max(event[Event.WAVEFRONTS], 1)
        push(queue, w, place, now, wavefronts, event[Event.LINES], sectors, event, int64(Event.LIST))
        warp.unread += op.is_store
        warp.stores += op.access == Access.GLOBAL_STORE
        sm.moves_at = min(sm.moves_at, now + 1)
        return
    latency = op.latency + (waits_for_constant(sm, op, ck.chip, ck.asked, span[5], now) if op.loads_constant else 0)
    if op.write_barrier >= 0:
        lower_board(sm, now + latency, w, op.write_barrier)
    if op.read_barrier >= 0:
        lower_board(sm, now + _SOURCES_READ, w, op.read_barrier)


@jit(void(CLOCK, SM_RECORD, MACHINE_WARP[::1], MACHINE_BLOCK, int64))
def _release(ck: Clock, sm: Record, machines: Array, block: Record, now: Int) -> None:
    """Start the warps that a barrier has just let go: one unit of the SM does, one after another."""
    for w in range(block.first_warp, block.first_warp + block.warps):
        warp = ck.warps[w]
        if warp.at_barrier and machines[w].waiting != Waiting.BARRIER:
            sm.barrier_free = max(sm.barrier_free, now)
            warp.at_barrier = 0
            warp.ready_at, warp.after = sm.barrier_free + int64(ck.chip[Chip.BARRIER_RELEASE]), Stall.barrier
            sm.barrier_free += int64(ck.chip[Chip.BARRIER_WARP])


@jit(void(CLOCK, SM_RECORD, SUB_RECORD, OP_TIMING, MACHINE_WARP[::1], MACHINE_BLOCK, int64, int64, int64, int64, int64))
def follow(
    ck: Clock,
    sm: Record,
    queue: Record,
    op: Record,
    machines: Array,
    block: Record,
    w: Int,
    outcome: Int,
    taken: Int,
    completed: Int,
    now: Int,
) -> None:
    """Set when a warp that has just issued may go on, and those of a block barrier that it has completed."""
    warp = ck.warps[w]
    queue.last, queue.yielded, warp.issued_at, warp.throttled = w, op.yields, now, 0
    queue.issued += 1
    stall = max(int64(op.stall), 1)
    if op.yields and stall == 1:
        stall = int64(ck.chip[Chip.STALL1_YIELD])
    warp.ready_at, warp.after = now + stall + queue.late, Stall.wait
    if taken:
        warp.ready_at, warp.after = now + int64(ck.chip[Chip.BRANCH_TAKEN]), Stall.branch_resolving
    if outcome == Outcome.EXITED:
        warp.resident = 0
        warp.lived += now + 1 - warp.start
    elif outcome == Outcome.BLOCKED or (completed and outcome == Outcome.BRANCHED):
        warp.at_barrier = 1
    if completed:
        _release(ck, sm, machines, block, now)


@jit(void(STATE, CLOCK, int64, int64, int64, int64))
def admit(s: State, ck: Clock, sm: Int, slot: Int, number: Int, now: Int) -> None:
    """Make a block resident: its warps start one after another."""
    start_block(s, slot, number)
    ck.running[slot] = number
    ck.sms[sm].blocks += 1
    block = s.blocks[slot]
    cores, count = int64(ck.chip[Chip.SUB_CORES]), int64(ck.chip[Chip.SLOTS] * ck.chip[Chip.WARPS])
    for w in range(block.first_warp, block.first_warp + block.warps):
        warp = ck.warps[w]
        after = ck.chip[Chip.LAUNCH_BASE] + ck.chip[Chip.LAUNCH_WARP] * (w - block.first_warp)
        warp.ready_at, warp.after, warp.start = now + int64(after), Stall.no_instruction, now
        warp.resident, warp.at_barrier, warp.issued_at, warp.unread = 1, 0, 0, 0
        warp.cause, warp.shown_cause = -1, -1
        turn(ck, warp, w, int64(0), int64(Stall.no_instruction), now)
        warp.sub = sm * cores + (w - sm * count) % cores
        ck.until[w] = warp.ready_at
        ck.wake[warp.sub] = min(ck.wake[warp.sub], warp.ready_at)
        warp.copies_done = 0
        for k in range(6):
            warp.counts[k] = 0
        for row in range(ROWS):
            warp.written[row] = -1
