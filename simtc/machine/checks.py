"""One checked instruction: `step`, and around it what compute-sanitizer would look for.

What the checks find does not stop the run: each finding is kept once for each pair of instructions, and the launch says
all of them at its end. See sass_notes/checks.md for what is found, what is not, and why.
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Arrays, Int, Record, jit
from simtc.machine.content import loaded, operands
from simtc.machine.convergence import first_lane
from simtc.machine.micro import PREDICATES, WARP_WORDS, Control, Family
from simtc.machine.micro import Memory as Code
from simtc.machine.order import arrive, copies, join, released
from simtc.machine.races import accessed, report
from simtc.machine.state import CODE, MEMORY, STATE, Geometry
from simtc.machine.step import step
from simtc.machine.types import OP, int64, uint32, void
from simtc.machine.unknown import flow, settle, used
from simtc.machine.watch import PLACES, PREDICATE_AT, Found, Habit

__all__ = ["checked_step"]

_ONE = np.uint32(1)
_FULL = np.uint32(0xFFFFFFFF)
_WARPSYNC = 16  # in lane_wait
_ARRIVE, _ALL = 1, 0
_REGISTERS = 255


@jit(void(STATE, int64))
def _begin(s: Arrays, slot: Int) -> None:
    """Forget what an earlier block left."""
    block = s.blocks[slot]
    for i in range(block.shared_at, block.shared_at + s.geometry[Geometry.SHARED_BYTES]):
        s.written[i], s.read[i], s.read_too[i], s.unset[i] = 0, 0, 0, 1
    for b in range(16):
        s.gathered[16 * slot + b].used, s.gathered[16 * slot + b].expected = 0, 0
    for i in range(slot * s.beyond.size, (slot + 1) * s.beyond.size):
        s.counted[i] = 0
    for w in range(block.first_warp, block.first_warp + block.warps):
        for i in range(PLACES * w, PLACES * (w + 1)):
            s.unknown[i], s.origin[i] = _FULL if i - PLACES * w < _REGISTERS else uint32(0), 0
        mine = s.watch[w]
        mine.clock, mine.joined, mine.committed, mine.waited, mine.waits_at = 1, 0, 0, 0, 0
        for i in range(1024):
            mine.lanes[i] = 0
        for i in range(32):
            mine.times[i] = 0
        for i in range(512):
            mine.crossed[i] = 0


@jit(void(STATE, int64, int64, uint32))
def _behind(s: Arrays, w: Int, place: Int, m: Int) -> None:
    """Look at threads that have come to where a barrier lies behind all: each must have taken it as often as others."""
    mine, slot, b = s.watch[w], int64(s.warps[w].block), int64(s.beyond[place]) - 1
    barrier, at = s.gathered[16 * slot + b].place, slot * s.beyond.size + place
    for i in range(s.found[0]):
        one = s.findings[i]
        if (one.kind == Found.DIVERGENT_BARRIER and one.place == barrier) or (
            one.kind == Found.MISSED_BARRIER and one.other == barrier and one.step != s.found[1]
        ):
            return  # it is said already
    for lane in range(32):
        if not (m >> uint32(lane)) & _ONE:
            continue
        taken = mine.crossed[32 * b + lane]
        if s.counted[at] == 0:
            s.counted[at] = taken + 1
        elif s.counted[at] != taken + 1:
            report(s, w, Found.MISSED_BARRIER, barrier, lane, taken, s.counted[at] - 1, b)


@jit(void(STATE, OP, int64, int64, int64, uint32))
def _barrier(s: Arrays, op: Record, w: Int, place: Int, base: Int, m: Int) -> None:
    """Look at a warp that comes to a barrier of the block."""
    warp, mine = s.warps[w], s.watch[w]
    first = first_lane(m)
    b, count = int64(op.imm), int64(op.aux)
    if b < 0:
        b = int64(s.F[op.a + op.a_warp * base + first] & uint32(15))
    if count < 0:
        word = s.F[op.b + op.b_warp * base + first]
        count = int64((word >> uint32(16) if op.imm < 0 else word) & uint32(0xFFF))
    gathered = s.gathered[16 * warp.block + b]
    if op.variant != _ARRIVE and m != warp.alive:
        for lane in range(32):
            if (m >> uint32(lane)) & _ONE:
                report(s, w, Found.DIVERGENT_BARRIER, -1, lane, int64(warp.alive), 0, b)
    if count & 31:
        report(s, w, Found.BARRIER_COUNT, -1, first, count, 0, b)
    elif gathered.used and gathered.expected != count:
        report(s, w, Found.BARRIER_COUNTS, gathered.place, first, count, gathered.expected, b)
    if count == _ALL and op.imm >= 0:
        for lane in range(32):
            mine.crossed[32 * b + lane] += int64((m >> uint32(lane)) & _ONE)
    gathered.expected, gathered.place = count, place
    arrive(s, w, b, int64(op.variant != _ARRIVE))


@jit(void(STATE, OP, int64, int64, uint32))
def _mask(s: Arrays, op: Record, w: Int, at: Int, m: Int) -> None:
    """Look at a mask of threads that wait for each other: each thread that comes must be in its own."""
    for lane in range(32):
        wanted = s.F[at + lane] ^ op.a_xor
        if (m >> uint32(lane)) & _ONE and not (wanted >> uint32(lane)) & _ONE:
            report(s, w, Found.MASK_WITHOUT_CALLER, -1, lane, int64(uint32(wanted)), 0, 0)


@jit(uint32(STATE, OP, int64, int64, int64, uint32))
def _named(s: Arrays, op: Record, w: Int, place: Int, base: Int, m: Int) -> Int:
    """Return the threads that an instruction joins: those that execute it, and are in its mask where that is known."""
    if s.masks[place] == 0:
        return m
    at, named = base + 32 * (s.masks[place] - 1), uint32(0)
    _mask(s, op, w, at, m)
    for lane in range(32):
        named |= (s.F[at + lane] >> uint32(lane) & _ONE) << uint32(lane)
    return m & named


@jit(int64(STATE, MEMORY, CODE, OP, int64, int64, int64, uint32))
def _control(s: Arrays, mem: Arrays, code: Arrays, op: Record, w: Int, place: Int, base: Int, m: Int) -> Int:
    """Execute what steers threads, and follow whom it brings together."""
    warp = s.warps[w]
    slot = int64(warp.block)
    epoch, blocked = s.blocks[slot].epoch, uint32(warp.blocked)
    for i in range(s.uses_at[2 * place], s.uses_at[2 * place + 1]):
        used(s, w, s.uses[i], m)
    if m and op.code == Control.BARRIER:
        _barrier(s, op, w, place, base, m)
    if m and op.code == Control.BRANCH_DIVERGED and op.a_warp:
        _mask(s, op, w, int64(op.a + op.a_warp * base), m)
    if m and op.code == Control.WARP_SYNC:
        _mask(s, op, w, int64(op.a + op.a_warp * base), m)
        blocked |= m
    outcome = step(s, mem, code, w)
    freed = uint32(0)
    for lane in range(32):
        bit = _ONE << uint32(lane)
        if blocked & ~warp.blocked & bit and (
            warp.lane_wait[lane] == _WARPSYNC or (op.code == Control.WARP_SYNC and m & bit)
        ):
            freed |= bit
    if freed:
        join(s, w, freed)
    if s.blocks[slot].epoch != epoch:
        released(s, slot)
    for k in range(16):
        s.doubts[k] = 0
    settle(s, w, place, m, uint32(0))
    return outcome


@jit(void(STATE, int64, int64, uint32))
def _origin(s: Arrays, w: Int, place: Int, shared: Int) -> None:
    """Note which load gave registers what nothing wrote: below zero one of global memory."""
    for i in range(s.uses_at[2 * place + 1], s.uses_at[2 * place + 2]):
        if s.unknown[PLACES * w + s.uses[i]]:
            s.origin[PLACES * w + s.uses[i]] = place + 1 if shared else -(place + 1)


@jit(int64(STATE, MEMORY, CODE, OP, int64, int64, int64, uint32))
def _memory(s: Arrays, mem: Arrays, code: Arrays, op: Record, w: Int, place: Int, base: Int, m: Int) -> Int:
    """Execute a memory access, and follow what it does to whose bytes."""
    what = op.code
    at = w * PREDICATES
    q = uint32(s.P[at + op.q] ^ op.q_flip)
    local = what == Code.LOAD_LOCAL or what == Code.STORE_LOCAL or what == Code.LOAD_CONSTANT
    apart = what == Code.LOAD_GLOBAL or what == Code.STORE_GLOBAL or what == Code.ATOMIC_GLOBAL
    shared = uint32(0)
    if apart:
        for lane in range(32):
            s.where[lane] = 0
    elif not local:
        shared = accessed(s, op, w, base, m, int64(s.habits[place]))
    operands(s, op, w, m, q, shared)
    if s.beyond[place] and not local:
        _behind(s, w, place, m)
    outcome = step(s, mem, code, w)
    if outcome >= 0:
        if local:
            for k in range(16):
                s.doubts[k] = 0
        else:
            loaded(s, op, w, m, q, shared)
        settle(s, w, place, m, uint32(0))
        _origin(s, w, place, shared)
    return outcome


@jit(int64(STATE, MEMORY, CODE, int64), from_python=True)
def checked_step(s: Arrays, mem: Arrays, code: Arrays, w: Int) -> Int:
    """Execute one instruction as `step` does, with the checks above."""
    warp = s.warps[w]
    if warp.executed == 0 and warp.index == 0:
        _begin(s, int64(warp.block))
    s.found[1] += 1
    place = int64(warp.pc)
    s.found[2] = place
    op, habit = code.ops[place], int64(s.habits[place])
    base = s.geometry[Geometry.LITERAL_WORDS] + w * WARP_WORDS
    m = uint32(warp.active & (s.P[w * PREDICATES + op.guard] ^ op.guard_flip))
    guard = PREDICATE_AT + op.guard
    unsure = uint32(s.unknown[PLACES * w + guard] & warp.active)
    if habit and m:
        if habit & Habit.JOINS:
            join(s, w, _named(s, op, w, place, base, m))
        copies(s, w, habit)
    if op.family == Family.CONTROL:
        used(s, w, guard, unsure)
        return _control(s, mem, code, op, w, place, base, m)
    if op.family == Family.MEMORY:
        used(s, w, guard, unsure)
        if m:
            return _memory(s, mem, code, op, w, place, base, m)
        return step(s, mem, code, w)
    if m | unsure:
        flow(s, code, op, w, place, base, habit, m)
    outcome = step(s, mem, code, w)
    if m | unsure:
        settle(s, w, place, m | unsure, unsure)
    return outcome
