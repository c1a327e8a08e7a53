"""The data stage of an SM, which shared memory and L1 have in common, and the ways back to the sub-cores.

It takes a wavefront, or a line of L1, at a time: by turns the first of the instructions in its queue, and the first of
the loads that missed L1 and whose data has come. A bank conflict is a wavefront more. What goes back to registers waits
for their ports, which matrix instructions keep busy.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import SECTOR, WAVEFRONT, Access, Counter
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, SUB, WARP, Parameters, Unit, compiled, constant
from simtc.timing.units import landing, write_combining
from simtc.timing.units.fills import take_fill
from simtc.timing.units.groups import finish, land
from simtc.timing.units.l1 import looked_up
from simtc.timing.units.ldgsts import look_up_again, write_cycles
from simtc.timing.units.memory_queue import QUEUE, QUEUED, QUEUED_FIELDS
from simtc.timing.units.scoreboards import complete
from simtc.timing.units.tensor import beside_tensor, held_up

__all__ = ["UNIT", "SharedMemory", "enqueue", "first_ready", "pass_off", "passes_off", "serve_stage"]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedMemory(Parameters):
    """What a board says of the data stage."""

    sm_queue_entries: float = constant("shared.sm_queue_entries", room=QUEUE)
    data_stage_bytes_per_cycle: float = constant("shared.data_stage_bytes_per_cycle")
    return_bytes_per_cycle: float = constant("shared.return_bytes_per_cycle")
    off_cycles: float = constant("clock.shared_memory.off_cycles")  # of what no lane executes; 0: that is not queued
    fill_store_cycles: float = constant("clock.shared_memory.fill_store_cycles")  # more, of STS behind what has come
    turn_cycles: float = constant("clock.shared_memory.turn_cycles")  # of instructions between turns of what L2 brings


UNIT = Unit(
    name="shared_memory",
    parameters=SharedMemory,
    sm=(
        ("stage_free", np.float64),
        ("stage_busy", np.float64),
        ("stage_head", np.int64),
        ("stage_count", np.int64),
        ("filled", np.int64),  # 1 where data for L1 was what it served last
        ("owed", np.float64),  # cycles that are the instructions' before data for L1 has its next turn
        ("stage_queue", QUEUED_FIELDS, (QUEUE,)),  # what waits for it
    ),
    sub=(("return_free", np.float64),),  # the way back to its registers
    counters=(Counter.WAVEFRONTS,),
)


@compiled(void, CLOCK, SM, OPERATION, QUEUED, int64)
def enqueue(ck: Arrays, sm: Record, op: Record, one: Record, ready: Int) -> None:
    """Put a memory instruction that leaves its sub-core into the data stage's queue, for when it is ready."""
    to = sm.stage_queue[(sm.stage_head + sm.stage_count) % QUEUE]
    to.warp, to.instruction, to.sub = one.warp, one.instruction, one.sub
    to.wavefronts, to.lines, to.passes, to.sectors = one.wavefronts, one.lines, one.passes, one.sectors
    to.tags, to.copies, to.ready = one.tags, ck.warps[one.warp].copied, ready
    to.looked = one.looked if op.access in (Access.COPY, Access.GROUP) else 0.0
    sm.stage_count += 1
    if op.access == Access.GLOBAL_STORE:
        for k in range(one.sectors):
            to.list[k] = one.list[k]
        write_combining.queue_store(ck, sm, one)


@compiled(int64, CLOCK, OPERATION)
def passes_off(ck: Arrays, op: Record) -> Int:
    """Tell whether a memory instruction passes the memory I/O queue though its guard holds for no lane."""
    return int64(ck.chip.shared_memory.off_cycles > 0 and op.access != Access.SPECIAL)


@compiled(void, CLOCK, SM, WARP, OPERATION, int64, int64)
def pass_off(ck: Arrays, sm: Record, warp: Record, op: Record, w: Int, now: Int) -> None:
    """Pass an instruction whose guard holds for no lane: it takes the data stage a cycle, and waits for nothing."""
    sm.stage_free = max(sm.stage_free, float64(now)) + ck.chip.shared_memory.off_cycles
    complete(sm, warp, op, w, sm.stage_free)


@compiled(int64, CLOCK)
def _are_tags_known(ck: Arrays) -> Int:
    """Tell whether it was measured how many lines the tags of L1 look up in a cycle."""
    return int64(ck.chip.l1.tag_lines_per_cycle > 0)


@compiled(float64, CLOCK, OPERATION, QUEUED)
def _cycles(ck: Arrays, op: Record, one: Record) -> Float:
    """Return how long an instruction holds the data stage."""
    stage_bytes = ck.chip.shared_memory.data_stage_bytes_per_cycle
    if op.access == Access.COPY and not op.bypasses:
        if ck.chip.l1.tag_lines_per_cycle > 0:  # L1 holds it: it is read while what came before is written
            return one.far + max(one.passes, one.wavefronts) * WAVEFRONT / stage_bytes
        return write_cycles(ck, op, one)
    if op.access in (Access.SHARED_LOAD, Access.SHARED_STORE, Access.EXCHANGE, Access.COPY):
        return one.wavefronts * WAVEFRONT / stage_bytes
    if op.access == Access.GROUP:
        return 0.0
    if op.access == Access.GLOBAL_STORE:
        return write_combining.stage_cycles(ck, op, one)
    if _are_tags_known(ck) and one.passes > 0:
        return looked_up(ck, one)
    return max(looked_up(ck, one), one.sectors * SECTOR / stage_bytes)


@compiled(float64, CLOCK, SM, int64)
def backlog(ck: Arrays, sm: Record, now: Int) -> Float:
    """Return when the data stage has passed all that waits for it now, but for copies, which the tags order."""
    t = max(sm.stage_free, float64(now))
    for k in range(sm.stage_count):
        one = sm.stage_queue[(sm.stage_head + k) % QUEUE]
        if ck.ops[one.instruction].access != Access.COPY:
            t += _cycles(ck, ck.ops[one.instruction], one)
    return t


@compiled(float64, CLOCK, SUB, OPERATION, float64, int64)
def _back(ck: Arrays, sub: Record, op: Record, size: Float, now: Int) -> Float:
    """Return the cycles that so many bytes take on the way back to the registers."""
    waits = beside_tensor(sub, op.returned / WAVEFRONT * sub.port_wait, now)
    return size / ck.chip.shared_memory.return_bytes_per_cycle + waits


@compiled(void, CLOCK, SM, float64)
def _pass_fill(ck: Arrays, sm: Record, t: Float) -> None:
    """Pass what has come from L2 first, or as much of it as passes before an instruction takes its turn."""
    miss = sm.mshrs[sm.fill_queue[sm.fill_head]]
    if sm.stage_count > 0 and miss.turns > 1:
        turn = miss.cycles / miss.turns
        miss.cycles, miss.turns = miss.cycles - turn, miss.turns - 1
        sm.stage_free = t + turn
        sm.stage_busy += turn
        return
    number = take_fill(sm)
    op, sub = ck.ops[miss.instruction], ck.subs[miss.sub]
    sm.stage_free = t + miss.cycles
    sm.stage_busy += miss.cycles
    if op.access == Access.COPY:
        look_up_again(ck, sm, op, miss.again, t)
        left = max(landing.leaves(sm, number, t), miss.after)
        land(ck, sm, op, miss.warp, left + miss.cycles - landing.sooner(ck, op))
    else:
        back = _back(ck, sub, op, float64(op.returned), int64(t))
        sub.return_free = max(sub.return_free, t) + back
        complete(sm, ck.warps[miss.warp], op, miss.warp, max(max(t, miss.after) + miss.cycles, sub.return_free))


@compiled(float64, CLOCK, SM, SUB, OPERATION, QUEUED, float64)
def _returned(ck: Arrays, sm: Record, sub: Record, op: Record, one: Record, t: Float) -> Float:
    """Return when what a load or an exchange brings is back at its sub-core: a wavefront comes as if it were whole."""
    size = one.wavefronts * WAVEFRONT if op.access == Access.SHARED_LOAD else float64(op.returned)
    if op.access == Access.GLOBAL_LOAD and _are_tags_known(ck):
        size = max(size, looked_up(ck, one) * WAVEFRONT)
    back = _back(ck, sub, op, size, int64(t))
    start = max(t, sm.stored) if op.access == Access.GLOBAL_LOAD else t
    staged = start + WAVEFRONT / ck.chip.shared_memory.data_stage_bytes_per_cycle
    sub.return_free = max(sub.return_free, staged) + back
    return sub.return_free


@compiled(void, CLOCK, SM, float64)
def _pass_first(ck: Arrays, sm: Record, t: Float) -> None:
    """Pass the first instruction of the queue."""
    one = sm.stage_queue[sm.stage_head]
    sm.stage_head = (sm.stage_head + 1) % QUEUE
    sm.stage_count -= 1
    op, warp, sub = ck.ops[one.instruction], ck.warps[one.warp], ck.subs[one.sub]
    cycles = _cycles(ck, op, one)
    sm.owed -= max(cycles, 1.0)
    if op.access == Access.SHARED_STORE and sm.filled:
        cycles += ck.chip.shared_memory.fill_store_cycles
    sm.stage_free = t + cycles
    sm.stage_busy += cycles
    done = max(t, one.looked) + cycles
    if op.access == Access.SHARED_LOAD:
        sm.stage_free += held_up(sub, one.wavefronts, int64(t))
    if op.access == Access.GLOBAL_STORE:
        write_combining.write_through(ck, sm, warp, op, one, t)
    elif op.access in (Access.SHARED_LOAD, Access.EXCHANGE, Access.GLOBAL_LOAD):
        done = max(done, _returned(ck, sm, sub, op, one, t))
        if op.access == Access.GLOBAL_LOAD and not _are_tags_known(ck):  # then all lines are looked up before it begins
            done += one.tags - 1
    elif op.access == Access.GROUP:
        finish(ck, sm, warp, one, done)
        return
    complete(sm, warp, op, one.warp, done)


@compiled(int64, SM)
def first_ready(sm: Record) -> Int:
    """Return when the data stage may take the first instruction of its queue."""
    return int64(sm.stage_queue[sm.stage_head].ready)


@compiled(int64, CLOCK, SM, int64)
def serve_stage(ck: Arrays, sm: Record, now: Int) -> Int:
    """Let the data stage take what is next, if it is free; return 1 if it was: instructions and fills by turns.

    The turn of instructions is one of them, or as many as take some cycles. What has waited for the stage begins in the
    fraction of a cycle in which it became free.
    """
    able = sm.stage_count > 0 and first_ready(sm) <= now
    if sm.stage_free > now or not (sm.fills or able):
        return 0
    t = sm.stage_free if sm.stage_free > now - 1 else float64(now)
    if sm.fills > 0 and (not able or sm.owed <= 0):
        _pass_fill(ck, sm, t)
        sm.filled, sm.owed = 1, max(ck.chip.shared_memory.turn_cycles, 1.0)
    else:
        _pass_first(ck, sm, t)
        sm.filled = 0
    return 1
