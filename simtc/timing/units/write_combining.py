"""Stores on their way from an SM to L2: sectors that several stores write take what comes to them along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import SECTOR
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, SM, WARP, Parameters, Unit, compiled, constant
from simtc.timing.units.addresses import hashed
from simtc.timing.units.crossbar import send_store
from simtc.timing.units.l2 import complete, counts_for
from simtc.timing.units.memory_queue import QUEUED
from simtc.timing.units.merging import stores_too
from simtc.timing.units.store_lines import placed

__all__ = ["UNIT", "WriteCombining", "answered", "asks_at", "joins_at", "queue_store", "stage_cycles", "write_through"]

_COMBINED: Final = 256  # sectors that one SM has stored to, by a hash of their number
_WRITTEN = np.dtype([("sector", np.int64), ("until", np.int64), ("size", np.float64)])  # until which line; bytes stored


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteCombining(Parameters):
    """What a board says of stores."""

    store_partial_sector_cycles: float = constant("l1.store_partial_sector_cycles")
    store_full_sector_cycles: float = constant("l1.store_full_sector_cycles")
    store_full_line_cycles: float = constant("l1.store_full_line_cycles")
    store_least_cycles: float = constant("l1.store_least_cycles")
    store_queue_sectors: float = constant("l1.store_queue_sectors")
    store_turn_cycles: float = constant("l1.store_turn_cycles")
    store_turn_line_cycles: float = constant("l1.store_turn_line_cycles")
    store_gather_lines: float = constant("l1.store_gather_lines")
    end_cycles: float = constant("clock.write_combining.end_cycles")  # until a store has passed an idle SM
    store_answer_cycles: float = constant("launch.store_answer_cycles")
    l2_store_queue_cycles: float = constant("l2_store_queue_cycles")
    l2_fill_bytes: float = constant("l2_fill_bytes")


UNIT = Unit(
    name="write_combining",
    parameters=WriteCombining,
    sm=(
        ("queued", np.int64),  # sectors of stores that wait for the data stage
        ("load_after", np.float64),  # cycles from the last store to a load, while it waits for the data stage
        ("stored", np.float64),  # when a load's request may follow the last store
        ("stores_left", np.float64),  # when that store had left for L2
        ("drained", np.int64),  # when the data stage has passed the last store: all that an SM stays active for
        ("taken", np.int64),  # when L2 has taken all stores
        ("lines_stored", np.int64),
        ("combined", _WRITTEN, (_COMBINED,)),
    ),
    warp=(
        ("stores", np.int32),  # to global memory, and atomics, that are still in the SM
        ("stored", np.int64),  # when the last one of them is answered
    ),
)


@compiled(int64, OPERATION, QUEUED)
def _is_whole(op: Record, store: Record) -> Int:
    """Tell whether a store writes all bytes of its sectors."""
    return int64(op.returned >= SECTOR * store.sectors)


@compiled(float64, CLOCK, int64)
def _load_after(ck: Arrays, lines: Int) -> Float:
    """Return the cycles from a store of some lines to the next load's request, on the way to L2."""
    return ck.chip.write_combining.store_turn_cycles + ck.chip.write_combining.store_turn_line_cycles * lines


@compiled(void, CLOCK, SM, QUEUED)
def queue_store(ck: Arrays, sm: Record, store: Record) -> None:
    """Let loads wait for a store that waits for the data stage."""
    sm.queued += store.sectors
    sm.load_after = _load_after(ck, store.lines)


@compiled(float64, SM, float64)
def asks_at(sm: Record, looked: Float) -> Float:
    """Return when a load that L1 looks up at a time may ask L2: its request follows the stores before it."""
    sm.up_free = max(sm.up_free, looked)
    asked = max(sm.up_free, sm.stored)
    if sm.queued > 0:
        asked = max(asked, sm.up_free + sm.queued + sm.load_after)
    return asked


@compiled(float64, CLOCK, SM, QUEUED, float64)
def joins_at(ck: Arrays, sm: Record, atomic: Record, looked: Float) -> Float:
    """Return when an atomic that L1 looks up at a time may ask L2: as long after a store as its own lines say."""
    if ck.chip.crossbar.atomic_packet_cycles == 0:
        return asks_at(sm, looked)
    after = _load_after(ck, atomic.lines)
    sm.up_free = max(sm.up_free, looked)
    return max(sm.up_free, sm.stores_left + after)


@compiled(float64, CLOCK, OPERATION, QUEUED)
def stage_cycles(ck: Arrays, op: Record, store: Record) -> Float:
    """Return how long a store holds the data stage: whole lines, whole sectors, or lines in part."""
    own = ck.chip.write_combining
    if _is_whole(op, store) and store.sectors == 4 * store.lines:
        return max(store.lines * own.store_full_line_cycles, own.store_least_cycles)
    return (store.sectors if _is_whole(op, store) else store.lines) * own.store_full_sector_cycles


@compiled(int64, CLOCK, SM, int64, float64, float64)
def _combines(ck: Arrays, sm: Record, sector: Int, size: Float, t: Float) -> Int:
    """Tell whether so many bytes of a sector go with what was stored to it a few lines ago, and note them.

    Of what has waited until now, the bytes that no store has written come from DRAM, where L2 needs them.
    """
    written = sm.combined[hashed(sector, 10) % _COMBINED]
    combines = written.sector == sector and sm.lines_stored <= written.until
    if not combines:
        if 0 < written.size < SECTOR and ck.chip.write_combining.l2_fill_bytes > 0:
            complete(ck, written.sector, t)
        written.size = 0.0
    written.sector = sector
    written.size += size
    written.until = sm.lines_stored + int64(ck.chip.write_combining.store_gather_lines)
    return int64(combines)


@compiled(void, CLOCK, SM, OPERATION, QUEUED, float64)
def _send(ck: Arrays, sm: Record, op: Record, store: Record, t: Float) -> None:
    """Send the sectors of a store: of each a flit, of each line that is not whole its mask."""
    own, last, line = ck.chip.write_combining, int64(-1), int64(-1)
    is_part, size = 1 - _is_whole(op, store), op.returned / max(store.sectors, 1)
    mask = 0.0 if _is_whole(op, store) else own.store_partial_sector_cycles - 1.0
    queue = own.l2_store_queue_cycles * counts_for(ck, is_part) / ck.chip.l2.l2_store_request_bytes  # as many wait
    for k in range(store.sectors):
        sector = store.list[k]
        if sector >> 2 != last:
            sm.lines_stored += 1
            last = sector >> 2
        if _combines(ck, sm, sector, size, t):
            continue
        alone = sector >> 2 != line and (k + 1 == store.sectors or store.list[k + 1] >> 2 != sector >> 2)
        flits = 1.0 if sector >> 2 == line else 1.0 + mask
        line = sector >> 2
        merged = stores_too(ck, sm, sector, t)
        sm.up_free += max(flits, ck.chip.crossbar.request_cycles) if alone else flits
        served = send_store(ck, sm, sector, merged, is_part, sm.up_free, flits)
        sm.up_free = max(sm.up_free, served - queue)
        sm.taken = max(sm.taken, int64(served) + 1)


@compiled(void, WARP, int64)
def answered(warp: Record, at: Int) -> None:
    """Note when a store, or an atomic, that leaves the SM will be answered."""
    warp.stores -= 1
    warp.stored = max(warp.stored, at)


@compiled(void, CLOCK, SM, WARP, OPERATION, QUEUED, float64)
def write_through(ck: Arrays, sm: Record, warp: Record, op: Record, store: Record, t: Float) -> None:
    """Send a store that passes the data stage at t on to L2, and note when its warp will be answered."""
    own = ck.chip.write_combining
    if store.sectors == 0:  # it stays in L1: local memory
        answered(warp, int64(t))
        return
    sm.queued -= store.sectors
    sm.up_free = max(sm.up_free, t)
    if sm.up_loads:
        sm.up_free += ck.chip.crossbar.switch_cycles
        sm.up_loads = 0
    _send(ck, sm, op, store, t)
    sm.stores_left = sm.up_free
    sm.stored = sm.up_free + _load_after(ck, store.lines)
    sm.stage_free = max(sm.stage_free, sm.up_free - own.store_queue_sectors, placed(ck, sm, store, t))
    sm.drained = max(sm.drained, int64(max(sm.stage_free, t + own.end_cycles)))
    answered(warp, max(sm.taken, int64(t)) + int64(own.store_answer_cycles))  # those that join others leave, too
