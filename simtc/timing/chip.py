"""The chip: its SMs side by side, block after block, until the grid is done."""

from __future__ import annotations

from simtc.jit import jit
from simtc.machine.state import CODE, MEMORY, STATE, Outcome, Waiting
from simtc.machine.step import STEP
from simtc.machine.types import int64, void
from simtc.results.stall import Stall
from simtc.timing.issue import admit, issue, pick
from simtc.timing.queue import advance, settle
from simtc.timing.state import CLOCK, TABLE, Chip, Pipe

__all__ = ["run_chip"]

_IDLE = 1 << 60
_WINDOW = 32  # cycles that one SM may be ahead of another: well below the latency of L2, through which they meet


@jit(int64(CLOCK, STATE, TABLE, int64, int64))
def _next_event(ck, s, table, sm, now):
    """Return the next cycle in which anything can change, when nothing issued in this one."""
    one = ck.sms[sm]
    best = int64(_IDLE)
    if one.events > 0:
        best = min(best, ck.heap_time[sm, 0])
    if one.count > 0:
        best = min(best, int64(one.stage_free) + (1 if one.stage_free > int64(one.stage_free) else 0))
    cores = int64(ck.chip[Chip.SUB_CORES])
    for sub in range(sm * cores, (sm + 1) * cores):
        queue = ck.subs[sub]
        if queue.count > 0 and queue.reading and queue.read_done > now:
            best = min(best, queue.read_done)
        for pipe in range(1, Pipe.COUNT):
            if queue.free[pipe] > now:
                best = min(best, queue.free[pipe])
    count = int64(ck.chip[Chip.SLOTS] * ck.chip[Chip.WARPS])
    for w in range(sm * count, (sm + 1) * count):
        warp = ck.warps[w]
        if warp.resident and warp.ready_at > now and s.warps[w].waiting == Waiting.READY:
            best = min(best, warp.ready_at)
    return max(best, now + 1)


@jit(void(STATE, CLOCK, int64, int64, int64))
def _ended(s, ck, sm, slot, now):
    """Replace a block that has ended by the next one of the grid."""
    if s.blocks[slot].live_warps > 0:
        return
    ck.sms[sm].blocks -= 1
    ck.running[slot] = -1
    ck.grid[2] += 1
    if ck.grid[0] < ck.grid[1]:
        admit(s, ck, sm, slot, ck.grid[0], now + 1)
        ck.grid[0] += 1


@jit(int64(CLOCK, int64))
def _draining(ck, sm):
    """Tell whether stores of ended blocks are still on their way through the SM."""
    cores = int64(ck.chip[Chip.SUB_CORES])
    waiting = int64(ck.sms[sm].count)
    for sub in range(sm * cores, (sm + 1) * cores):
        waiting += ck.subs[sub].count
    return waiting


@jit(int64(STEP, STATE, MEMORY, CODE, CLOCK, TABLE, int64, int64))
def _run_sm(step, s, mem, code, ck, table, sm, until):
    """Run one SM up to a cycle."""
    one = ck.sms[sm]
    cores = int64(ck.chip[Chip.SUB_CORES])
    slots = int64(ck.chip[Chip.SLOTS])
    count = slots * int64(ck.chip[Chip.WARPS])
    while one.next < until:
        now = one.next
        one.now = now
        settle(ck, sm, now)
        advance(ck, table, sm, now)
        issued = False
        for core in range(cores):
            sub = sm * cores + core
            w = pick(ck, s, table, sub, sm * count + core, (sm + 1) * count, now)
            if w < 0:
                continue
            issued = True
            place = s.warps[w].pc
            outcome = issue(step, s, mem, code, ck, table, sm, sub, w, now)
            if outcome < 0:
                return outcome
            ck.stalls[place, Stall.selected] += 1
            ck.warps[w].cause = -1  # charged already
            if outcome == Outcome.EXITED:
                _ended(s, ck, sm, int64(s.warps[w].block), now)
        one.last_cycle = now + 1
        if one.blocks == 0 and not _draining(ck, sm):
            one.next = _IDLE
            return 0
        one.next = now + 1 if issued else _next_event(ck, s, table, sm, now)
        if one.next >= _IDLE:  # nothing will ever happen
            return Outcome.DEADLOCK
        for w in range(sm * count, (sm + 1) * count):
            warp = ck.warps[w]
            if warp.resident and warp.cause >= 0 and warp.start <= now:
                ck.stalls[s.warps[w].pc, warp.cause] += one.next - now
    return 0


@jit(int64(STEP, STATE, MEMORY, CODE, CLOCK, TABLE, int64))
def run_chip(step, s, mem, code, ck, table, budget):
    """Run until the grid is done or `budget` windows have passed; return 1 when done, 0 to go on, or a fault."""
    sms, slots = int64(ck.chip[Chip.SM_COUNT]), int64(ck.chip[Chip.SLOTS])
    if ck.grid[2] == 0 and ck.grid[0] == 0:
        for slot in range(slots):
            for sm in range(sms):
                if ck.grid[0] < ck.grid[1]:
                    admit(s, ck, sm, sm * slots + slot, ck.grid[0], 0)
                    ck.grid[0] += 1
        for sm in range(sms):
            ck.sms[sm].next = 0 if ck.sms[sm].blocks else _IDLE
    for _ in range(budget):
        first = int64(_IDLE)
        for sm in range(sms):
            first = min(first, ck.sms[sm].next)
        if first == _IDLE:
            return 1
        for sm in range(sms):
            if ck.sms[sm].next < first + _WINDOW:
                outcome = _run_sm(step, s, mem, code, ck, table, sm, first + _WINDOW)
                if outcome < 0:
                    return outcome
    return 0
