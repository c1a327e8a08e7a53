"""The memory I/O path of an SM: a queue in each sub-core, one data stage for all, a return path to each.

A memory instruction waits in its sub-core's queue, has its operands read through that sub-core's port, joins the SM's
short queue, passes the data stage (a wavefront, or a line of L1, at a time) and returns its data. Nothing is reserved at
issue: who comes to the data stage first is served first.
"""

from __future__ import annotations

import math

from simtc.jit import jit
from simtc.machine.types import float64, int64, void
from simtc.timing.caches import load_sector, store_sector
from simtc.timing.state import CLOCK, QUEUE, TABLE, Access, Chip, Counter

__all__ = ["advance", "at", "push", "settle"]

_WAVEFRONT = 128.0
_SECTOR = 32.0
_HELD = 8  # in the low bits of an event: a place of the queue, instead of a scoreboard


@jit(void(CLOCK, int64, int64, int64))
def at(ck, sm, time, what):
    """Put an event on an SM's heap."""
    one = ck.sms[sm]
    i = int64(one.events)
    one.events += 1
    times, whats = ck.heap_time[sm], ck.heap_what[sm]
    while i > 0:
        parent = (i - 1) >> 1
        if times[parent] <= time:
            break
        times[i], whats[i] = times[parent], whats[parent]
        i = parent
    times[i], whats[i] = time, what


@jit(int64(CLOCK, int64))
def _take(ck, sm):
    """Take the earliest event off an SM's heap."""
    one = ck.sms[sm]
    times, whats = ck.heap_time[sm], ck.heap_what[sm]
    what = whats[0]
    one.events -= 1
    n = int64(one.events)
    time, moved = times[n], whats[n]
    i = int64(0)
    while True:
        child = 2 * i + 1
        if child >= n:
            break
        if child + 1 < n and times[child + 1] < times[child]:
            child += 1
        if times[child] >= time:
            break
        times[i], whats[i] = times[child], whats[child]
        i = child
    times[i], whats[i] = time, moved
    return what


@jit(void(CLOCK, int64, int64))
def settle(ck, sm, now):
    """Let everything happen whose time has come: scoreboards come down, queue places are free again."""
    one = ck.sms[sm]
    while one.events > 0 and ck.heap_time[sm, 0] <= now:
        what = _take(ck, sm)
        if what & _HELD:
            ck.subs[what >> 4].held -= 1
        else:
            ck.warps[what >> 4].counts[what & 7] -= 1


@jit(int64(CLOCK, int64, int64, int64, int64, int64, int64, int64, int64))
def push(ck, sm, sub, warp, place, now, wavefronts, lines, sectors):
    """Put a memory instruction into its sub-core's queue; return the ring row that takes its sector list."""
    queue = ck.subs[sub]
    i = (queue.head + queue.count) % QUEUE
    entry = ck.entries[sub, i]
    entry.warp, entry.place, entry.pushed, entry.sub = warp, place, now, sub
    entry.wavefronts, entry.lines, entry.sectors = wavefronts, lines, sectors
    queue.count += 1
    queue.held += 1
    return i


@jit(void(CLOCK, TABLE, int64, float64))
def _serve(ck, table, sm, t):
    """Pass the first instruction of the SM's queue through the data stage."""
    one = ck.sms[sm]
    entry = ck.stage[sm, one.head]
    listed = ck.stage_sectors[sm, one.head]
    one.head = (one.head + 1) % QUEUE
    one.count -= 1
    op = table.ops[entry.place]
    queue, warp = ck.subs[entry.sub], ck.warps[entry.warp]
    access = op.access
    shared = access == Access.SHARED_LOAD or access == Access.SHARED_STORE or access == Access.EXCHANGE
    wavefront = _WAVEFRONT / ck.chip[Chip.STAGE_BYTES]
    if shared:
        cycles = entry.wavefronts * wavefront
    elif access == Access.GLOBAL_STORE:
        full = op.returned <= 32 * entry.sectors  # here: bytes stored
        cycles = entry.sectors * ck.chip[Chip.STORE_FULL if full else Chip.STORE_PARTIAL]
    elif access == Access.GROUP:
        cycles = 0.0
    else:
        cycles = max(float64(entry.lines), entry.sectors * _SECTOR / ck.chip[Chip.STAGE_BYTES])
        if access == Access.COPY:
            cycles += entry.wavefronts * wavefront
    one.stage_free = t + cycles
    one.stage_busy += cycles
    back = entry.wavefronts * _WAVEFRONT / ck.chip[Chip.RETURN_BYTES] if shared else op.returned / ck.chip[Chip.RETURN_BYTES]
    done = t + cycles
    if access == Access.GLOBAL_STORE:
        for i in range(entry.sectors):
            one.up_free = max(one.up_free, t) + 1.0
            store_sector(ck, sm, listed[i], one.up_free)
        one.drained = max(one.drained, int64(one.up_free) + 1)
    elif access != Access.SHARED_STORE and access != Access.GROUP and access != Access.COPY:
        queue.return_free = max(queue.return_free, t + wavefront) + back
        done = max(done, queue.return_free)
    arrival = t
    if access == Access.GLOBAL_LOAD or access == Access.COPY or access == Access.ATOMIC:
        for i in range(entry.sectors):
            arrival = max(arrival, load_sector(ck, sm, listed[i], t))
        if arrival > t:
            done = max(done, arrival + back + cycles)
    if access == Access.COPY:
        warp.copies_done = max(warp.copies_done, int64(math.ceil(done)) + op.tail)
    if access == Access.GROUP:
        done = max(done, float64(warp.copies_done))
    if op.write_barrier >= 0:
        at(ck, sm, int64(math.ceil(done)) + op.tail, int64(entry.warp) * 16 + op.write_barrier)


@jit(void(CLOCK, TABLE, int64, int64, int64))
def _move(ck, table, sm, sub, now):
    """Take an instruction whose operands have been read to the SM's queue."""
    one, queue = ck.sms[sm], ck.subs[sub]
    i = (one.head + one.count) % QUEUE
    entry, target = ck.entries[sub, queue.head], ck.stage[sm, i]
    target.warp, target.place, target.pushed, target.sub = entry.warp, entry.place, entry.pushed, entry.sub
    target.wavefronts, target.lines, target.sectors = entry.wavefronts, entry.lines, entry.sectors
    for k in range(entry.sectors):
        ck.stage_sectors[sm, i, k] = ck.entry_sectors[sub, queue.head, k]
    one.count += 1
    queue.head = (queue.head + 1) % QUEUE
    queue.count -= 1
    queue.reading = 0
    op = table.ops[target.place]
    release = now + max(op.war - 1 - op.operand_read, 0)
    at(ck, sm, release, sub * 16 + _HELD)
    if op.read_barrier >= 0:
        at(ck, sm, release, int64(target.warp) * 16 + op.read_barrier)
    if op.access == Access.SHARED_LOAD or op.access == Access.SHARED_STORE:
        ck.counters[Counter.WAVEFRONTS] += target.wavefronts


@jit(void(CLOCK, TABLE, int64, int64))
def advance(ck, table, sm, now):
    """Move the memory I/O path of an SM up to a cycle."""
    one = ck.sms[sm]
    cores = int64(ck.chip[Chip.SUB_CORES])
    depth = int64(ck.chip[Chip.SM_QUEUE])
    moved = True
    while moved:
        moved = False
        if one.count > 0 and one.stage_free <= now:
            _serve(ck, table, sm, max(one.stage_free, float64(now)))
            moved = True
        earliest, first = int64(0), int64(-1)
        for sub in range(sm * cores, (sm + 1) * cores):
            queue = ck.subs[sub]
            if queue.count == 0:
                continue
            if not queue.reading:
                head = ck.entries[sub, queue.head]
                queue.reading = 1
                queue.read_done = max(now, head.pushed + 1) + table.ops[head.place].operand_read
            if queue.read_done <= now and (first < 0 or queue.read_done < earliest):
                earliest, first = queue.read_done, sub
        if first >= 0 and one.count < depth:
            _move(ck, table, sm, first, now)
            moved = True
