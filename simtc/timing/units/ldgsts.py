"""LDGSTS: copies from global to shared memory, which a later group (LDGDEPBAR) waits for.

What bypasses L1 in whole 64 bytes, each sector of which lands in one sector of shared memory, takes a short way. The
other sectors are loose, and pass one by one: narrow rows, and rows at a pitch of 80 or 144 bytes, every other of which
begins in the middle of a sector, so that two sectors of shared memory receive each of its sectors, which are split.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import LINE, SECTOR, WAVEFRONT, Counter
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, WARP, Parameters, Unit, compiled, constant
from simtc.timing.units.crossbar import copy_sector
from simtc.timing.units.memory_queue import QUEUED

__all__ = ["UNIT", "Ldgsts", "copied", "grouped_at", "landing", "pieces_asked", "tag_cycles", "write_cycles"]

_ALL: Final = 15  # the bits of the sectors of a line
_SECTORS: Final = 4  # of a line
_COPIES: Final = 1024  # lines on their way past L1 that the clock has room for


@dataclass(frozen=True, slots=True, kw_only=True)
class Ldgsts(Parameters):
    """What a board says of the short way."""

    copy_line_cycles: float = constant("l1.copy_line_cycles")
    copy_piece_cycles: float = constant("l1.copy_piece_cycles")
    copy_backlog_cycles: float = constant("l1.copy_backlog_cycles")
    copy_half_cycles: float = constant("l1.copy_half_cycles")
    copy_write_bytes_per_cycle: float = constant("l1.copy_write_bytes_per_cycle")
    copies_pending: float = constant("l1.copies_pending", room=_COPIES)
    data_stage_bytes_per_cycle: float = constant("shared.data_stage_bytes_per_cycle")


UNIT = Unit(
    name="ldgsts",
    parameters=Ldgsts,
    sm=(
        ("pieces_free", np.float64),  # when the next loose sector may be asked for
        ("copies", np.float64, (_COPIES,)),  # when lines that are copied past L1 come: a heap, the first one on top
    ),
    warp=(("copies_done", np.int64),),  # when the warp's copies will have landed
)


@compiled(int64, int64)
def _ones(bits: Int) -> Int:
    """Count the bits that are set."""
    count = int64(0)
    while bits:
        bits &= bits - 1
        count += 1
    return count


@compiled(float64, CLOCK, QUEUED)
def tag_cycles(ck: Arrays, copy: Record) -> Float:
    """Return how long the tags take for a copy: whole lines, whole halves of lines, lines with loose sectors."""
    own, cycles, first = ck.chip.ldgsts, 0.0, int64(0)
    while first < copy.sectors:
        end = first + 1
        while end < copy.sectors and copy.list[end] >> 2 == copy.list[first] >> 2:
            end += 1
        loose = (copy.loose >> first) & ((1 << (end - first)) - 1)
        if loose:
            cycles += 1.0
        else:
            cycles += own.copy_line_cycles if end - first == 4 else own.copy_half_cycles
        first = end
    return max(cycles, 1.0)


@compiled(float64, CLOCK, QUEUED, int64, int64)
def _piece_cycles(ck: Arrays, copy: Record, hint: Int, late: Int) -> Float:
    """Return how long the loose sectors of a copy pass one by one.

    Lines none of which is split pass at once; so do whole lines all of which is split where L2 is asked for all of
    them. Else these, and lines but for one sector, pass as the sectors of shared memory that receive them. Of others, a
    sector that is split takes twice as long, but for both sectors of 64 bytes as long as copies are not late.
    """
    pieces, first = int64(0), int64(0)
    while first < copy.sectors:
        end = first + 1
        while end < copy.sectors and copy.list[end] >> 2 == copy.list[first] >> 2:
            end += 1
        size = end - first
        loose, split = copy.loose >> first & ((1 << size) - 1), copy.split >> first & ((1 << size) - 1)
        if split == 0:
            pieces += loose > 0
        elif _ones(split) + 1 >= _SECTORS:
            pieces += 0 if hint == LINE and split == _ALL else _ones(split) + 1
        else:
            pairs = size == 2 and split == 3 and copy.list[first] ^ 1 == copy.list[end - 1]
            pieces += _ones(loose) + (_ones(split) if late or not pairs else 0)
        first = end
    return pieces * ck.chip.ldgsts.copy_piece_cycles


@compiled(float64, CLOCK, SM, QUEUED, int64, float64)
def pieces_asked(ck: Arrays, sm: Record, copy: Record, hint: Int, t: Float) -> Float:
    """Return when the loose sectors of a copy past L1 that comes at t have been asked for."""
    if copy.loose == 0 or ck.chip.ldgsts.copy_piece_cycles == 0:
        return t
    late = int64(sm.pieces_free - t > ck.chip.ldgsts.copy_backlog_cycles)
    sm.pieces_free = max(sm.pieces_free, t) + _piece_cycles(ck, copy, hint, late)
    return sm.pieces_free


@compiled(float64, CLOCK, OPERATION, QUEUED)
def write_cycles(ck: Arrays, op: Record, copy: Record) -> Float:
    """Return how long the data stage writes what a copy brings.

    What goes through L1 passes the stage twice: its sectors as they come, and the wavefronts in which they are written.
    Past L1, loose sectors are written as fast as others are read.
    """
    own = ck.chip.ldgsts
    if not op.bypasses:
        moved = copy.sectors * SECTOR + copy.wavefronts * WAVEFRONT
        return moved / own.data_stage_bytes_per_cycle
    loose = float64(_ones(int64(copy.loose)))
    whole = (copy.sectors - loose) * SECTOR / own.copy_write_bytes_per_cycle
    return whole + loose * SECTOR / own.data_stage_bytes_per_cycle


@compiled(void, WARP, int64)
def landing(warp: Record, at: Int) -> None:
    """Note when a copy lands."""
    warp.copies_done = max(warp.copies_done, at)


@compiled(float64, WARP, float64)
def grouped_at(warp: Record, done: Float) -> Float:
    """Return when the copies before a group, which is there itself by `done`, have landed."""
    return max(done, float64(warp.copies_done))


@compiled(float64, CLOCK, SM, float64)
def _room_for_copy(ck: Arrays, sm: Record, asked: Float) -> Float:
    """Return when a line may be asked for past L1: so many may be on their way, in whatever order they come."""
    if ck.chip.ldgsts.copies_pending == 0:
        return asked
    sm.tag_free = max(sm.tag_free, sm.copies[0])
    return max(asked, sm.copies[0])


@compiled(void, CLOCK, SM, float64)
def _take_room(ck: Arrays, sm: Record, arrival: Float) -> None:
    """Note when a line comes that has taken the place of the one that came first."""
    pending, heap, i = int64(ck.chip.ldgsts.copies_pending), sm.copies, int64(0)
    while 2 * i + 1 < pending:
        child = 2 * i + 1
        if child + 1 < pending and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= arrival:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = arrival


@compiled(float64, CLOCK, SM, QUEUED, int64, float64, float64)
def copied(ck: Arrays, sm: Record, copy: Record, hint: Int, t: Float, asked: Float) -> Float:
    """Return when the last sector of a copy past L1 is there."""
    arrival, comes = t, t
    for k in range(copy.sectors):
        ck.counters[Counter.L1_SECTORS] += 1
        if k == 0 or copy.list[k - 1] >> 2 != copy.list[k] >> 2:
            asked, comes = _room_for_copy(ck, sm, asked), t
        comes = max(comes, copy_sector(ck, sm, copy, k, hint, t, asked))
        if k + 1 == copy.sectors or copy.list[k + 1] >> 2 != copy.list[k] >> 2:
            _take_room(ck, sm, comes)
        arrival = max(arrival, comes)
    return arrival
