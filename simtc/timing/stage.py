"""The data stage of an SM, which shared memory and L1 have in common, and the ways back to the sub-cores.

It takes a wavefront, or a line of L1, at a time: in turn the first of the instructions in the SM's queue, and the first
of the loads that missed L1 and whose data has come. What goes back to registers waits for their ports, which matrix
instructions keep busy.
"""

from __future__ import annotations

import math

from simtc.jit import Array, Float, Int, Record, jit
from simtc.machine.types import float64, int64, void
from simtc.timing.addresses import hashed
from simtc.timing.caches import merges, store_sector
from simtc.timing.constants import GATHERED, PENDING, QUEUE, Access, Chip
from simtc.timing.events import lower_board
from simtc.timing.state import CACHES, OP_TIMING, SM_RECORD, SUB_RECORD, WARP_RECORD, Caches

__all__ = ["WAVEFRONT", "beside_tensor", "complete", "serve", "store_turn"]

WAVEFRONT = 128.0
_SECTOR = 32.0


@jit(int64(SUB_RECORD, float64, int64))
def beside_tensor(queue: Record, cycles: Float, now: Int) -> Int:
    """Return how long accesses to registers wait for matrix instructions that use the ports, in whole cycles."""
    if queue.tensor_until <= now:
        return 0
    queue.port_debt += cycles
    waits = int64(queue.port_debt)
    queue.port_debt -= waits
    return waits


@jit(int64(SUB_RECORD, int64, int64))
def _held_up(queue: Record, wavefronts: Int, now: Int) -> Int:
    """Return how long the data stage waits for registers that matrix instructions write, in whole cycles."""
    if queue.tensor_until <= now:
        return 0
    queue.stage_debt += wavefronts * queue.stage_wait
    waits = int64(queue.stage_debt)
    queue.stage_debt -= waits
    return waits


@jit(float64(SM_RECORD, OP_TIMING, CACHES, int64))
def _stage_cycles(sm: Record, op: Record, caches: Caches, i: Int) -> Float:
    """Return how long an instruction holds the data stage."""
    access = op.access
    if access in (Access.SHARED_LOAD, Access.SHARED_STORE, Access.EXCHANGE, Access.COPY):
        return sm.ring_wavefronts[i] * WAVEFRONT / caches.chip[Chip.STAGE_BYTES]
    if access == Access.GROUP:
        return 0.0
    if access == Access.GLOBAL_STORE:
        if op.returned >= 32 * sm.ring_sectors[i] and sm.ring_sectors[i] == 4 * sm.ring_lines[i]:  # whole lines
            return max(sm.ring_lines[i] * caches.chip[Chip.STORE_LINE], 2.0)
        whole = op.returned >= 32 * sm.ring_sectors[i]
        return (sm.ring_sectors[i] if whole else sm.ring_lines[i]) * caches.chip[Chip.STORE_FULL]
    return max(float64(sm.ring_lines[i]), sm.ring_sectors[i] * _SECTOR / caches.chip[Chip.STAGE_BYTES])


@jit(float64(CACHES, int64))
def store_turn(caches: Caches, lines: Int) -> Float:
    """Return the cycles from a store of some lines to the next load's request, on the path to L2."""
    return caches.chip[Chip.STORE_TURN] + caches.chip[Chip.STORE_TURN_LINE] * lines


@jit(void(SM_RECORD, OP_TIMING, CACHES, int64, float64))
def _write_through(sm: Record, op: Record, caches: Caches, i: Int, t: Float) -> None:
    """Send the sectors of a store on to L2: of each a flit, of each line that is not whole its mask.

    A sector that one of the last few lines stored to takes what comes to it along.
    """
    chip, last, line = caches.chip, int64(-1), int64(-1)
    mask = 0.0 if op.returned >= 32 * sm.ring_sectors[i] else chip[Chip.STORE_PARTIAL] - 1.0
    sm.up_free = max(sm.up_free, t)
    if sm.up_loads:
        sm.up_free += chip[Chip.UP_SWITCH]
        sm.up_loads = 0
    for k in range(sm.ring_sectors[i]):
        sector = int64(sm.ring_list[i, k])
        if sector >> 2 != last:
            sm.lines_stored += 1
            last = sector >> 2
        place = hashed(sector, 10) % GATHERED
        gathered = sm.gathered_sector[place] == sector and sm.lines_stored <= sm.gathered_until[place]
        sm.gathered_sector[place], sm.gathered_until[place] = sector, sm.lines_stored + int64(chip[Chip.STORE_GATHER])
        if gathered:
            continue
        alone = sector >> 2 != line and (k + 1 == sm.ring_sectors[i] or sm.ring_list[i, k + 1] >> 2 != sector >> 2)
        flits = 1.0 if sector >> 2 == line else 1.0 + mask
        line = sector >> 2
        merged = merges(caches, sm, sector, 1, t)
        sm.up_free += max(flits, chip[Chip.UP_REQUEST]) if alone else flits
        served = store_sector(caches, sm, sector, merged, sm.up_free, flits)
        sm.up_free = max(sm.up_free, served - chip[Chip.L2_QUEUE])
        sm.drained = max(sm.drained, int64(served) + 1)
    sm.stored = sm.up_free + store_turn(caches, sm.ring_lines[i])
    sm.stage_free = max(sm.stage_free, sm.up_free - chip[Chip.STORE_QUEUE])


@jit(void(SM_RECORD, WARP_RECORD, OP_TIMING, int64, float64))
def complete(sm: Record, warp: Record, op: Record, w: Int, done: Float) -> None:
    """Let the scoreboard of an instruction come down, which an asynchronous copy leaves to its group."""
    at = int64(math.ceil(done)) + op.tail
    if op.access == Access.COPY:
        warp.copies_done = max(warp.copies_done, at)
    if op.write_barrier >= 0:
        lower_board(sm, at, w, op.write_barrier)


@jit(void(SM_RECORD, SUB_RECORD[::1], WARP_RECORD[::1], OP_TIMING[::1], CACHES, float64))
def _fill(sm: Record, subs: Array, warps: Array, ops: Array, caches: Caches, t: Float) -> None:
    """Pass what has come from L2 first through the data stage."""
    number = sm.fill_ring[sm.fill_head]
    sm.fill_head = (sm.fill_head + 1) % PENDING
    sm.fills -= 1
    sm.pending -= 1
    sm.pending_free[sm.pending] = number
    w, cycles = int64(sm.pending_warp[number]), float64(sm.pending_cycles[number])
    op, queue = ops[sm.pending_place[number]], subs[sm.pending_sub[number]]
    sm.stage_free = t + cycles
    sm.stage_busy += cycles
    if op.access != Access.COPY:
        back = op.returned / caches.chip[Chip.RETURN_BYTES] + beside_tensor(
            queue, op.returned / WAVEFRONT * queue.port_wait, int64(t)
        )
        queue.return_free = max(queue.return_free, t) + back
        complete(sm, warps[w], op, w, max(t + cycles, queue.return_free))


@jit(void(SM_RECORD, SUB_RECORD[::1], WARP_RECORD[::1], OP_TIMING[::1], CACHES, float64))
def _pass_first(sm: Record, subs: Array, warps: Array, ops: Array, caches: Caches, t: Float) -> None:
    """Pass the first instruction of the SM's queue through the data stage."""
    i = sm.head
    sm.head = (i + 1) % QUEUE
    sm.count -= 1
    w = int64(sm.ring_warp[i])
    op, warp, queue = ops[sm.ring_place[i]], warps[w], subs[sm.ring_sub[i]]
    access = op.access
    cycles = _stage_cycles(sm, op, caches, i)
    sm.stage_free = t + cycles
    sm.stage_busy += cycles
    done = t + cycles
    if access == Access.SHARED_LOAD:
        sm.stage_free += _held_up(queue, int64(sm.ring_wavefronts[i]), int64(t))
    if access == Access.GLOBAL_STORE:
        sm.queued -= sm.ring_sectors[i]
        _write_through(sm, op, caches, i, t)
        warp.stores -= 1
        warp.stored = sm.drained + int64(caches.chip[Chip.STORE_ANSWER])
    elif access in (Access.SHARED_LOAD, Access.EXCHANGE, Access.GLOBAL_LOAD):
        back = op.returned / caches.chip[Chip.RETURN_BYTES]
        if access == Access.SHARED_LOAD:
            back = sm.ring_wavefronts[i] * WAVEFRONT / caches.chip[Chip.RETURN_BYTES]
        back += beside_tensor(queue, op.returned / WAVEFRONT * queue.port_wait, int64(t))
        start = max(t, sm.stored) if access == Access.GLOBAL_LOAD else t
        queue.return_free = max(queue.return_free, start + WAVEFRONT / caches.chip[Chip.STAGE_BYTES]) + back
        done = max(done, queue.return_free)
    elif access == Access.GROUP:
        done = max(done, float64(warp.copies_done))
    complete(sm, warp, op, w, done)


@jit(int64(SM_RECORD, SUB_RECORD[::1], WARP_RECORD[::1], OP_TIMING[::1], CACHES, int64))
def serve(sm: Record, subs: Array, warps: Array, ops: Array, caches: Caches, now: Int) -> Int:
    """Let the data stage take what is next, if it is free; return 1 if it was: instructions and fills take turns."""
    if sm.count + sm.fills == 0 or sm.stage_free > now:
        return 0
    t = max(sm.stage_free, float64(now))
    if sm.fills > 0 and (sm.count == 0 or not sm.filled):
        _fill(sm, subs, warps, ops, caches, t)
        sm.filled = 1
    else:
        _pass_first(sm, subs, warps, ops, caches, t)
        sm.filled = 0
    return 1
