"""What L2 brings: a load waits for it in an MSHR, then, where the data has come, for its turn of the data stage."""

from __future__ import annotations

from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import Access
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, compiled
from simtc.timing.units import landing
from simtc.timing.units.events import expect_fill
from simtc.timing.units.memory_queue import QUEUED, TO, fill_turns

__all__ = ["MISS", "MSHRS", "arrived", "expect", "stage_cycles", "take_fill"]

MSHRS: Final = 1024  # loads of one SM on their way from L2 that the clock keeps count of
_NUMBERS = (("warp", np.int32), ("instruction", np.int32), ("sub", np.int32))
_COPIED = (  # of a copy past L1: its turn to leave, which one of its SM and of its warp it is, and where it lands
    ("turn", np.float64), ("age", np.int64), ("order", np.int64), ("places", np.int32), ("to", np.int16, (TO,)),
    ("is_able", np.int32),
)  # fmt: skip
_CYCLES = tuple((name, np.float64) for name in ("cycles", "turns", "again", "after"))
MISS: Final = np.dtype([*_CYCLES, *_NUMBERS, *_COPIED], align=True)


@compiled(void, CLOCK, SM, OPERATION, QUEUED, int64, float64, float64)
def expect(ck: Arrays, sm: Record, op: Record, load: Record, arrival: Int, cycles: Float, after: Float) -> None:
    """Give a load an MSHR until its data comes, which then needs the data stage for some cycles, in some turns.

    Its warp has it no earlier than these cycles `after` a time, where the order is known.
    """
    own, number = ck.chip.l1, sm.free_mshrs[sm.misses]
    sm.misses += 1
    miss = sm.mshrs[number]
    miss.warp, miss.instruction, miss.sub = load.warp, load.instruction, load.sub
    miss.cycles, miss.again, miss.after = cycles, load.again, after * own.in_order
    miss.order = ck.warps[load.warp].copied if op.access == Access.COPY else 0
    miss.places, miss.is_able = 0, 0
    if op.access == Access.COPY and op.bypasses:
        landing.note(ck, sm, load, number)
    miss.turns = fill_turns(op, load, own.fill_turn_bytes, own.fill_turn_passes, own.fill_line_cycles)
    expect_fill(sm, arrival, number)


@compiled(float64, CLOCK, OPERATION, float64)
def stage_cycles(ck: Arrays, op: Record, lines: Float) -> Float:
    """Return how long what L2 brings needs the data stage."""
    return max(lines, op.returned / ck.chip.shared_memory.data_stage_bytes_per_cycle, 1.0)


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
