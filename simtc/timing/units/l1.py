"""L1: its tags, a line a cycle, and its MSHRs, which keep the loads that missed until their data comes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64
from simtc.timing.constants import ASLEEP, SECTOR, TAGGED, WAYS, Access, Counter
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, FLOAT, INT, SM, Cells, Parameters, Unit, compiled, constant, launched
from simtc.timing.units import landing, ldgsts
from simtc.timing.units.addresses import slot, spread
from simtc.timing.units.bypass import group_takes_next, last_leaves_at
from simtc.timing.units.crossbar import fetch_sector
from simtc.timing.units.fills import MISS, MSHRS, expect, stage_cycles
from simtc.timing.units.l2_tags import NEVER
from simtc.timing.units.memory_queue import QUEUED, fill_cycles, flits_of, lines_of
from simtc.timing.units.places import cycles_by_set, hold_lines, is_shared, room_at, take_tags
from simtc.timing.units.returns import in_order
from simtc.timing.units.scoreboards import complete
from simtc.timing.units.write_combining import asks_at

__all__ = [
    "L1",
    "UNIT",
    "WAITING",
    "ask",
    "finds",
    "looked_up",
    "tag_cycles",
    "takes_next",
]

WAITING: Final = 512  # instructions that it has room for in the queue for L2
_NOTED: Final = 64  # lines that the clock finds again at once
_OTHERS: Final = (4, 8)  # bits of a number by chance, from which on it chooses two more ways
_WIDE = (Access.GLOBAL_LOAD, Access.COPY, Access.ATOMIC)
_FINDS = (Access.GLOBAL_LOAD, Access.COPY)
_WAITS = (*_WIDE, Access.GLOBAL_STORE)  # where atomics do


@dataclass(frozen=True, slots=True, kw_only=True)
class L1(Parameters):
    """What a board says of L1."""

    l1_sets: float = launched("l1_sets")
    tag_queue_entries: float = constant("l1.tag_queue_entries", room=TAGGED)
    tag_lines_per_cycle: float = constant("l1.tag_lines_per_cycle")
    pending_line_cycles: float = constant("l1.pending_line_cycles")
    fill_line_cycles: float = constant("l1.fill_line_cycles")
    fill_turn_bytes: float = constant("clock.l1.fill_turn_bytes")  # that pass before an instruction's turn; 0: all
    fill_turn_passes: float = constant("clock.l1.fill_turn_passes")  # and over the banks
    in_order: float = constant("clock.l1.in_order")  # 1 where a warp has what it asks for in the order of asking
    unused_bytes: float = constant("l1.unused_bytes")
    copy_tag_cycles: float = constant("l1.copy_tag_cycles")


UNIT = Unit(
    name="l1",
    parameters=L1,
    sm=(
        ("tag_free", np.float64),  # when the tags take the next instruction
        ("tagged", np.int64),  # instructions that came to the tags
        ("tagged_at", np.float64, (TAGGED,)),  # when the tags have done with the last of them
        ("misses", np.int64),  # loads that are on their way from L2
        ("free_mshrs", np.int32, (MSHRS,)),  # a stack of them, beyond the first `misses`
        ("mshrs", MISS, (MSHRS,)),  # whose load it is, and the cycles that its data needs: data stage, tags
        ("fills", np.int64),  # loads whose data has come and waits for the data stage
        ("fill_head", np.int64),
        ("fill_queue", np.int32, (MSHRS,)),  # their MSHRs
        ("noted", np.int32, (_NOTED,)),  # where lines were last, by their numbers
    ),
    warp=(("returned", np.float64),),  # when the last of what the warp has asked for comes back
    chip={
        "l1_tags": Cells(of=INT, shape=lambda sizes: (sizes.sms, sizes.l1_lines)),  # a line's number + 1, 0 for none
        "l1_used": Cells(of=INT, shape=lambda sizes: (sizes.sms, sizes.l1_lines)),
        "l1_ready": Cells(of=FLOAT, shape=lambda sizes: (sizes.sms, 4 * sizes.l1_lines)),  # when a sector is there
    },
    counters=(Counter.L1_SECTORS, Counter.L1_HITS),
)


@compiled(int64, CLOCK, SM, int64)
def _place(ck: Arrays, sm: Record, line: Int) -> Int:
    """Return the place of a line in L1; of one that is not there, the place in its set that it would take.

    That is a free one, or of three that chance chooses the one that was used least recently.
    """
    tags, used, number = ck.l1_tags, ck.l1_used, sm.number
    noted = int64(sm.noted[slot(line, _NOTED)])
    if tags[number, noted] == line + 1:
        return noted
    sets, spreads = int64(ck.chip.l1.l1_sets), ck.chip.l1.unused_bytes > 0
    first = (line + (spread(line // sets) if spreads else 0)) % sets * WAYS
    free = int64(-1)
    for i in range(first, first + WAYS):
        if tags[number, i] == line + 1:
            sm.noted[slot(line, _NOTED)] = i
            return i
        free = i if tags[number, i] == 0 else free
    if free >= 0:
        return free
    drawn = spread(line + sm.requests)
    victim = first + drawn % WAYS
    for bits in _OTHERS:
        other = first + (drawn >> bits) % WAYS
        victim = other if used[number, other] < used[number, victim] else victim
    return victim


@compiled(int64, CLOCK, SM, int64, float64)
def _way(ck: Arrays, sm: Record, line: Int, t: Float) -> Int:
    """Look a line up, which takes the place of another where it is not there; return its place."""
    number, place = sm.number, _place(ck, sm, line)
    if ck.l1_tags[number, place] != line + 1:
        ck.l1_tags[number, place] = line + 1
        for k in range(4):
            ck.l1_ready[number, 4 * place + k] = NEVER
    ck.l1_used[number, place] = int64(t) + 1
    return place


@compiled(float64, CLOCK, QUEUED)
def looked_up(ck: Arrays, one: Record) -> Float:
    """Return how many cycles L1 looks an instruction's lines up for: some a cycle, if their words lie in other banks.

    Of boards where that was not measured, a line a cycle.
    """
    lines, most = float64(one.lines), ck.chip.l1.tag_lines_per_cycle
    if most == 0 or one.passes == 0:
        return lines
    return max(float64(one.passes), lines / most)


@compiled(float64, CLOCK, SM, OPERATION, QUEUED, float64, float64, float64)
def _arrival(ck: Arrays, sm: Record, op: Record, load: Record, t: Float, looked: Float, asked: Float) -> Float:
    """Look up every sector of a load and return when the last one is there: t if L1 holds them all.

    A strong load, which is to see what other SMs store, takes nothing of what L1 holds. The copies of a warp come in
    order.
    """
    if op.bypasses:
        return ldgsts.copied(ck, sm, load, int64(op.hint), t, asked)
    ready, arrival, come, line, way, missed = ck.l1_ready, t, 0.0, int64(-1), int64(0), int64(0)
    for k in range(load.sectors):
        sector = load.list[k]
        if sector >> 2 != line:
            line, missed = sector >> 2, 0
            way = _way(ck, sm, line, t)
        cell = 4 * way + (sector & 3)
        ck.counters[Counter.L1_SECTORS] += 1
        if ready[sm.number, cell] < NEVER and not op.is_strong:
            ck.counters[Counter.L1_HITS] += 1
        else:
            if not missed and not is_shared(ck, sm, op, way, t):
                free = room_at(ck, sm, line)
                if op.access == Access.COPY:
                    free = max(free, ldgsts.may_miss_at(ck, sm))
                asked, sm.tag_free = max(asked, free), max(sm.tag_free, free)
            missed = 1
            ready[sm.number, cell] = fetch_sector(ck, sm, op, load, k, t, asked)
            come = max(come, ready[sm.number, cell])
        arrival = max(arrival, ready[sm.number, cell])
    take_tags(ck, sm, load, looked)
    hold_lines(ck, sm, op, come, float64(ck.warps[load.warp].copies_done))
    return arrival


@compiled(float64, CLOCK, OPERATION, QUEUED)
def tag_cycles(ck: Arrays, op: Record, one: Record) -> Float:
    """Return how long the tags take for an instruction: by its lines, less for some that LDGSTS copies."""
    one.sets = 0
    if op.bypasses and op.access == Access.COPY:
        return ldgsts.tag_cycles(ck, one)
    if op.access == Access.ATOMIC and ck.chip.crossbar.atomic_packet_cycles > 0:
        return float64(max(flits_of(op, one), 1))
    least = cycles_by_set(ck, one) if op.access in _FINDS else 1.0
    return max(max(looked_up(ck, one), 1.0) + (ck.chip.l1.copy_tag_cycles if op.access == Access.COPY else 0.0), least)


@compiled(int64, CLOCK, SM, QUEUED)
def finds(ck: Arrays, sm: Record, load: Record) -> Int:
    """Tell whether L1 has all sectors of a load, or has asked for them."""
    for k in range(load.sectors):
        sector = load.list[k]
        place = _place(ck, sm, sector >> 2)
        if ck.l1_tags[sm.number, place] != (sector >> 2) + 1:
            return 0
        if ck.l1_ready[sm.number, 4 * place + (sector & 3)] >= NEVER:
            return 0
    return 1


@compiled(float64, CLOCK, SM, QUEUED, int64)
def _held_lines(ck: Arrays, sm: Record, load: Record, now: Int) -> Float:
    """Count the lines of a load of which L1 holds a sector that it reads; 0 where tags were not measured."""
    lines, line, place, found = 0.0, int64(-1), int64(0), int64(0)
    if ck.chip.l1.tag_lines_per_cycle == 0:
        return lines
    for k in range(load.sectors):
        if load.list[k] >> 2 != line:
            line, found = load.list[k] >> 2, 0
            place = _place(ck, sm, line)
        here = int64(ck.l1_ready[sm.number, 4 * place + (load.list[k] & 3)] <= now)
        lines += here and not found
        found |= here
    return lines


@compiled(int64, CLOCK, SM, OPERATION, QUEUED, int64, float64, float64)
def ask(ck: Arrays, sm: Record, op: Record, load: Record, now: Int, looked: Float, least: Float) -> Int:
    """Look up at a time what a load or a copy needs, and ask L2 for what is not there; return 0 where all comes now.

    What waited for others comes no earlier than `least`.
    """
    lines, before, piled, asked = int64(load.lines), sm.requests, 0.0, asks_at(sm, looked)
    warp = ck.warps[load.warp]
    if op.access == Access.COPY and op.bypasses:
        piled = ldgsts.pieces_asked(ck, sm, load, asked) - asked
    comes = max(_arrival(ck, sm, op, load, float64(now), looked, asked + piled), least)
    arrival = in_order(ck, warp, op, comes, float64(now))
    if not op.bypasses:
        comes, arrival = max(comes, last_leaves_at(sm)), max(arrival, last_leaves_at(sm))
    if op.access == Access.COPY and not op.bypasses:
        sm.tag_free += ldgsts.more_cycles(ck, sm, load, looked_up(ck, load), sm.requests - before, arrival > now)
    if arrival <= now:
        return 0
    if op.access == Access.COPY:
        cycles, warp.copied = ldgsts.write_cycles(ck, op, load), warp.copied + 1
        complete(sm, warp, op, load.warp, arrival + cycles - landing.sooner(ck, op))
    else:
        fetched, looked = min(sm.requests - before, lines), looked_up(ck, load)
        sm.lines_loaded += fetched
        sm.tag_free += max(fetched - load.tags, 0.0)  # what misses leaves them a line a cycle
        held = _held_lines(ck, sm, load, now)  # which are read at once, and again when the rest has come
        sm.stage_free = max(sm.stage_free, float64(now)) + looked * held / max(lines, 1)
        pending = looked * max(lines - fetched - held, 0.0) / max(lines, 1)
        if load.sectors * SECTOR < op.returned:  # lanes that read the same are served together
            pending = min(pending, max(lines_of(load) - fetched - held, 0.0))
        brought = fill_cycles(load, fetched, ck.chip.l1.fill_line_cycles)
        cycles = stage_cycles(ck, op, brought + ck.chip.l1.pending_line_cycles * pending)
    expect(ck, sm, op, load, int64(math.ceil(max(comes, now + 1.0))), cycles, arrival)
    return 1


@compiled(int64, CLOCK, SM, OPERATION)
def takes_next(ck: Arrays, sm: Record, op: Record) -> Int:
    """Return when an instruction may leave its sub-core's queue for the tags: 0 for one that does not wait there.

    Some instructions may wait at the tags without holding up what follows, whatever their lines, and fewer before a
    copy. While all MSHRs are in use, only what L2 brings wakes another load; while the queue for L2 is full,
    what leaves that, also a group of copies.
    """
    if op.access == Access.GROUP:
        return ASLEEP if sm.waiting >= WAITING else group_takes_next(ck, sm)
    if op.access not in _WAITS:
        return 0
    most = int64(ck.chip.waiting.atomic_queue_entries)
    if sm.misses + sm.waiting >= MSHRS or (most > 0 and (sm.waiting_flits >= most or sm.waiting >= WAITING)):
        return ASLEEP
    if op.access == Access.GLOBAL_STORE:
        return 0
    ahead = ldgsts.queue_entries(ck, op) if op.access == Access.COPY else int64(ck.chip.l1.tag_queue_entries)
    return int64(math.ceil(sm.tagged_at[(sm.tagged - ahead) % TAGGED]))
