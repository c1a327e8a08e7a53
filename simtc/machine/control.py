"""Branches and barriers.

Since Volta a block barrier holds threads, not warps: a warp has come to it once all its lanes that have not exited wait
there, at whichever instruction, and counts 32 threads then, however many lanes it has (PTX ISA, barrier). Lanes of one
warp that wait at different barriers therefore wait for ever.
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Arrays, Int, Record, jit
from simtc.machine.convergence import (
    ARRIVE,
    BLOCK,
    SYNC,
    count,
    first_lane,
    first_of,
    free,
    group,
    regroup,
    waiters,
)
from simtc.machine.micro import Control
from simtc.machine.state import STATE, Event, Outcome, Waiting
from simtc.machine.types import OP, int64, uint32, void

__all__ = ["came_to", "control", "go_past", "release"]

_ONE = np.uint32(1)


@jit(void(STATE, int64))
def go_past(s: Arrays, w: Int) -> None:
    """Let the lanes of a warp go on together that wait at a block barrier."""
    warp = s.warps[w]
    warp.blocked = uint32(0)
    group(s, w, warp.alive)
    regroup(s, w)


@jit(int64(STATE, int64))
def came_to(s: Arrays, w: Int) -> Int:
    """Return at which instruction a warp came to the block barrier that it has gone past."""
    warp = s.warps[w]
    return int64(warp.lane_pc[first_lane(warp.alive)]) - 1


@jit(int64(STATE, int64, int64))
def release(s: Arrays, slot: Int, b: Int) -> Int:
    """Complete a block barrier if all its threads have come; return 1 if it was."""
    block = s.blocks[slot]
    due = block.expected[b] or 32 * block.live_warps
    if block.arrived[b] < due or block.arrived[b] == 0:
        return 0
    block.arrived[b] = 0
    block.epoch += 1
    block.result[b] = block.voted[b]
    if block.voted[b] == block.voters[b]:
        block.result[b] |= np.int32(1 << 30)
    block.voted[b], block.voters[b] = 0, 0
    for w in range(block.first_warp, block.first_warp + block.warps):
        warp = s.warps[w]
        if warp.waiting == Waiting.BARRIER and warp.barrier == b:
            warp.waiting = Waiting.READY
            if warp.blocked:  # else it has gone on, up to what has to wait
                go_past(s, w)
    return 1


@jit(int64(STATE, int64, int64))
def _wait(s: Arrays, w: Int, b: Int) -> Int:
    """Make a warp wait at a block barrier to which all its lanes have come."""
    warp = s.warps[w]
    warp.waiting, warp.barrier = Waiting.BARRIER, b
    s.blocks[warp.block].arrived[b] += 32
    return Outcome.BRANCHED if release(s, warp.block, b) else Outcome.BLOCKED


@jit(int64(STATE, int64))
def _come(s: Arrays, w: Int) -> Int:
    """Let a warp none of whose lanes can go on come to the block barrier where all of them wait, if they do."""
    warp = s.warps[w]
    first = first_lane(warp.alive)
    what = int64(warp.lane_wait[first])
    warp.pc = warp.lane_pc[first] - 1
    if what < BLOCK or waiters(s, w, what) != warp.alive:
        s.event[Event.MASK], s.event[Event.PC] = int64(warp.blocked), int64(warp.pc)
        return Outcome.DEADLOCK
    if what < ARRIVE:
        return _wait(s, w, what - BLOCK)
    warp.blocked = uint32(0)
    group(s, w, warp.alive)
    regroup(s, w)
    s.blocks[warp.block].arrived[what - ARRIVE] += 32
    release(s, warp.block, what - ARRIVE)
    return Outcome.BRANCHED


@jit(int64(STATE, int64))
def _stop(s: Arrays, w: Int) -> Int:
    """Go on with other lanes after the active ones stopped; or the whole warp waits, or has ended."""
    warp = s.warps[w]
    block = s.blocks[warp.block]
    if warp.alive == 0:
        warp.waiting = Waiting.DONE
        warp.active = uint32(0)
        block.live_warps -= 1
        for b in range(16):
            release(s, warp.block, b)
        return Outcome.EXITED
    free(s, w)
    if regroup(s, w):
        return Outcome.BRANCHED
    return _come(s, w)


@jit(int64(STATE, int64, uint32, int64, int64))
def _block_lanes(s: Arrays, w: Int, lanes: Int, what: Int, pc: Int) -> Int:
    """Make lanes wait for `what`, to go on at `pc`; the rest of the active lanes goes on now."""
    warp = s.warps[w]
    for lane in range(32):
        if (lanes >> uint32(lane)) & _ONE:
            warp.lane_wait[lane] = what
            warp.lane_pc[lane] = pc
        elif (warp.active >> uint32(lane)) & _ONE:
            warp.lane_pc[lane] = pc
    group(s, w, warp.active)
    warp.blocked |= lanes
    return _stop(s, w)


@jit(int64(STATE, int64, uint32, int64))
def _branch(s: Arrays, w: Int, m: Int, target: Int) -> Int:
    """Send the lanes `m` to `target`; the other active lanes fall through."""
    warp = s.warps[w]
    stay = warp.active & ~m
    if m == 0:
        warp.pc += 1
        return Outcome.NEXT
    if stay == 0:
        taken = target != warp.pc + 1
        warp.pc = target
        s.event[Event.TAKEN] = 1 if taken else 0
        return Outcome.BRANCHED
    for lane in range(32):
        if (m >> uint32(lane)) & _ONE:
            warp.lane_pc[lane] = target
        elif (stay >> uint32(lane)) & _ONE:
            warp.lane_pc[lane] = warp.pc + 1
    # the lower address goes first, so that both paths meet as early as they can
    if target < warp.pc + 1:
        group(s, w, stay)
        warp.active, warp.pc = m, target
    else:
        group(s, w, m)
        warp.active, warp.pc = stay, warp.pc + 1
    s.event[Event.TAKEN] = 1
    return Outcome.BRANCHED


@jit(int64(STATE, OP, int64, int64, uint32))
def _indirect(s: Arrays, op: Record, w: Int, a: Int, m: Int) -> Int:
    """Branch to an address in a register (BRX, RET, indirect CALL): lanes may part many ways."""
    warp = s.warps[w]
    stop = op.aux
    for lane in range(32):
        if (m >> uint32(lane)) & _ONE:
            target = (int64(s.F[a + lane]) + op.imm) & int64(0xFFFFFFFF)
            if target & 15 or target >= 16 * stop:
                s.event[Event.LANE], s.event[Event.ADDRESS] = lane, target
                return Outcome.BAD_BRANCH
            warp.lane_pc[lane] = target >> 4
        elif (warp.active >> uint32(lane)) & _ONE:
            warp.lane_pc[lane] = warp.pc + 1
    group(s, w, warp.active)  # and by target
    regroup(s, w)
    s.event[Event.TAKEN] = 1
    return Outcome.BRANCHED


@jit(int64(STATE, OP, int64, uint32, int64, int64, uint32))
def _barrier(s: Arrays, op: Record, w: Int, m: Int, a: Int, c: Int, q: Int) -> Int:
    """Arrive at a block barrier; variant 0 SYNC, 1 ARV, 2 RED (which counts the threads whose predicate holds)."""
    warp = s.warps[w]
    if m == 0:
        warp.pc += 1
        return Outcome.NEXT
    block = s.blocks[warp.block]
    b, expected = int64(op.imm), int64(op.aux)
    if b < 0:  # one register holds the barrier's number and above it how many threads it takes
        b = int64(first_of(s, a, m) & uint32(15))
    if expected < 0:
        word = first_of(s, c, m)
        expected = int64((word >> uint32(16) if op.imm < 0 else word) & uint32(0xFFF))
    block.expected[b] = expected
    if op.variant == 1 and m == warp.alive:
        block.arrived[b] += 32
        release(s, warp.block, b)
        warp.pc += 1
        return Outcome.NEXT
    if op.variant == 2:
        block.voted[b] += count(q & m)
        block.voters[b] += count(m)
    if m == warp.alive:  # the common case: the whole warp arrives together
        for lane in range(32):
            warp.lane_pc[lane] = warp.pc + 1
            warp.lane_wait[lane] = BLOCK + b
        warp.blocked = m
        return _wait(s, w, b)
    return _block_lanes(s, w, m, b + (ARRIVE if op.variant == 1 else BLOCK), warp.pc + 1)


@jit(int64(STATE, OP, int64, int64, int64, uint32, uint32))
def control(s: Arrays, op: Record, w: Int, a: Int, b: Int, m: Int, q: Int) -> Int:
    """Execute one micro-operation of control flow for the lanes `m`."""
    warp = s.warps[w]
    code = op.code
    if code == Control.BRANCH or code == Control.CALL:
        return _branch(s, w, m & q, op.imm)
    if code == Control.BRANCH_DIVERGED:
        wanted = uint32(first_of(s, a, m) ^ op.a_xor) & warp.alive
        apart = warp.active & wanted != wanted
        return _branch(s, w, m if apart == (op.variant == 0) else uint32(0), op.imm)
    if code == Control.EXIT:
        m &= q
        warp.alive &= ~m
        if warp.active & ~m:
            warp.active &= ~m
            warp.pc += 1
            return Outcome.NEXT
        return _stop(s, w)
    if code == Control.CONVERGE and m:
        if m == warp.active and warp.convergence[op.imm] & warp.alive & ~m == 0:
            warp.convergence[op.imm] = uint32(0)
            warp.pc += 1
            return Outcome.NEXT
        return _block_lanes(s, w, m, op.imm, warp.pc + 1)
    if code == Control.WARP_SYNC and m:
        wanted = uint32(first_of(s, a, m) ^ op.a_xor) & warp.alive
        if wanted & ~m == 0:  # lanes whose predicate is off have not come
            warp.pc += 1
            return Outcome.NEXT
        for lane in range(32):
            if (m >> uint32(lane)) & _ONE:
                warp.lane_sync[lane] = wanted
        return _block_lanes(s, w, m, SYNC, warp.pc + 1)
    if code == Control.BARRIER:
        return _barrier(s, op, w, m, a, b, q)
    if code == Control.BRANCH_INDIRECT:
        return _indirect(s, op, w, a, m) if m else _branch(s, w, m, 0)
    if code == Control.YIELD and warp.alive & ~warp.blocked & ~warp.active:
        for lane in range(32):
            if (warp.active >> uint32(lane)) & _ONE:
                warp.lane_pc[lane] = warp.pc + 1
        before = warp.active
        group(s, w, before)
        warp.blocked |= before  # so that the others get their turn
        regroup(s, w)
        warp.blocked &= ~before
        return Outcome.YIELDED
    if m:
        if code == Control.SET_CONVERGENCE:
            warp.convergence[op.imm] |= m  # lanes that came another way may be in it already
        elif code == Control.BREAK:
            warp.convergence[op.imm] &= ~m
            free(s, w)
        elif code == Control.WRITE_CONVERGENCE:
            warp.convergence[op.imm] = first_of(s, a, m)
        elif code == Control.COPY_CONVERGENCE:
            members = warp.convergence[op.variant]
            if op.aux:
                warp.convergence[op.variant] = uint32(0)
            warp.convergence[op.imm] = members
            free(s, w)
        elif code == Control.TRAP:
            return Outcome.TRAPPED
        elif code == Control.CALL_OUTSIDE:
            return Outcome.OUTSIDE_CALL
    warp.pc += 1
    return Outcome.NEXT
