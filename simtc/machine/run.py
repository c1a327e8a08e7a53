"""The functional driver: every block to completion, as fast as it goes."""

from __future__ import annotations

from typing import Final

import numpy as np
from numba import from_dtype

from simtc.jit import Array, Arrays, Int, Record, jit
from simtc.machine.micro import LANES, PREDICATES, TRUE, UNIFORM_PREDICATE, WARP_WORDS, Row
from simtc.machine.state import CODE, MEMORY, STATE, Event, Geometry, Outcome, Waiting
from simtc.machine.step import STEP
from simtc.machine.types import LONGS, int64, uint32, void

__all__ = ["BLOCKS", "run_blocks", "start_block"]

BLOCKS: Final = np.dtype(
    [
        ("first", np.int64),  # block of the grid, and the one behind the last
        ("last", np.int64),
        ("limit", np.int64),  # the most instructions of a warp, and of the blocks under way together
        ("launch_limit", np.int64),
        ("executed", np.int64),  # warp-instructions so far
    ]
)
TASK: Final = from_dtype(BLOCKS)
_FULL = np.uint32(0xFFFFFFFF)
_TURN = 4096  # instructions a warp may execute before its neighbours get a turn


@jit(void(STATE, int64, int64), from_python=True)
def start_block(s: Arrays, slot: Int, number: Int) -> None:
    """Make block `number` of the grid resident in `slot`, with fresh registers and shared memory."""
    g = s.geometry
    block = s.blocks[slot]
    block.x = number % g[Geometry.GRID_X]
    block.y = number // g[Geometry.GRID_X] % g[Geometry.GRID_Y]
    block.z = number // (g[Geometry.GRID_X] * g[Geometry.GRID_Y])
    warps = g[Geometry.WARPS]
    block.first_warp, block.warps, block.live_warps = slot * warps, warps, warps
    for b in range(16):
        block.arrived[b], block.expected[b], block.voted[b], block.voters[b] = 0, 0, 0, 0
    for i in range(g[Geometry.SHARED_BYTES]):
        s.shared[block.shared_at + i] = 0
    threads = g[Geometry.BLOCK_X] * g[Geometry.BLOCK_Y] * g[Geometry.BLOCK_Z]
    for i in range(warps):
        w = slot * warps + i
        warp = s.warps[w]
        lanes = min(threads - 32 * i, 32)
        warp.alive = _FULL >> uint32(32 - lanes)
        warp.active, warp.blocked, warp.pc, warp.waiting = warp.alive, uint32(0), 0, Waiting.READY
        warp.block, warp.index, warp.executed, warp.groups = slot, i, 0, 0
        for k in range(16):
            warp.convergence[k] = uint32(0)
        at = g[Geometry.LITERAL_WORDS] + w * WARP_WORDS
        for k in range(g[Geometry.REGISTERS] * LANES):
            s.F[at + k] = 0
        for k in range(Row.ZERO * LANES, Row.COUNT * LANES):
            s.F[at + k] = 0
        for k in range(PREDICATES):
            s.P[w * PREDICATES + k] = 0
        s.P[w * PREDICATES + TRUE], s.P[w * PREDICATES + UNIFORM_PREDICATE + TRUE] = _FULL, _FULL


@jit(int64(STEP, STATE, MEMORY, CODE, LONGS, int64, int64, int64))
def _turn(step: Arrays, s: Arrays, mem: Arrays, code: Arrays, halt: Array, slot: Int, number: Int, limit: Int) -> Int:
    """Give every ready warp of a block one turn; return 0, 1 once the block has ended, STOPPED, or a fault."""
    block = s.blocks[slot]
    progress = False
    for w in range(block.first_warp, block.first_warp + block.warps):
        warp = s.warps[w]
        if warp.waiting != Waiting.READY:
            continue
        if number >= halt[0]:
            return Outcome.STOPPED
        progress = True
        stop = min(warp.executed + _TURN, limit + 1)
        while warp.executed < stop:
            s.geometry[Geometry.CLOCK] += 1
            outcome = step(s, mem, code, w)
            if outcome >= Outcome.BLOCKED:
                break
            if outcome < 0:
                s.event[Event.WARP] = warp.index
                return outcome
        if warp.executed > limit:
            s.event[Event.WARP] = warp.index
            return Outcome.INSTRUCTION_LIMIT
    if block.live_warps == 0:
        return 1
    if not progress:
        for w in range(block.first_warp, block.first_warp + block.warps):
            warp = s.warps[w]
            if warp.waiting == Waiting.BARRIER:
                s.event[Event.WARP], s.event[Event.MASK] = warp.index, int64(warp.blocked)
                for lane in range(32):
                    if (warp.blocked >> uint32(lane)) & uint32(1):
                        s.event[Event.PC] = warp.lane_pc[lane] - 1
        return Outcome.DEADLOCK
    return 0


@jit(int64(STATE, int64))
def _executed(s: Arrays, slot: Int) -> Int:
    """Return the instructions that a block has executed, and note the warp that executed most of them."""
    block = s.blocks[slot]
    total, most = int64(0), int64(-1)
    for w in range(block.first_warp, block.first_warp + block.warps):
        warp = s.warps[w]
        total += warp.executed
        if warp.executed > most:
            most = warp.executed
            s.event[Event.WARP], s.event[Event.PC] = warp.index, warp.pc
    return total


@jit(int64(STEP, STATE, MEMORY, CODE, LONGS, TASK), allocates=True, from_python=True)
def run_blocks(step: Arrays, s: Arrays, mem: Arrays, code: Arrays, halt: Array, task: Record) -> Int:
    """Run the task's blocks with as many resident at a time as the state has slots; return 0 or a fault.

    Resident blocks take turns in a fixed order, so that blocks which wait for one another make progress.
    `task.executed` counts warp-instructions. Blocks from number `halt[0]` on stop where they are: others may set it.
    What a block can see does not depend on who runs it: a clock of its own, which counts instructions, and an SM.
    """
    first, last = task.first, task.last
    slots = min(s.blocks.size, last - first)
    running, counts = np.full(slots, -1, np.int64), np.zeros(slots, np.int64)
    following, live, total = first, 0, 0
    for slot in range(slots):
        start_block(s, slot, following)
        running[slot] = following
        following += 1
        live += 1
    s.geometry[Geometry.CLOCK] = 0
    while live:
        for slot in range(slots):
            if running[slot] < 0:
                continue
            s.geometry[Geometry.SM_ID] = running[slot] % max(s.geometry[Geometry.SMS], 1)
            s.event[Event.BLOCK] = running[slot]
            state = _turn(step, s, mem, code, halt, slot, running[slot], task.limit)
            if state < 0 or state == Outcome.STOPPED:
                return state
            before, counts[slot] = counts[slot], _executed(s, slot)
            total += counts[slot] - before
            if total > task.launch_limit:
                return Outcome.LAUNCH_LIMIT
            if state:
                task.executed += counts[slot]
                total -= counts[slot]
                running[slot], counts[slot] = -1, 0
                live -= 1
                if following < last:
                    start_block(s, slot, following)
                    running[slot] = following
                    following += 1
                    live += 1
                    if slots == 1:
                        s.geometry[Geometry.CLOCK] = 0
    return 0
