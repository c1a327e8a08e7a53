"""LDGSTS: copies from global to shared memory, which a later group (LDGDEPBAR) waits for.

What bypasses L1 passes by the piece: neighbouring sectors of a line that land in shared memory in the same way
(simtc.machine.traffic.pieces), and lands as `landing.py` says.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import SECTOR, TAGGED, WAVEFRONT, Counter
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, WARP, Parameters, Unit, compiled, constant
from simtc.timing.units import landing
from simtc.timing.units.addresses import ones
from simtc.timing.units.crossbar import copy_sector
from simtc.timing.units.memory_queue import QUEUED, fill_cycles
from simtc.timing.units.on_the_way import has_room_at, take_room

__all__ = [
    "GROUPS",
    "UNIT",
    "Ldgsts",
    "behind_held",
    "copied",
    "far_cycles",
    "grouped_at",
    "lands_at",
    "look_up_again",
    "may_miss_at",
    "more_cycles",
    "passes",
    "pieces_asked",
    "queue_entries",
    "tag_cycles",
    "write_cycles",
]

_SECTORS: Final = 4  # of a line
_COPIES: Final = 1024  # lines on their way past L1 that the clock has room for
GROUPS: Final = 16  # of a warp that the clock keeps count of, while they wait
_GROUP = np.dtype([("copies", np.int64), ("instruction", np.int64)])  # how many are to have landed; whose it is


@dataclass(frozen=True, slots=True, kw_only=True)
class Ldgsts(Parameters):
    """What a board says of the short way."""

    copy_queue_entries: float = constant("l1.copy_queue_entries", room=TAGGED)
    bypass_queue_entries: float = constant("l1.bypass_queue_entries", room=TAGGED)
    copy_line_cycles: float = constant("l1.copy_line_cycles")
    copy_piece_cycles: float = constant("l1.copy_piece_cycles")
    copy_half_cycles: float = constant("l1.copy_half_cycles")
    copy_write_bytes_per_cycle: float = constant("l1.copy_write_bytes_per_cycle")
    tag_lines_per_cycle: float = constant("l1.tag_lines_per_cycle")
    held_cycles: float = constant("clock.ldgsts.held_cycles")  # beyond its passes, of a copy that L1 holds
    few_cycles: float = constant("clock.ldgsts.few_cycles")  # that it takes at most, if its passes are fewer
    lines_cycles: float = constant("clock.ldgsts.lines_cycles")  # beyond those in which many lines are looked up
    ahead_cycles: float = constant("clock.ldgsts.ahead_cycles")  # by which the tags may be ahead of that
    apart_cycles: float = constant("clock.ldgsts.apart_cycles")  # from one copy through L1 that misses it to the next
    sooner_copies: float = constant("clock.ldgsts.sooner_copies")  # of them that may come sooner
    missed_cycles: float = constant("clock.ldgsts.missed_cycles")  # of a line that is looked up together with others
    return_cycles: float = constant("clock.ldgsts.return_cycles")  # of a copy of which all has come
    far_bytes: float = constant("clock.ldgsts.far_bytes")  # of shared memory, beyond which the far half begins
    fill_line_cycles: float = constant("l1.fill_line_cycles")
    far_cycles: float = constant("clock.ldgsts.far_cycles")  # more, of a pass of a copy that goes there
    copies_pending: float = constant("l1.copies_pending", room=_COPIES)
    data_stage_bytes_per_cycle: float = constant("shared.data_stage_bytes_per_cycle")


UNIT = Unit(
    name="ldgsts",
    parameters=Ldgsts,
    sm=(
        ("pieces_free", np.float64),  # when the next piece may be asked for
        ("lines_copied", np.int64),  # past L1
        ("copies", np.float64, (_COPIES,)),  # when they had come, and all before them: of the last ones
        ("missed_free", np.float64),  # when the next copy through L1 may miss it, if none does sooner
        ("held_free", np.float64),  # when they take a copy behind one of many lines that L1 held
        ("copier", np.int64),  # whose copy through L1 the tags had last, if L1 held it: a warp's number + 1
        ("copier_free", np.float64),  # and when they take its next one
    ),
    warp=(
        ("copies_done", np.int64),  # when the warp's copies will have landed
        ("copied", np.int64),  # copies that L2 answers
        ("landed", np.int64),  # and how many of these the data stage has passed
        ("groups", np.int64),  # that wait for some of them
        ("first_group", np.int64),
        ("waiting", _GROUP, (GROUPS,)),
        ("through_l1", np.int64),  # where copies through L1 wait for their group: 1, and the passes of one that L1 held
    ),
)


@compiled(int64, QUEUED, int64)
def _end_of_line(copy: Record, first: Int) -> Int:
    """Return where the sectors of the line of a copy's sector end, of which that is the first."""
    end = first + 1
    while end < copy.sectors and copy.list[end] >> 2 == copy.list[first] >> 2:
        end += 1
    return end


@compiled(int64, QUEUED, int64, int64)
def _pieces(copy: Record, first: Int, end: Int) -> Int:
    """Return how many pieces sectors [first, end) are."""
    return ones(copy.pieces >> first & ((1 << (end - first)) - 1))


@compiled(float64, CLOCK, QUEUED)
def tag_cycles(ck: Arrays, copy: Record) -> Float:
    """Return how long the tags take for a copy: whole lines, neighbouring sectors, lines of several pieces."""
    own, cycles, first = ck.chip.ldgsts, 0.0, int64(0)
    while first < copy.sectors:
        end = _end_of_line(copy, first)
        if end - first == 1 or _pieces(copy, first, end) > 1:
            cycles += 1.0
        else:
            cycles += own.copy_line_cycles if end - first == _SECTORS else own.copy_half_cycles
        first = end
    return max(cycles, 1.0)


@compiled(int64, CLOCK, OPERATION)
def queue_entries(ck: Arrays, op: Record) -> Int:
    """Return how many instructions may wait at the tags before a copy does so in its sub-core's queue."""
    own = ck.chip.ldgsts
    return int64(own.bypass_queue_entries if op.bypasses else own.copy_queue_entries)


@compiled(float64, CLOCK, SM, QUEUED, float64)
def pieces_asked(ck: Arrays, sm: Record, copy: Record, t: Float) -> Float:
    """Return when all pieces of a copy past L1 that comes at t have been asked for: one by one."""
    own = ck.chip.ldgsts
    if own.copy_piece_cycles == 0:
        return t
    start = max(sm.pieces_free, t)
    cycles = landing.look_up(ck, sm, copy, start)
    if copy.along:
        fetched = float64(copy.parts - ones(copy.along))
        sm.tag_free += cycles - fetched * own.copy_piece_cycles - copy.tags * (1.0 - fetched / copy.parts)
    sm.pieces_free = start + cycles
    return float64(sm.pieces_free)


@compiled(int64, QUEUED)
def passes(copy: Record) -> Int:
    """Return the passes over the banks that a copy through L1 takes: there, or in shared memory."""
    return int64(max(copy.passes, copy.wavefronts))


@compiled(float64, CLOCK, QUEUED)
def _held_cycles(ck: Arrays, copy: Record) -> Float:
    """Return how long the tags take for a copy of which L1 holds all: as its lines are looked up, and by its passes."""
    own, needed = ck.chip.ldgsts, float64(passes(copy))
    return max(needed, min(needed + own.held_cycles, own.few_cycles), float64(copy.tags))


@compiled(void, CLOCK, SM, QUEUED)
def _hold_others(ck: Arrays, sm: Record, copy: Record) -> None:
    """Note when copies may be looked up behind one of which L1 holds all: its warp's when that has been written."""
    own, begun = ck.chip.ldgsts, sm.tag_free - copy.tags
    sm.copier, sm.copier_free = copy.warp + 1, 0.0
    if own.held_cycles > 0:
        sm.copier_free = begun + 2.0 * passes(copy)
        if copy.lines > own.tag_lines_per_cycle:
            sm.held_free = max(sm.held_free, begun) + copy.lines / own.tag_lines_per_cycle + own.lines_cycles


@compiled(float64, CLOCK, SM, QUEUED, float64, int64, int64)
def more_cycles(ck: Arrays, sm: Record, copy: Record, looked: Float, requests: Int, waits: Int) -> Float:
    """Return how much longer the tags take for a copy, when it is known what of it L1 does not hold.

    Of lines that are looked up together in `looked` cycles, those that it asks for take some more, each. Where it waits
    for nothing, what it needs is read at once.
    """
    own, warp = ck.chip.ldgsts, ck.warps[copy.warp]
    if waits:
        warp.through_l1, sm.copier = 1, 0
        copy.again = max(copy.wavefronts - looked, 0.0)
        if requests:
            sm.missed_free = max(sm.missed_free, sm.tag_free) + own.apart_cycles
        return copy.far + own.missed_cycles * max(requests - looked, 0.0)
    warp.through_l1 = 1 + passes(copy)
    _hold_others(ck, sm, copy)
    return copy.far + _held_cycles(ck, copy) - copy.tags


@compiled(float64, CLOCK, SM)
def may_miss_at(ck: Arrays, sm: Record) -> Float:
    """Return when one more copy through L1 may miss it: some may at once, then one in some cycles."""
    own = ck.chip.ldgsts
    return float64(sm.missed_free) - own.apart_cycles * own.sooner_copies


@compiled(float64, CLOCK, SM, QUEUED, float64)
def behind_held(ck: Arrays, sm: Record, copy: Record, t: Float) -> Float:
    """Return when a copy through L1 that comes to the tags at a time is looked up, behind those that L1 held."""
    t = max(t, sm.held_free - ck.chip.ldgsts.ahead_cycles)
    return max(t, float64(sm.copier_free)) if sm.copier == copy.warp + 1 else t


@compiled(float64, CLOCK, QUEUED, int64, int64)
def far_cycles(ck: Arrays, copy: Record, to: Int, least: Int) -> Float:
    """Return how much longer a copy through L1 takes because of where it goes, from that byte of its block's on.

    L1's array has two halves. What goes to that one in which the lines of L1 are is read and written by turns. Without
    conflicts it would have that `least` of passes.
    """
    own = ck.chip.ldgsts
    if own.far_bytes == 0:
        return 0.0
    if landing.shared_at(ck, copy.warp) + to < own.far_bytes:
        return 0.0
    return own.far_cycles * (copy.passes + least)


@compiled(void, CLOCK, SM, OPERATION, float64, float64)
def look_up_again(ck: Arrays, sm: Record, op: Record, again: Float, t: Float) -> None:
    """Take the tags of L1 once more for a copy of which all has come, and longer where it has more wavefronts."""
    if not op.bypasses:
        sm.tag_free = max(sm.tag_free, t) + ck.chip.ldgsts.return_cycles + again


@compiled(float64, CLOCK, OPERATION, QUEUED)
def write_cycles(ck: Arrays, op: Record, copy: Record) -> Float:
    """Return how long the data stage writes what a copy brings.

    Through L1 its lines come while its wavefronts are written. Past L1, loose sectors are written as fast as others
    are read.
    """
    own = ck.chip.ldgsts
    if not op.bypasses:
        cycles = max(fill_cycles(copy, int64(copy.lines), own.fill_line_cycles), float64(copy.wavefronts))
        return copy.far + cycles * WAVEFRONT / own.data_stage_bytes_per_cycle
    loose = float64(ones(copy.pieces & (copy.pieces >> 1 | 1 << copy.sectors - 1)))
    whole = (copy.sectors - loose) * SECTOR / own.copy_write_bytes_per_cycle
    return whole + loose * SECTOR / own.data_stage_bytes_per_cycle


@compiled(void, WARP, int64)
def lands_at(warp: Record, at: Int) -> None:
    """Note when a copy lands."""
    warp.copies_done = max(warp.copies_done, at)


@compiled(float64, WARP, float64)
def grouped_at(warp: Record, done: Float) -> Float:
    """Return when the copies before a group, which is there itself by `done`, have landed."""
    return max(done, float64(warp.copies_done))


@compiled(float64, CLOCK, SM, QUEUED, int64, float64, float64)
def copied(ck: Arrays, sm: Record, copy: Record, hint: Int, t: Float, asked: Float) -> Float:
    """Return when the last sector of a copy past L1 is there, whose last piece is asked for at a time.

    A piece goes along with what is still on its way to the same place.
    """
    own = ck.chip.ldgsts
    most, arrival, first, goes_along = int64(own.copies_pending), t, int64(0), int64(0)
    left = (copy.parts - ones(copy.along)) * own.copy_piece_cycles  # of the pieces, from the next one on
    while first < copy.sectors:
        end, comes, asks = _end_of_line(copy, first), t, False
        for k in range(first, end):
            if copy.pieces >> k & 1:
                goes_along = copy.along >> k & 1
                left -= 0.0 if goes_along else own.copy_piece_cycles
            if goes_along:
                comes = max(comes, landing.comes(ck, sm, copy, k))
                continue
            if not asks:
                room = has_room_at(sm.copies, most, sm.lines_copied)
                asked, sm.tag_free, asks = max(asked, room + left), max(sm.tag_free, room), True
            ck.counters[Counter.L1_SECTORS] += 1
            there = copy_sector(ck, sm, copy, k, hint, t, asked - left)
            landing.lands(ck, sm, copy, k, there)
            comes = max(comes, there)
        if asks:
            take_room(sm.copies, most, sm.lines_copied, comes)
            sm.lines_copied += 1
        arrival = max(arrival, comes)
        first = end
    return arrival
