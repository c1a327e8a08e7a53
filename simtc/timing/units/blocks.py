"""The block scheduler: hands the blocks of the grid out, and replaces those that have ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numba import from_dtype

from simtc.jit import Arrays, Int, Record
from simtc.machine.state import BLOCK
from simtc.machine.types import float64, int64, void
from simtc.results.stall import Stall
from simtc.timing.accounting import charge
from simtc.timing.safety import forget_writes
from simtc.timing.unit import CLOCK, INT, SM, Cells, Parameters, Unit, compiled, constant, launched

__all__ = ["ENDED", "UNIT", "Blocks", "admit", "end", "first_start", "retire"]

NO_BLOCK: Final = -1  # in place of a block's number
ENDED: Final = -2  # likewise: it has, and its stores are still on their way
_GRID = np.dtype(
    [
        ("admitted", np.int64),
        ("blocks", np.int64),
        ("done", np.int64),
        ("last_wave", np.int64),  # blocks before it
        ("kept", np.int64),  # blocks that are for one SM, which gets the first one of the last wave
        ("kept_for", np.int64),  # its number, -1 before
        ("counted", np.float64),  # when the chip has taken note of all blocks that have ended
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks(Parameters):
    """What a board says of starting blocks, and what a launch makes of an SM."""

    slots: float = launched("slots")
    warps: float = launched("warps")
    base_cycles: float = constant("launch.base_cycles")
    warp_cycles: float = constant("launch.warp_cycles")
    block_cycles: float = constant(  # the others' blocks end as well
        "launch.block_cycles", scales=lambda own, scale: own.block_cycles / scale.share
    )
    sm_start_cycles: float = constant("launch.sm_start_cycles")
    sm_block_cycles: float = constant("launch.sm_block_cycles")
    sm_block_warp_cycles: float = constant("launch.sm_block_warp_cycles")


UNIT = Unit(
    name="blocks",
    parameters=Blocks,
    sm=(
        ("blocks", np.int64),  # resident
        ("begun", np.int64),  # when its first block started
        ("ending", np.int64),  # blocks that have ended and hold their places
    ),
    warp=(
        ("resident", np.int32),
        ("start", np.int64),
        ("lived", np.int64),  # cycles that the warps of this place were resident
    ),
    chip={
        "grid": Cells(of=_GRID),
        "running": Cells(of=INT, shape=lambda sizes: (sizes.sms * sizes.slots,), fill=NO_BLOCK),  # in each slot
        "first": Cells(of=INT, shape=lambda sizes: (sizes.sms * sizes.slots,), fill=-1),  # SMs, of first blocks
        "order": Cells(of=INT, shape=lambda sizes: (sizes.blocks,)),  # in which blocks are admitted: their numbers
    },
)


@compiled(void, CLOCK, SM, int64)
def end(ck: Arrays, sm: Record, slot: Int) -> None:
    """Note that a block has ended; its place is free when its stores have been answered."""
    sm.blocks -= 1
    sm.ending += 1
    ck.running[slot] = ENDED
    ck.grid.done += 1


@compiled(int64, CLOCK, int64)
def _is_for(ck: Arrays, sm: Int) -> Int:
    """Tell whether the next block of the grid is for an SM whose place is free."""
    grid = ck.grid
    left = grid.blocks - grid.admitted
    if grid.kept_for < 0 and grid.admitted >= grid.last_wave:
        grid.kept_for = sm
    if grid.kept_for != sm:
        return int64(left > grid.kept)
    grid.kept = max(grid.kept - 1, 0)
    return int64(left > 0)


@compiled(int64, CLOCK, int64, int64)
def _answered(ck: Arrays, slot: Int, now: Int) -> Int:
    """Return when all stores of an ended block are answered, -1 while some are still in the SM; RED may wait there."""
    stores, answered, warps = 0, now, int64(ck.chip.blocks.warps)
    for w in range(slot * warps, (slot + 1) * warps):
        stores += ck.warps[w].stores - ck.warps[w].reds
        answered = max(answered, ck.warps[w].stored)
    return answered if stores == 0 else int64(-1)


@compiled(int64, CLOCK, SM, int64, int64)
def retire(ck: Arrays, sm: Record, slot: Int, now: Int) -> Int:
    """Free a slot whose block has ended; return when the next block may start there, -1 for none.

    One unit of the chip counts the ends of blocks, one after another.
    """
    answered = _answered(ck, slot, now)
    if answered < 0:
        return -1
    ck.running[slot] = NO_BLOCK
    sm.ending -= 1
    more = _is_for(ck, sm.number)
    grid = ck.grid
    grid.counted = max(grid.counted, float64(answered if more else now)) + ck.chip.blocks.block_cycles
    return int64(grid.counted) + 1 if more else int64(-1)


@compiled(int64, CLOCK, int64, int64)
def first_start(ck: Arrays, sm: Int, slot: Int) -> Int:
    """Return when an SM starts one of its first blocks.

    All SMs start nearly at once; each sets its blocks up one after another, the first one in the place that goes first.
    """
    own = ck.chip.blocks
    return int64((own.sm_block_cycles + own.sm_block_warp_cycles * own.warps) * slot + own.sm_start_cycles * sm)


@compiled(void, CLOCK, SM, from_dtype(BLOCK), int64, int64)
def admit(ck: Arrays, sm: Record, block: Record, slot: Int, now: Int) -> None:
    """Make the next block of the grid resident: its warps start one after another."""
    own, cores = ck.chip.blocks, sm.end_sub - sm.first_sub
    ck.running[slot] = ck.order[ck.grid.admitted]
    ck.grid.admitted += 1
    if sm.last_cycle == 0 and sm.blocks == 0:
        sm.begun = now
    sm.blocks += 1
    count = int64(own.slots * own.warps)
    for w in range(block.first_warp, block.first_warp + block.warps):
        warp = ck.warps[w]
        after = own.base_cycles + own.warp_cycles * (w - block.first_warp)
        warp.ready_at, warp.after, warp.start = now + int64(after), Stall.no_instruction, now
        warp.resident, warp.at_barrier, warp.issued_at = 1, 0, 0
        warp.barrier_sent, warp.barrier_due = 0, 0
        warp.cause, warp.shown_cause = -1, -1
        charge(ck, warp, w, int64(0), int64(Stall.no_instruction), now)
        warp.sub = sm.first_sub + (w - sm.number * count) % cores
        ck.until[w] = warp.ready_at
        ck.wake[warp.sub] = min(ck.wake[warp.sub], warp.ready_at)
        warp.copies_done, warp.landed, warp.groups = 0, warp.copied, 0
        warp.overwrites, warp.held_until, warp.gone = 0, 0, warp.copied
        for board in range(warp.counts.size):
            warp.counts[board] = 0
        forget_writes(warp)
