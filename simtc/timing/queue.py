"""The memory I/O path of an SM: a queue in each sub-core, one data stage for all, a return path to each.

A memory instruction waits in its sub-core's queue, has its operands read through that sub-core's port, joins the SM's
short queue, passes the data stage (a wavefront, or a line of L1, at a time) and returns its data. Loads pass the tags
first, a line a cycle, where some lines may wait without holding up what follows. A load that misses L1 leaves the path
there; when its data comes, the data stage takes it and the SM's queue in turn. Nothing is reserved at issue: who comes
first is served first. The data stage itself is in stage.py.
"""

from __future__ import annotations

import math

from simtc.jit import Array, Float, Int, Record, jit
from simtc.machine.types import LONGS, float64, int64, void
from simtc.timing.caches import fetch_sector, load_sector
from simtc.timing.constants import ASLEEP, PENDING, QUEUE, Access, Chip, Counter, Pipe
from simtc.timing.events import FILL, PLACE, expect_fill, free_place, lower_board, take
from simtc.timing.stage import WAVEFRONT, beside_tensor, complete, serve, store_turn
from simtc.timing.state import CACHES, OP_TIMING, SM_RECORD, SUB_RECORD, WARP_RECORD, Caches

__all__ = ["advance", "push", "settle"]


@jit(void(SUB_RECORD, int64, int64, int64, int64, int64, int64, LONGS, int64))
def push(
    queue: Record, warp: Int, place: Int, now: Int, wavefronts: Int, lines: Int, sectors: Int, listed: Array, first: Int
) -> None:
    """Put a memory instruction into its sub-core's queue, with the sectors that `listed` names from `first` on."""
    i = (queue.head + queue.count) % QUEUE
    queue.ring_warp[i], queue.ring_place[i], queue.ring_pushed[i] = warp, place, now
    queue.ring_wavefronts[i], queue.ring_lines[i], queue.ring_sectors[i] = wavefronts, lines, sectors
    for k in range(sectors):
        queue.ring_list[i, k] = listed[first + k]
    queue.count += 1
    queue.held += 1


@jit(float64(SM_RECORD, SUB_RECORD, OP_TIMING, CACHES, int64, float64, float64))
def _arrival(sm: Record, queue: Record, op: Record, caches: Caches, i: Int, t: Float, asked: Float) -> Float:
    """Look up every sector of a load and return when the last one is there: t if L1 holds them all."""
    arrival, hint = t, int64(op.hint)
    for k in range(queue.ring_sectors[i]):
        sector = int64(queue.ring_list[i, k])
        if op.bypasses:
            caches.counters[Counter.L1_SECTORS] += 1
            arrival = max(arrival, fetch_sector(caches, sm, sector, hint, t, asked))
        else:
            arrival = max(arrival, load_sector(caches, sm, sector, hint, t, asked))
    return arrival


@jit(int64(SM_RECORD, SUB_RECORD, WARP_RECORD, OP_TIMING, CACHES, int64, int64))
def _misses(sm: Record, queue: Record, warp: Record, op: Record, caches: Caches, sub: Int, now: Int) -> Int:
    """Look a load up in L1; what misses goes its own way and passes the data stage when it comes."""
    i = queue.head
    lines, wavefronts = int64(queue.ring_lines[i]), int64(queue.ring_wavefronts[i])
    # what it asks of L2 follows the stores before it
    looked = float64(sm.tag_free - max(lines, 1))
    sm.up_free = max(sm.up_free, looked)
    asked = max(sm.up_free, sm.stored)
    if sm.queued > 0:
        asked = max(asked, sm.up_free + sm.queued + sm.turn)
    before = sm.requests
    arrival = _arrival(sm, queue, op, caches, i, float64(now), asked)
    if arrival <= now:
        return 0
    chip = caches.chip
    if op.access == Access.COPY:  # two wavefronts a cycle
        cycles = wavefronts * WAVEFRONT / chip[Chip.STAGE_BYTES] / 2
        complete(sm, warp, op, int64(queue.ring_warp[i]), arrival + cycles)
    else:
        fetched = min(sm.requests - before, lines)
        cycles = fetched + chip[Chip.PENDING_LINE] * (lines - fetched)
        cycles = max(cycles, op.returned / chip[Chip.STAGE_BYTES], 1.0)
    number = sm.pending_free[sm.pending]
    sm.pending += 1
    sm.pending_warp[number], sm.pending_place[number], sm.pending_sub[number] = (
        queue.ring_warp[i],
        queue.ring_place[i],
        sub,
    )
    sm.pending_cycles[number] = cycles
    expect_fill(sm, int64(math.ceil(arrival)), int64(number))
    return 1


@jit(void(SM_RECORD, SUB_RECORD, WARP_RECORD[::1], OP_TIMING, CACHES, LONGS, int64, int64))
def _move(sm: Record, queue: Record, warps: Array, op: Record, caches: Caches, wake: Array, sub: Int, now: Int) -> None:
    """Pass the instruction whose operands have been read through the tag stage, on to the SM's queue.

    Its registers may be overwritten soon.
    """
    j, access = queue.head, op.access
    warp = int64(queue.ring_warp[j])
    if access in (Access.SHARED_LOAD, Access.SHARED_STORE, Access.COPY):
        caches.counters[Counter.WAVEFRONTS] += queue.ring_wavefronts[j]
    lines = int64(0)
    is_global = access in (Access.GLOBAL_LOAD, Access.GLOBAL_STORE, Access.COPY, Access.ATOMIC)
    if is_global:
        lines = max(int64(queue.ring_lines[j]), 1)
        sm.tag_free = max(sm.tag_free, now) + lines
    sm.moved = now + 1
    is_load = access in (Access.GLOBAL_LOAD, Access.COPY, Access.ATOMIC)
    if not is_load or not _misses(sm, queue, warps[warp], op, caches, sub, now):
        i = (sm.head + sm.count) % QUEUE
        sm.ring_warp[i], sm.ring_place[i], sm.ring_sub[i] = warp, queue.ring_place[j], sub
        sm.ring_wavefronts[i], sm.ring_lines[i] = queue.ring_wavefronts[j], queue.ring_lines[j]
        sm.ring_sectors[i] = queue.ring_sectors[j]
        sm.count += 1
        if access == Access.GLOBAL_STORE:
            for k in range(queue.ring_sectors[j]):
                sm.ring_list[i, k] = queue.ring_list[j, k]
            sm.queued += queue.ring_sectors[j]
            sm.turn = store_turn(caches, queue.ring_lines[j])
    queue.head = (j + 1) % QUEUE
    queue.count -= 1
    queue.reading = 0
    if op.is_store:
        warps[warp].unread -= 1
        wake[sub] = 0
    release = now + max(op.war - 1 - op.operand_read, 0)
    if access == Access.COPY:
        release = max(release, sm.tag_free - lines - int64(caches.chip[Chip.TAG_AHEAD]))
    free_place(sm, release, sub)
    if op.read_barrier >= 0:
        lower_board(sm, release, warp, op.read_barrier)


@jit(void(SM_RECORD, SUB_RECORD[::1], WARP_RECORD[::1], LONGS, LONGS, int64))
def settle(sm: Record, subs: Array, warps: Array, wake: Array, until: Array, now: Int) -> None:
    """Let everything happen whose time has come, and wake those that waited for it."""
    while sm.events > 0 and sm.heap_time[0] <= now:
        what = take(sm)
        if what & 15 == FILL:
            sm.fill_ring[(sm.fill_head + sm.fills) % PENDING] = what >> 4
            sm.fills += 1
            sm.moves_at = min(sm.moves_at, max(now, int64(math.ceil(sm.stage_free))))
        elif what & PLACE:
            subs[what >> 4].held -= 1
            wake[what >> 4] = 0
        else:
            w = what >> 4
            warps[w].counts[what & 7] -= 1
            if until[w] == ASLEEP and warps[w].resident:  # it may have ended before its stores
                until[w], wake[warps[w].sub] = 0, 0


@jit(int64(SM_RECORD, OP_TIMING, CACHES))
def _at_tags(sm: Record, op: Record, caches: Caches) -> Int:
    """Return when an instruction may leave its sub-core's queue for the tags: 0 for one that does not wait there.

    While as many loads as an SM keeps count of are on their way, only what L2 brings wakes another one.
    """
    if sm.pending >= PENDING and op.access in (Access.GLOBAL_LOAD, Access.COPY, Access.ATOMIC):
        return ASLEEP
    if op.access == Access.COPY:
        return sm.tag_free - 2 * int64(caches.chip[Chip.TAG_AHEAD])
    if op.access in (Access.GLOBAL_LOAD, Access.ATOMIC):
        return sm.tag_free - int64(caches.chip[Chip.TAG_AHEAD])
    return 0


@jit(void(SM_RECORD, SUB_RECORD[::1], WARP_RECORD[::1], OP_TIMING[::1], CACHES, LONGS, int64))
def advance(sm: Record, subs: Array, warps: Array, ops: Array, caches: Caches, wake: Array, now: Int) -> None:
    """Move the memory I/O path of an SM up to a cycle, and note when more can move."""
    cores, depth = int64(caches.chip[Chip.SUB_CORES]), int64(caches.chip[Chip.SM_QUEUE])
    first_sub = sm.number * cores
    moved = True
    while moved:
        moved = serve(sm, subs, warps, ops, caches, now) > 0
        earliest, first = int64(0), int64(-1)
        for sub in range(first_sub, first_sub + cores):
            queue = subs[sub]
            if queue.count == 0:
                continue
            if not queue.reading:
                queue.reading = 1
                start = max(now, queue.ring_pushed[queue.head] + 1)
                head = ops[queue.ring_place[queue.head]]
                cycles = int64(head.operand_read)
                if head.access != Access.EXCHANGE:
                    stores = head.access in (Access.SHARED_STORE, Access.GLOBAL_STORE)
                    cycles += beside_tensor(queue, cycles * (queue.store_wait if stores else queue.port_wait), now)
                queue.read_done = start + cycles
                queue.busy[Pipe.MIO] += max(cycles - 1, 0)  # the first one was counted when it issued
            if queue.read_done <= now and (first < 0 or queue.read_done < earliest):
                earliest, first = queue.read_done, sub
        if first >= 0 and sm.count < depth and sm.count < QUEUE and sm.moved <= now:
            queue = subs[first]
            op = ops[queue.ring_place[queue.head]]
            if _at_tags(sm, op, caches) <= now:
                _move(sm, queue, warps, op, caches, wake, first, now)
                moved = True
    due = int64(ASLEEP)
    if sm.count + sm.fills > 0:
        due = int64(math.ceil(sm.stage_free))
    for sub in range(first_sub, first_sub + cores):
        if subs[sub].count > 0:
            op = ops[subs[sub].ring_place[subs[sub].head]]
            free = max(subs[sub].read_done, sm.moved, _at_tags(sm, op, caches))
            due = min(due, free) if free > now else due
    sm.moves_at = due
