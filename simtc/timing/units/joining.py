"""A GPC lets its SMs' requests for the same sectors pass as one: a few at most, as long as the first one waits.

Their answers reach the SMs beside each other, but for those that one SM has asked for more than once: these leave the
slice one after another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numba import from_dtype

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.prefetch import prefetch
from simtc.timing.constants import SECTOR
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, Cells, Parameters, Unit, compiled, constant
from simtc.timing.units import l2
from simtc.timing.units.addresses import hashed
from simtc.timing.units.memory_queue import QUEUED
from simtc.timing.units.merging import asks_too
from simtc.timing.units.server import SERVER, through

__all__ = ["UNIT", "Joining", "announce", "ask", "ask_for_piece"]

_MERGED: Final = 16384  # sectors that one GPC asked for that can be told apart
_ASKED = np.dtype(  # a request of an SM, and until when others may join it
    [(one, np.int64) for one in ("sector", "sm", "joined", "waits")]
    + [(one, np.float64) for one in ("answered", "until")]
)


_ASKED_RECORD: Any = from_dtype(_ASKED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Joining(Parameters):
    """What a board says of the requests of a GPC."""

    join_cycles: float = constant("l1.join_cycles")  # in which a request is joined by others, if not for longer
    join_requests: float = constant("l1.join_requests")
    ahead_cycles: float = constant("clock.joining.ahead_cycles")  # of its slice that a request has left its GPC
    repeat_bytes: float = constant("clock.joining.repeat_bytes")  # that another answer for the same SM counts for
    repeat_sector_bytes: float = constant("clock.joining.repeat_sector_bytes")  # and each of its sectors
    gpc_l2_bytes_per_cycle: float = constant(
        "gpc_l2_bytes_per_cycle",
        scales=lambda own, scale: scale.gpc_crowd / scale.merged * own.gpc_l2_bytes_per_cycle,
    )


UNIT = Unit(
    name="joining",
    parameters=Joining,
    sm=(("joins", np.int64),),  # 1 where the piece that it copies has just been asked for
    chip={
        "gpc_l2_ports": Cells(of=SERVER, shape=lambda sizes: (sizes.gpcs,)),  # behind what a GPC merges
        "asked": Cells(of=_ASKED, shape=lambda sizes: (sizes.gpcs * _MERGED,)),  # by a hash of the sector
    },
)


@compiled(int64, SM, int64)
def _place(sm: Record, sector: Int) -> Int:
    """Return where the GPC of an SM remembers that a sector was asked for."""
    return int64(sm.gpc * _MERGED + hashed(sector, 10) % _MERGED)


@compiled(void, CLOCK, SM, int64)
def announce(ck: Arrays, sm: Record, sector: Int) -> None:
    """Say that a sector is going to be asked for."""
    prefetch(ck.asked, _place(sm, sector))


@compiled(int64, QUEUED, int64)
def _in_line(one: Record, k: Int) -> Int:
    """Count the sectors of an instruction, from its k-th on, that are of one line."""
    end = k + 1
    while end < one.sectors and one.list[end] >> 2 == one.list[k] >> 2:
        end += 1
    return end - k


@compiled(float64, CLOCK, _ASKED_RECORD, int64)
def _beyond(ck: Arrays, asked: Record, sectors: Int) -> Float:
    """Return how many bytes more a slice is busy since one more SM is answered with so many sectors of a line.

    It is until it has sent them, and at least for one sector for each of those SMs.
    """
    each = ck.chip.joining.repeat_bytes + ck.chip.joining.repeat_sector_bytes
    alone = max(float64(sectors * SECTOR), ck.chip.l2.l2_request_bytes)
    return min(max(asked.joined * each - alone, 0.0), each)


@compiled(float64, CLOCK, SM, int64, QUEUED, int64, int64, float64)
def _joined(ck: Arrays, sm: Record, place: Int, one: Record, k: Int, is_first: Int, sent: Float) -> Float:
    """Return when an SM has a sector that has just been asked for: no sooner than whoever asked, and than it could."""
    own, asked, line = ck.chip.joining, ck.asked[place], one.list[k] >> 2
    hit, sm.waits = ck.chip.l2.l2_extra_cycles + l2.beyond_mean(ck, line, sm.number), asked.waits
    size = is_first * _beyond(ck, asked, _in_line(one, k))
    if asked.sm == sm.number:
        size = own.repeat_sector_bytes + is_first * own.repeat_bytes
    if size > 0:
        asked.answered = max(asked.answered, l2.repeat(ck, sm, line, size, sent) + hit)
    return max(asked.answered, sent + hit)


@compiled(float64, CLOCK, SM, OPERATION, QUEUED, int64, float64, float64)
def ask(ck: Arrays, sm: Record, op: Record, load: Record, k: Int, missed: Float, sent: Float) -> Float:
    """Ask L2 for the k-th sector of a load; return when it is there, beyond what an L1 hit takes.

    One that others of its GPC have just asked for is not asked for again.
    """
    own, sector = ck.chip.joining, load.list[k]
    place, merged = _place(sm, sector), asks_too(sm, sector, missed)
    asked = ck.asked[place]
    if asked.sector == sector and asked.until > sent and asked.joined < own.join_requests:
        asked.joined += 1
        return _joined(ck, sm, place, load, k, int64(sm.of_line == 1), sent)
    asked.sector, asked.until, asked.joined, asked.sm = sector, sent + own.join_cycles, 1, sm.number
    sent = through(ck.gpc_l2_ports[sm.gpc], sent, own.gpc_l2_bytes_per_cycle)
    asked.answered = l2.read(ck, sm, sector, int64(op.hint), merged, 0.0, sent)
    asked.waits = sm.waits
    asked.until += max(sm.served_at - sent - own.ahead_cycles, 0.0)
    return float64(asked.answered)


@compiled(int64, QUEUED, int64)
def _name(copy: Record, k: Int) -> Int:
    """Return the name of the piece that begins with a copy's k-th sector: its line, and its sectors in it."""
    name, i = int64(1) << (copy.list[k] & 3), k + 1
    while i < copy.sectors and not copy.pieces >> i & 1:
        name |= int64(1) << (copy.list[i] & 3)
        i += 1
    return -((copy.list[k] >> 2 << 4) + name)


@compiled(float64, CLOCK, SM, QUEUED, int64, int64, float64, float64)
def ask_for_piece(ck: Arrays, sm: Record, copy: Record, k: Int, hint: Int, size: Float, sent: Float) -> Float:
    """Ask L2 for a sector of a piece that is copied, which counts for so many bytes there; return when it is there.

    Of a line, the last piece that was asked for is known. What asks for the same sectors soon gets them too.
    """
    own, sector, is_first = ck.chip.joining, copy.list[k], int64(copy.pieces >> k & 1)
    place = _place(sm, sector & ~3)
    asked = ck.asked[place]
    if is_first:
        name = _name(copy, k)
        sm.joins = asked.sector == name and asked.until > sent and asked.joined < own.join_requests
        asked.joined += 1
        if not sm.joins:
            asked.sector, asked.answered, asked.until = name, sent, sent + own.join_cycles
            asked.joined, asked.sm, asked.waits = 1, sm.number, 0
    if sm.joins:
        return _joined(ck, sm, place, copy, k, is_first, sent)
    sent = through(ck.gpc_l2_ports[sm.gpc], sent, own.gpc_l2_bytes_per_cycle)
    arrival = l2.read(ck, sm, sector, hint, 1 - is_first, size, sent)
    asked.answered, asked.waits = max(arrival, asked.answered), max(asked.waits, sm.waits)
    if is_first:
        asked.until += max(sm.served_at - sent - own.ahead_cycles, 0.0)
    return arrival
