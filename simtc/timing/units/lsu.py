"""The memory I/O path of an SM (MIO): a queue in each sub-core, in front of the tags and the data stage.

A memory instruction waits in its sub-core's queue, has its operands read through that sub-core's port, and goes on to
the data stage's queue. Loads pass the tags of L1 first; one that misses leaves the path there. Nothing is reserved at
issue: of those whose operands have been read, the sub-cores' turns decide.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simtc.jit import Array, Arrays, Int, Record
from simtc.machine.state import Event
from simtc.machine.types import LONGS, float64, int64, void
from simtc.results.stall import Stall
from simtc.timing.constants import ASLEEP, LANES, TAGGED, Access, Counter, Pipe
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, SUB, WARP, Parameters, Unit, compiled, constant, derived
from simtc.timing.units.addresses import ones
from simtc.timing.units.answers import waits_behind
from simtc.timing.units.barrier import come
from simtc.timing.units.bypass import beside_copies_at, follow, note_bypass
from simtc.timing.units.crossbar import announce
from simtc.timing.units.events import free_entry, lower_board
from simtc.timing.units.l1 import tag_cycles, takes_next
from simtc.timing.units.ldgsts import behind_held, far_cycles
from simtc.timing.units.memory_queue import QUEUE, QUEUED, QUEUED_FIELDS
from simtc.timing.units.places import tags_free_at
from simtc.timing.units.shared_memory import backlog, enqueue, first_ready, pass_off, serve_stage
from simtc.timing.units.tensor import beside_tensor
from simtc.timing.units.waiting import misses

__all__ = ["UNIT", "Lsu", "advance", "free", "is_full", "push", "special_at", "take_entry"]

_LOADS = (Access.GLOBAL_LOAD, Access.COPY, Access.ATOMIC)
_ASKS = (*_LOADS, Access.GROUP, Access.GLOBAL_STORE)  # L2, or marks what does
_GLOBAL = (*_LOADS, Access.GLOBAL_STORE)
_SHARED = (Access.SHARED_LOAD, Access.SHARED_STORE, Access.COPY)
_STORES = (Access.SHARED_STORE, Access.GLOBAL_STORE)
_PASSES_L1 = (Access.GLOBAL_LOAD, Access.COPY)
_ANSWERED = (Access.GLOBAL_STORE, Access.ATOMIC)  # what a fence, and the end of a block, waits for


@dataclass(frozen=True, slots=True, kw_only=True)
class Lsu(Parameters):
    """What a board says of a sub-core's queue, and of what follows the queues."""

    queue_entries: float = constant("shared.queue_entries", room=QUEUE)
    lsu_lanes: float = constant("shared.lsu_lanes")
    group_cycles: float = constant("clock.lsu.group_cycles")  # of the tags, for a LDGDEPBAR behind LDGSTS through L1
    group_pass_cycles: float = constant("clock.lsu.group_pass_cycles")  # more, of each pass of a copy that L1 held
    group_held_cycles: float = constant("clock.lsu.group_held_cycles")  # behind such a copy, at least
    group_done_cycles: float = constant("clock.lsu.group_done_cycles")  # until it is there, behind LDGSTS through L1
    register_cycles: float = derived(  # for which the port of a sub-core reads one register of all lanes: an address
        lambda device, _: device.sm.memory["LDS.32"].operand_read_cycles, "memory.LDS.32.operand_read_cycles"
    )


UNIT = Unit(
    name="lsu",
    parameters=Lsu,
    sm=(
        ("moves_at", np.int64),  # when something may move
        ("moved", np.int64),  # when the next instruction may leave the sub-cores' queues
        ("entries", np.int64),  # instructions in these
        ("moved_sub", np.int64),  # the sub-core whose instruction moved last
    ),
    sub=(
        ("head", np.int64),
        ("count", np.int64),
        ("held", np.int64),  # entries taken: until the operands have been read and may be overwritten
        ("reading", np.int64),  # 1 while the head's operands are read
        ("read_done", np.int64),
        ("special_free", np.int64),  # when XU could take another instruction, after all that issued for it
        ("queue", QUEUED_FIELDS, (QUEUE,)),
    ),
    stalls=(Stall.mio_throttle, Stall.lg_throttle),
)


@compiled(int64, CLOCK, SUB)
def is_full(ck: Arrays, sub: Record) -> Int:
    """Tell whether a sub-core's queue has no entry for another instruction."""
    return int64(sub.held >= ck.chip.lsu.queue_entries)


@compiled(int64, SUB, OPERATION)
def special_at(sub: Record, op: Record) -> Int:
    """Return when an instruction for XU may issue: few wait for that pipe in the queue, and hold up others there."""
    return int64(sub.special_free) - op.special_ahead


@compiled(void, SM, SUB, int64)
def take_entry(sm: Record, sub: Record, now: Int) -> None:
    """Take an entry of a sub-core's queue for what was put behind its last one."""
    sub.count += 1
    sm.entries += 1
    sub.held += 1
    sm.moves_at = min(sm.moves_at, now + 1)


@compiled(void, SM, SUB, OPERATION, int64)
def _leave(sm: Record, sub: Record, op: Record, release: Int) -> None:
    """Take the head out of its queue; its registers may be overwritten from `release` on, and the entry taken."""
    w = int64(sub.queue[sub.head].warp)
    sub.head = (sub.head + 1) % QUEUE
    sub.count -= 1
    sm.entries -= 1
    sub.reading = 0
    free_entry(sm, release, sub.index)
    if op.read_barrier >= 0:
        lower_board(sm, release, w, op.read_barrier)


@compiled(void, CLOCK, SM, SUB, WARP, OPERATION, LONGS, int64, int64)
def push(ck: Arrays, sm: Record, sub: Record, warp: Record, op: Record, event: Array, w: Int, now: Int) -> None:
    """Put a memory instruction that issues into its sub-core's queue, with what `event` says of its addresses."""
    one = sub.queue[(sub.head + sub.count) % QUEUE]
    one.warp, one.instruction, one.sub, one.pushed, one.looked = w, warp.instruction, sub.index, now, 0.0
    one.wavefronts, one.lines = max(event[Event.WAVEFRONTS], 1), event[Event.LINES]
    one.sectors = event[Event.SECTORS] if op.access >= Access.GLOBAL_LOAD else int64(0)
    one.passes = event[Event.PASSES] if op.access in _PASSES_L1 else int64(0)
    one.lanes = ones(event[Event.MASK])
    one.off = one.lanes == 0
    if one.off:
        one.wavefronts, one.lines, one.sectors, one.passes = 1, 0, 0, 0
        take_entry(sm, sub, now)
        return
    past_l1 = op.access == Access.COPY and op.bypasses
    if op.access == Access.COPY and not past_l1:
        one.far = far_cycles(ck, one, event[Event.TO], event[Event.IDEAL])
    one.pieces, one.along = event[Event.PIECES] if past_l1 else int64(0), 0
    one.sent, one.meeting = 0, event[Event.MEETING] if op.access == Access.ATOMIC else int64(1)
    if past_l1:
        one.sectors, one.parts, one.lines = event[Event.ASKED], 0, 0
    for k in range(one.sectors):
        one.list[k] = event[(Event.BANKS + LANES if past_l1 else Event.LIST) + k]
        if past_l1:
            one.to[k] = event[Event.BANKS + k]
            one.parts += one.pieces >> k & 1
            one.lines += k == 0 or one.list[k] >> 2 != one.list[k - 1] >> 2
    announce(ck, sm, op, one)
    warp.stores += op.access in _ANSWERED and not one.off
    if op.access == Access.SPECIAL:
        sub.special_free = max(sub.special_free, now) + op.special_cycles
    take_entry(sm, sub, now)


@compiled(void, CLOCK, int64)
def free(ck: Arrays, sub: Int) -> None:
    """Free an entry, and wake the sub-core's warps."""
    ck.subs[sub].held -= 1
    ck.wake[sub] = 0


@compiled(int64, CLOCK, OPERATION)
def _taken(ck: Arrays, op: Record) -> Int:
    """Return for how many cycles the SM takes the operands of an instruction: a register of some lanes in each."""
    lanes = ck.chip.lsu.lsu_lanes
    if lanes == 0 or op.access == Access.EXCHANGE:
        return 1
    return max(int64(op.operand_read * LANES / (lanes * ck.chip.lsu.register_cycles)), 1)


@compiled(void, CLOCK, SM, OPERATION, QUEUED, int64)
def _look_up(ck: Arrays, sm: Record, op: Record, one: Record, now: Int) -> None:
    """Take the tags of L1 for what passes them, as long as that needs them.

    A copy through L1 comes there after the data stage has passed what was in front of it, but for other copies.
    """
    start, warp = max(sm.tag_free, float64(now)), ck.warps[one.warp]
    if op.access == Access.COPY and not op.bypasses:
        start = behind_held(ck, sm, one, max(start, backlog(ck, sm, now)))
        warp.through_l1 = 1
    if op.access in _LOADS and not op.bypasses:
        start = follow(sm, start)
    if op.access in _GLOBAL:
        one.tags = tag_cycles(ck, op, one)
        one.looked = tags_free_at(ck, sm, one, start)
        sm.tag_free = one.looked + one.tags
    elif op.access == Access.GROUP and warp.through_l1:
        own, passes = ck.chip.lsu, warp.through_l1 - 1
        cycles = own.group_cycles + own.group_pass_cycles * passes
        sm.tag_free = start + (max(cycles, own.group_held_cycles) if passes else cycles)
        one.looked, warp.through_l1 = start + own.group_done_cycles, 0


@compiled(void, CLOCK, SM, SUB, OPERATION, int64)
def _move(ck: Arrays, sm: Record, sub: Record, op: Record, now: Int) -> None:
    """Pass the head, whose operands have been read, through the tags and on to the data stage's queue."""
    one, warp = sub.queue[sub.head], ck.warps[sub.queue[sub.head].warp]
    past_l1 = op.access == Access.COPY and op.bypasses and not one.off
    is_group = op.access == Access.GROUP and not warp.through_l1 and not one.off
    if op.access in _SHARED and not one.off:
        ck.counters[Counter.WAVEFRONTS] += one.wavefronts
    if not one.off:
        _look_up(ck, sm, op, one, now)
    sm.moved = now + _taken(ck, op)
    if op.access == Access.BARRIER:
        come(sm, int64(one.warp))
    elif one.off:
        pass_off(ck, sm, warp, op, one.warp, now)
        if op.access == Access.SHARED_LOAD:
            sm.tag_free = max(sm.tag_free, float64(now)) + ck.chip.shared_memory.off_cycles
    elif op.access not in _ASKS or not misses(ck, sm, op, one, now):
        enqueue(ck, sm, op, one, beside_copies_at(ck, sm, now))
    sm.tagged_at[sm.tagged % TAGGED] = note_bypass(ck, sm, one, is_group, now) if past_l1 or is_group else sm.tag_free
    sm.tagged += (op.access in _GLOBAL or is_group) and not one.off
    _leave(sm, sub, op, now + max(op.war - 1 - op.operand_read, 0))


@compiled(void, CLOCK, SUB, int64)
def _read_operands(ck: Arrays, sub: Record, now: Int) -> None:
    """Begin to read the operands of the head."""
    op = ck.ops[sub.queue[sub.head].instruction]
    cycles = int64(1) if sub.queue[sub.head].off else int64(op.operand_read)
    if op.access not in (Access.EXCHANGE, Access.SPECIAL):
        cycles += beside_tensor(sub, cycles * (sub.store_wait if op.access in _STORES else sub.port_wait), now)
    sub.reading = 1
    sub.read_done = max(now, sub.queue[sub.head].pushed + 1) + cycles
    sub.busy[Pipe.MIO] += max(cycles - 1, 0)  # the first one was counted when it issued


@compiled(void, SM, SUB, OPERATION, int64)
def _start_special(sm: Record, sub: Record, op: Record, now: Int) -> None:
    """Give the head, whose operands have been read, to the XU pipe of its sub-core."""
    one = sub.queue[sub.head]
    start = max(sub.free[Pipe.XU], now)
    sub.free[Pipe.XU] = start + op.special_cycles
    sub.busy[Pipe.XU] += op.special_cycles
    _leave(sm, sub, op, now + op.war - 1 - op.operand_read)
    if op.write_barrier >= 0:
        lower_board(sm, start + op.tail, one.warp, op.write_barrier)


@compiled(int64, CLOCK, SM, int64)
def _move_next(ck: Arrays, sm: Record, now: Int) -> Int:
    """Move an instruction whose operands have been read, the sub-cores in turn; return 1 if one could."""
    first = int64(-1)
    if sm.entries == 0:
        return 0
    for i in range(sm.first_sub, sm.end_sub):
        sub = ck.subs[i]
        if sub.count == 0:
            continue
        if not sub.reading:
            _read_operands(ck, sub, now)
        op = ck.ops[sub.queue[sub.head].instruction]
        if op.access == Access.SPECIAL:
            if sub.read_done <= now:
                _start_special(sm, sub, op, now)
                return 1
            continue
        if sub.read_done <= now and not waits_behind(ck, sm, op) and (first < 0 or first <= sm.moved_sub < i):
            first = i
    if first < 0 or sm.stage_count >= ck.chip.shared_memory.sm_queue_entries or sm.moved > now:
        return 0
    sub = ck.subs[first]
    op = ck.ops[sub.queue[sub.head].instruction]
    if not sub.queue[sub.head].off and takes_next(ck, sm, op) > now:
        return 0
    _move(ck, sm, sub, op, now)
    sm.moved_sub = first
    return 1


@compiled(void, CLOCK, SM, int64)
def advance(ck: Arrays, sm: Record, now: Int) -> None:
    """Move the path up to a cycle, and note when more can move."""
    moved = True
    while serve_stage(ck, sm, now) or moved:
        moved = _move_next(ck, sm, now) > 0
    due = int64(ASLEEP)
    if sm.stage_count + sm.fills > 0:
        due = max(int64(math.ceil(sm.stage_free)), 0 if sm.fills else first_ready(sm))
    for i in range(sm.first_sub, sm.end_sub if sm.entries else sm.first_sub):
        sub = ck.subs[i]
        if sub.count > 0:
            op = ck.ops[sub.queue[sub.head].instruction]
            able = int64(sub.read_done)
            if op.access != Access.SPECIAL:
                able = max(able, int64(sm.moved), 0 if sub.queue[sub.head].off else takes_next(ck, sm, op))
            due = min(due, able) if able > now and not waits_behind(ck, sm, op) else due
    sm.moves_at = due
