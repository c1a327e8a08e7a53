"""The six scoreboards of each warp: raised by what issues, brought down by events, waited for by control codes."""

from __future__ import annotations

import math

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.results.stall import Stall
from simtc.timing.constants import ASLEEP, Access, Kind
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, WARP, Unit, compiled
from simtc.timing.units.events import lower_board
from simtc.timing.units.ldgsts import lands_at

__all__ = ["UNIT", "awaited", "complete", "lower", "raise_boards"]

_BOARDS = 6

UNIT = Unit(
    name="scoreboards",
    warp=(
        ("counts", np.int32, (_BOARDS,)),
        ("is_long", np.int32, (_BOARDS,)),  # what last raised each of them
    ),
    stalls=(Stall.short_scoreboard, Stall.long_scoreboard),
)


@compiled(int64, WARP, OPERATION)
def awaited(warp: Record, op: Record) -> Int:
    """Return the cause if an instruction waits for a scoreboard, Stall.selected if it does not."""
    mask, board = op.wait_mask, 0
    while mask:
        if mask & 1 and warp.counts[board] > 0:
            return Stall.long_scoreboard if warp.is_long[board] else Stall.short_scoreboard
        mask >>= 1
        board += 1
    if op.kind == Kind.WAIT and warp.counts[op.wait_board] > op.wait_count:
        return Stall.long_scoreboard if warp.is_long[op.wait_board] else Stall.short_scoreboard
    return Stall.selected


@compiled(void, WARP, OPERATION)
def raise_boards(warp: Record, op: Record) -> None:
    """Raise the scoreboards of an instruction that issues."""
    if op.write_barrier >= 0:
        warp.counts[op.write_barrier] += 1
        warp.is_long[op.write_barrier] = op.is_long
    if op.read_barrier >= 0:
        warp.counts[op.read_barrier] += 1
        warp.is_long[op.read_barrier] = op.is_long


@compiled(void, CLOCK, int64, int64)
def lower(ck: Arrays, w: Int, board: Int) -> None:
    """Bring a scoreboard down, and wake its warp if nothing else would."""
    warp = ck.warps[w]
    warp.counts[board] -= 1
    if ck.until[w] == ASLEEP and warp.resident:  # it may have ended before its stores
        ck.until[w], ck.wake[warp.sub] = 0, 0


@compiled(void, SM, WARP, OPERATION, int64, float64)
def complete(sm: Record, warp: Record, op: Record, w: Int, done: Float) -> None:
    """Let the scoreboard of a memory instruction come down, which LDGSTS leaves to its group."""
    at = int64(math.ceil(done)) + op.tail
    if op.access == Access.COPY:
        lands_at(warp, at)
    if op.write_barrier >= 0:
        lower_board(sm, at, w, op.write_barrier)
