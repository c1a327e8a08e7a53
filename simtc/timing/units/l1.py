"""L1: its tags, a line a cycle, and its MSHRs, which keep the loads that missed until their data comes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import ASLEEP, WAYS, Access, Counter
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, FLOAT, INT, SM, Cells, Parameters, Unit, compiled, constant, launched
from simtc.timing.units import ldgsts
from simtc.timing.units.crossbar import copy_sector, fetch_sector, send_atomic
from simtc.timing.units.events import expect_fill
from simtc.timing.units.l2_tags import NEVER
from simtc.timing.units.memory_queue import QUEUED
from simtc.timing.units.scoreboards import complete
from simtc.timing.units.write_combining import answered, asks_at

__all__ = ["L1", "MSHRS", "UNIT", "arrived", "misses", "take_fill", "takes_next"]

MSHRS: Final = 1024  # loads of one SM on their way from L2 that the clock keeps count of
_MISS = np.dtype([("cycles", np.float64), ("warp", np.int32), ("instruction", np.int32), ("sub", np.int32)], align=True)
_WIDE = (Access.GLOBAL_LOAD, Access.COPY, Access.ATOMIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class L1(Parameters):
    """What a board says of L1."""

    l1_sets: float = launched("l1_sets")
    tag_ahead_lines: float = constant("l1.tag_ahead_lines")
    pending_line_cycles: float = constant("l1.pending_line_cycles")


UNIT = Unit(
    name="l1",
    parameters=L1,
    sm=(
        ("tag_free", np.float64),  # when the tags take the next instruction
        ("misses", np.int64),  # loads that are on their way from L2
        ("free_mshrs", np.int32, (MSHRS,)),  # a stack of them, beyond the first `misses`
        ("mshrs", _MISS, (MSHRS,)),  # whose load it is, and the cycles that its data needs of the data stage
        ("fills", np.int64),  # loads whose data has come and waits for the data stage
        ("fill_head", np.int64),
        ("fill_queue", np.int32, (MSHRS,)),  # their MSHRs
    ),
    chip={
        "l1_tags": Cells(of=INT, shape=lambda sizes: (sizes.sms, sizes.l1_lines)),  # a line's number + 1, 0 for none
        "l1_used": Cells(of=INT, shape=lambda sizes: (sizes.sms, sizes.l1_lines)),
        "l1_ready": Cells(of=FLOAT, shape=lambda sizes: (sizes.sms, 4 * sizes.l1_lines)),  # when a sector is there
    },
    counters=(Counter.L1_SECTORS, Counter.L1_HITS),
)


@compiled(int64, CLOCK, int64, int64, float64)
def _way(ck: Arrays, number: Int, line: Int, t: Float) -> Int:
    """Find a line's place in the L1 of an SM, for which the least recently used one goes."""
    first = (line % int64(ck.chip.l1.l1_sets)) * WAYS
    tags, used, ready = ck.l1_tags, ck.l1_used, ck.l1_ready
    way = int64(-1)
    for i in range(first, first + WAYS):
        if tags[number, i] == line + 1:
            way = i
            break
    if way < 0:
        way = first
        for i in range(first + 1, first + WAYS):
            if used[number, i] < used[number, way]:
                way = i
        tags[number, way] = line + 1
        for k in range(4):
            ready[number, 4 * way + k] = NEVER
    used[number, way] = int64(t) + 1
    return way


@compiled(float64, CLOCK, SM, int64, int64, int64, float64, float64)
def _load_sector(ck: Arrays, sm: Record, sector: Int, way: Int, hint: Int, t: Float, asked: Float) -> Float:
    """Look a sector up; return when it is there: t for a hit.

    Args:
        ck: the clock.
        sm: whose load it is.
        sector: its number.
        way: the place of its line.
        hint: aligned bytes around it that the load would like L2 to have, of its line.
        t: when L1 looks it up.
        asked: when L2 is asked for it.

    """
    number, ready, cell = sm.number, ck.l1_ready, 4 * way + (sector & 3)
    ck.counters[Counter.L1_SECTORS] += 1
    if ready[number, cell] < NEVER:
        ck.counters[Counter.L1_HITS] += 1
        return max(t, ready[number, cell])
    arrival = fetch_sector(ck, sm, sector, hint, t, asked)
    ready[number, cell] = arrival
    return arrival


@compiled(float64, CLOCK, SM, OPERATION, QUEUED, float64, float64)
def _arrival(ck: Arrays, sm: Record, op: Record, load: Record, t: Float, asked: Float) -> Float:
    """Look up every sector of a load and return when the last one is there: t if L1 holds them all."""
    arrival, hint, line, way = t, int64(op.hint), int64(-1), int64(0)
    if op.access == Access.ATOMIC:
        return max(send_atomic(ck, sm, op, load, asked), t + 1)
    for k in range(load.sectors):
        sector = load.list[k]
        if op.bypasses:
            ck.counters[Counter.L1_SECTORS] += 1
            arrival = max(arrival, copy_sector(ck, sm, load, k, hint, t, asked))
        else:
            if sector >> 2 != line:
                line = sector >> 2
                way = _way(ck, sm.number, line, t)
            arrival = max(arrival, _load_sector(ck, sm, sector, way, hint, t, asked))
    return arrival


@compiled(float64, CLOCK, OPERATION, QUEUED)
def tag_cycles(ck: Arrays, op: Record, one: Record) -> Float:
    """Return how long the tags take for an instruction: a cycle for each line, less for some that LDGSTS copies."""
    if op.bypasses and op.access == Access.COPY:
        return ldgsts.tag_cycles(ck, one)
    return max(float64(one.lines), 1.0)


@compiled(int64, CLOCK, SM, OPERATION, QUEUED, int64, int64)
def misses(ck: Arrays, sm: Record, op: Record, load: Record, sub: Int, now: Int) -> Int:
    """Look a load up; what misses keeps an MSHR, and passes the data stage when its data comes."""
    lines = int64(load.lines)
    asked = asks_at(sm, sm.tag_free - load.tags)
    before = sm.requests
    arrival = _arrival(ck, sm, op, load, float64(now), asked)
    if arrival <= now:
        return 0
    if op.access == Access.ATOMIC:
        answered(ck.warps[load.warp], int64(math.ceil(arrival)))
    if op.access == Access.COPY:
        cycles = ldgsts.write_cycles(ck, op, load)
        complete(sm, ck.warps[load.warp], op, load.warp, arrival + cycles)
    else:
        fetched = min(sm.requests - before, lines)
        cycles = fetched + ck.chip.l1.pending_line_cycles * (lines - fetched)
        cycles = max(cycles, op.returned / ck.chip.shared_memory.data_stage_bytes_per_cycle, 1.0)
    number = sm.free_mshrs[sm.misses]
    sm.misses += 1
    miss = sm.mshrs[number]
    miss.warp, miss.instruction, miss.sub, miss.cycles = load.warp, load.instruction, sub, cycles
    expect_fill(sm, int64(math.ceil(arrival)), number)
    return 1


@compiled(int64, CLOCK, SM, OPERATION)
def takes_next(ck: Arrays, sm: Record, op: Record) -> Int:
    """Return when an instruction may leave its sub-core's queue for the tags: 0 for one that does not wait there.

    Some lines may wait at the tags without holding up what follows, but not those of LDGSTS past L1. While all MSHRs
    are in use, only what L2 brings wakes another load.
    """
    if op.access not in _WIDE:
        return 0
    if sm.misses >= MSHRS:
        return ASLEEP
    ahead = int64(0) if op.access == Access.COPY and op.bypasses else int64(ck.chip.l1.tag_ahead_lines)
    return int64(math.ceil(sm.tag_free)) - ahead


@compiled(void, SM, int64)
def arrived(sm: Record, number: Int) -> None:
    """Queue data that has come from L2 for the data stage."""
    sm.fill_queue[(sm.fill_head + sm.fills) % MSHRS] = number
    sm.fills += 1


@compiled(int64, SM)
def take_fill(sm: Record) -> Int:
    """Free the MSHR whose data came first; return its number, under which `mshrs` tells of it until the next miss."""
    number = sm.fill_queue[sm.fill_head]
    sm.fill_head = (sm.fill_head + 1) % MSHRS
    sm.fills -= 1
    sm.misses -= 1
    sm.free_mshrs[sm.misses] = number
    return number
