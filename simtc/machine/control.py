"""Branches, convergence and barriers.

Lanes of a warp may part ways. Those that execute together are `active` and share the warp's pc; the others keep their
own `lane_pc`. A convergence barrier (BSSY .. BSYNC) holds lanes back until all its participants have come; when the
active lanes stop, a group of ready lanes with the lowest address goes on.

Lanes that parted stay apart, in `lane_group`, until a barrier joins them, even where they stand at the same address: an
H200 executes a BSYNC once for each group that comes to it (instructions counted in sorts with nested branches).
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Arrays, Int, Record, jit
from simtc.machine.micro import Control
from simtc.machine.state import STATE, Event, Outcome, Waiting
from simtc.machine.types import OP, int64, uint32, void

__all__ = ["control", "release"]

_ONE = np.uint32(1)
_SYNC = 16
_BLOCK = 17


@jit(int64(uint32))
def _count(x: Int) -> Int:
    n = int64(0)
    while x:
        x &= x - _ONE
        n += 1
    return n


@jit(uint32(STATE, int64, uint32))
def _first(s: Arrays, a: Int, lanes: Int) -> Int:
    """Return a register's value in the first of the lanes."""
    for lane in range(32):
        if (lanes >> uint32(lane)) & _ONE:
            return s.F[a + lane]
    return uint32(0)


@jit(uint32(STATE, int64, int64))
def _waiters(s: Arrays, w: Int, what: Int) -> Int:
    """Return the lanes that wait for `what`."""
    lanes, warp = uint32(0), s.warps[w]
    for lane in range(32):
        if (warp.blocked >> uint32(lane)) & _ONE and warp.lane_wait[lane] == what:
            lanes |= _ONE << uint32(lane)
    return lanes


@jit(void(STATE, int64, uint32))
def _group(s: Arrays, w: Int, lanes: Int) -> None:
    """Make lanes a group of their own."""
    warp = s.warps[w]
    warp.groups += 1
    for lane in range(32):
        if (lanes >> uint32(lane)) & _ONE:
            warp.lane_group[lane] = warp.groups


@jit(void(STATE, int64))
def _free(s: Arrays, w: Int) -> None:
    """Let lanes go whose convergence barrier, or WARPSYNC, is complete."""
    warp = s.warps[w]
    for b in range(16):
        waiting = _waiters(s, w, b)
        if waiting and warp.convergence[b] & warp.alive & ~waiting == 0:
            warp.blocked &= ~waiting
            warp.convergence[b] = uint32(0)
            _group(s, w, waiting)
    waiting, complete = _waiters(s, w, _SYNC), uint32(0)
    for lane in range(32):
        if (waiting >> uint32(lane)) & _ONE and warp.lane_sync[lane] & warp.alive & ~waiting == 0:
            complete |= _ONE << uint32(lane)
    if complete:
        warp.blocked &= ~complete
        _group(s, w, complete)


@jit(int64(STATE, int64))
def _regroup(s: Arrays, w: Int) -> Int:
    """Choose which lanes go on: of the groups that are ready at the lowest address, the one that is so for longest."""
    warp = s.warps[w]
    ready = warp.alive & ~warp.blocked
    lowest, group = np.int32(0x7FFFFFFF), np.int32(0)
    for lane in range(32):
        pc, mine = warp.lane_pc[lane], warp.lane_group[lane]
        if (ready >> uint32(lane)) & _ONE and (pc < lowest or (pc == lowest and mine < group)):
            lowest, group = pc, mine
    active = uint32(0)
    for lane in range(32):
        if (ready >> uint32(lane)) & _ONE and warp.lane_pc[lane] == lowest and warp.lane_group[lane] == group:
            active |= _ONE << uint32(lane)
    warp.active = active
    warp.pc = lowest
    return 1 if ready else 0


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
            warp.blocked = uint32(0)
            _group(s, w, warp.alive)
            _regroup(s, w)
    return 1


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
    _free(s, w)
    if _regroup(s, w):
        return Outcome.BRANCHED
    at_barrier = _waiters(s, w, _BLOCK)
    if at_barrier != warp.alive:
        s.event[Event.MASK] = int64(warp.blocked)
        return Outcome.DEADLOCK
    warp.waiting = Waiting.BARRIER
    block.arrived[warp.barrier] += 32
    return Outcome.BRANCHED if release(s, warp.block, warp.barrier) else Outcome.BLOCKED


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
    _group(s, w, warp.active)
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
        _group(s, w, stay)
        warp.active, warp.pc = m, target
    else:
        _group(s, w, m)
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
    _group(s, w, warp.active)  # and by target
    _regroup(s, w)
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
    b = int64(op.imm) if op.imm >= 0 else int64(_first(s, a, m) & uint32(15))
    block.expected[b] = op.aux if op.aux >= 0 else int64(_first(s, c, m) >> uint32(16))
    if op.variant == 1:
        block.arrived[b] += 32
        release(s, warp.block, b)
        warp.pc += 1
        return Outcome.NEXT
    if op.variant == 2:
        block.voted[b] += _count(q & m)
        block.voters[b] += _count(m)
    warp.barrier = b
    if m == warp.alive:  # the common case: the whole warp arrives together
        for lane in range(32):
            warp.lane_pc[lane] = warp.pc + 1
            warp.lane_wait[lane] = _BLOCK
        warp.blocked = m
        warp.waiting = Waiting.BARRIER
        block.arrived[b] += 32
        return Outcome.BRANCHED if release(s, warp.block, b) else Outcome.BLOCKED
    return _block_lanes(s, w, m, _BLOCK, warp.pc + 1)


@jit(int64(STATE, OP, int64, int64, int64, uint32, uint32))
def control(s: Arrays, op: Record, w: Int, a: Int, b: Int, m: Int, q: Int) -> Int:
    """Execute one micro-operation of control flow for the lanes `m`."""
    warp = s.warps[w]
    code = op.code
    if code == Control.BRANCH or code == Control.CALL:
        return _branch(s, w, m & q, op.imm)
    if code == Control.BRANCH_DIVERGED:
        wanted = uint32(_first(s, a, m) ^ op.a_xor) & warp.alive
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
    if code == Control.CONVERGE:
        if m == warp.active and warp.convergence[op.imm] & warp.alive & ~m == 0:
            warp.convergence[op.imm] = uint32(0)
            warp.pc += 1
            return Outcome.NEXT
        return _block_lanes(s, w, m, op.imm, warp.pc + 1)
    if code == Control.WARP_SYNC:
        wanted = uint32(_first(s, a, m) ^ op.a_xor) & warp.alive
        if wanted & ~warp.active == 0:
            warp.pc += 1
            return Outcome.NEXT
        for lane in range(32):
            if (m >> uint32(lane)) & _ONE:
                warp.lane_sync[lane] = wanted
        return _block_lanes(s, w, m, _SYNC, warp.pc + 1)
    if code == Control.BARRIER:
        return _barrier(s, op, w, m, a, b, q)
    if code == Control.BRANCH_INDIRECT:
        return _indirect(s, op, w, a, m) if m else _branch(s, w, m, 0)
    if code == Control.YIELD and warp.alive & ~warp.blocked & ~warp.active:
        for lane in range(32):
            if (warp.active >> uint32(lane)) & _ONE:
                warp.lane_pc[lane] = warp.pc + 1
        before = warp.active
        _group(s, w, before)
        warp.blocked |= before  # so that the others get their turn
        _regroup(s, w)
        warp.blocked &= ~before
        return Outcome.YIELDED
    if m:
        if code == Control.SET_CONVERGENCE:
            warp.convergence[op.imm] |= m  # lanes that came another way may be in it already
        elif code == Control.BREAK:
            warp.convergence[op.imm] &= ~m
            _free(s, w)
        elif code == Control.WRITE_CONVERGENCE:
            warp.convergence[op.imm] = _first(s, a, m)
        elif code == Control.TRAP:
            return Outcome.TRAPPED
        elif code == Control.CALL_OUTSIDE:
            return Outcome.OUTSIDE_CALL
    warp.pc += 1
    return Outcome.NEXT
