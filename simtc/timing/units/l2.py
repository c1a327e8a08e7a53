"""L2: its slices serve requests one after another, from what L2 holds or through DRAM.

A sector that is on its way already is waited for, not fetched again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.constants import LINE, SECTOR, Counter
from simtc.timing.unit import CLOCK, SM, Cells, Parameters, Scale, Unit, compiled, constant, derived
from simtc.timing.units import dram
from simtc.timing.units.addresses import chance
from simtc.timing.units.aging import brought, is_from_before, stamp, used_again
from simtc.timing.units.l2_tags import NEVER, dirty, is_kept, keep, l2_way, make_room, rest_of
from simtc.timing.units.server import SERVER, serve
from simtc.timing.units.slices import slice_of

__all__ = ["L2", "UNIT", "beyond_mean", "complete", "counts_for", "read", "repeat", "write"]

_SLICE = np.dtype([("requests", SERVER), ("stores", np.float64)])  # 1 where the last one was a store
_SHARE = np.dtype([("first", np.float64), ("share", np.float64)])


def _slices(own: L2, scale: Scale) -> float:
    """Return how many slices stand for a share of all: a power of two, as strides would prefer some of 33 or 34.

    Example:
        >>> from types import SimpleNamespace as given
        >>> [_slices(given(l2_slices=44), given(share=share)) for share in (1, 0.75, 0.4, 0.1, 0.01)]
        [44, 32.0, 16.0, 4.0, 1.0]
        >>> _slices(given(l2_slices=48), given(share=0.98))  # never more than there are
        32.0

    """
    if scale.share == 1:
        return own.l2_slices
    nearest, most = round(math.log2(scale.share * own.l2_slices)), math.floor(math.log2(own.l2_slices))
    return float(2 ** max(min(nearest, most), 0))


def _slice_bytes(own: L2, scale: Scale) -> float:
    asked = scale.share / scale.merged
    return asked * own.l2_slices * own.slice_bytes_per_cycle / _slices(own, scale)


@dataclass(frozen=True, slots=True, kw_only=True)
class L2(Parameters):
    """What a board says of L2."""

    l2_slices: float = constant("l2_slices", scales=_slices)
    slice_bytes_per_cycle: float = derived(
        lambda device, _: device.l2_measured_bytes_per_cycle / device.l2_slices,
        "l2_measured_gb_per_s",
        "l2_slices",
        scales=_slice_bytes,
    )
    l2_request_bytes: float = constant("l2_request_bytes")
    l2_store_request_bytes: float = constant("l2_store_request_bytes")
    part_request_bytes: float = constant("clock.l2.part_request_bytes")  # of a store of part of a sector; 0: as others
    brought_bytes: float = constant("clock.l2.brought_bytes")  # that a slice could serve while DRAM's come
    l2_turn_bytes: float = constant("l2_turn_bytes")
    l2_extra_cycles: float = derived(  # of a hit, beyond one in L1
        lambda device, _: device.l2_hit_cycles - device.sm.memory["LDG.32"].latency_cycles,
        "l2_hit_cycles",
        "memory.LDG.32.latency_cycles",
    )
    l2_spread_cycles: float = constant("l2_spread_cycles")
    l2_far_cycles: float = constant("l2_far_cycles")
    l2_fetch_bytes: float = constant("l2_fetch_bytes")
    first_sm_cycles: float = constant(  # by which the first block's SM is nearer than SMs are in the mean
        "clock.l2.first_sm_cycles", scales=lambda own, scale: own.first_sm_cycles if scale.share == 1 else 0.0
    )


UNIT = Unit(
    name="l2",
    parameters=L2,
    sm=(("waits", np.int64),),  # 1 where what it has asked for waits for DRAM
    chip={
        "l2_slices": Cells(of=_SLICE, shape=lambda sizes: (sizes.l2_slices,)),
        # how many sectors of DRAM each one counts for, by the buffer's first sector: where SMs stand for more of them
        "shares": Cells(of=_SHARE, shape=lambda sizes: (sizes.buffers,)),
    },
    counters=(Counter.L2_SECTORS, Counter.L2_HITS, Counter.STORE_SECTORS),
)


@compiled(float64, CLOCK, int64, int64, float64, int64, float64)
def _slice(ck: Arrays, line: Int, half: Int, t: Float, stores: Int, size: Float) -> Float:
    """Pass a request through the slice of a half of L2 that holds a line; return when it serves it.

    It takes longer where it served a load and now a store, and likewise the other way round.

    Args:
        ck: the clock.
        line: its number.
        half: of L2, that the SM is near.
        t: when the request comes.
        stores: 1 for a store.
        size: bytes that the request counts for; 0 or less for one that comes with the request before it.

    """
    one = ck.l2_slices[slice_of(ck, line, half, int64(ck.chip.l2.l2_slices))]
    if size > 0 and one.stores != stores:
        one.stores = stores
        size += ck.chip.l2.l2_turn_bytes
    return serve(one.requests, t, size / ck.chip.l2.slice_bytes_per_cycle)


@compiled(float64, CLOCK, SM, int64, float64, float64)
def repeat(ck: Arrays, sm: Record, line: Int, size: Float, t: Float) -> Float:
    """Have a slice send what an SM asked for once more to it, which counts for so many bytes; return when it does."""
    return _slice(ck, line, sm.half, t, 0, size)


@compiled(float64, CLOCK, int64)
def counts_for(ck: Arrays, is_part: Int) -> Float:
    """Return for how many bytes the request of a store counts, of a whole sector or of part of one."""
    own = ck.chip.l2
    return max(own.l2_store_request_bytes, is_part * own.part_request_bytes)


@compiled(float64, CLOCK, int64)
def _share_of(ck: Arrays, sector: Int) -> Float:
    """Return what a sector counts for: 1, but where SMs stand for more of them."""
    share = 1.0
    for i in range(ck.shares.size):
        if ck.shares[i].first <= sector:
            share = ck.shares[i].share
    return share


@compiled(float64, CLOCK, SM, int64, int64, float64, float64)
def _asked(ck: Arrays, sm: Record, sector: Int, merged: Int, of_copy: Float, t: Float) -> Float:
    """Ask the slice of a sector for it; return when it serves it.

    A request is for sectors of a line: for so many bytes at least, whatever it asks for. Sectors that are copied past
    L1 say for how many bytes each of them counts.
    """
    if of_copy > 0:
        sm.served_at = _slice(ck, sector >> 2, sm.half, t, 0, of_copy)
        return float64(sm.served_at)
    half, least = sector >> 1 & 1, ck.chip.l2.l2_request_bytes
    before = max((sm.of_line - 1) * SECTOR, least) if sm.of_line > 1 else 0.0
    served = _slice(ck, sector >> 2, sm.half, t, 0, max(sm.of_line * SECTOR, least) - before)
    if not merged:
        sm.served[half] = served
    sm.served_at = sm.served[half]
    return float64(sm.served_at)


@compiled(float64, CLOCK, int64, int64)
def beyond_mean(ck: Arrays, line: Int, number: Int) -> Float:
    """Return what a hit takes an SM beyond the mean of all: slices are near or far, and the first SM is near.

    Two neighbouring lines are as far as those 512 bytes further or before, where GPCs are known.
    """
    nearer = ck.chip.l2.first_sm_cycles if number == 0 else 0.0
    alike = 2 * (line >> 3) + (line >> 1 & 1) if ck.chip.crossbar.gpcs > 0 else line
    return ck.chip.l2.l2_spread_cycles * (chance(alike) - 0.5) - nearer


@compiled(void, CLOCK, int64, int64, float64, float64)
def _bring(ck: Arrays, first: Int, sectors: Int, arrival: Float, t: Float) -> None:
    """Have so many sectors of a line come from DRAM, those that L2 lacks at t."""
    line, share = first >> 2, _share_of(ck, first)
    cell = 4 * l2_way(ck, line, t) + (first & 3)
    for i in range(cell, cell + sectors):
        if ck.l2_ready[i] >= NEVER:
            dram.deliver(ck, first, share, brought(ck.age, share * SECTOR, 0.0), t)
            make_room(ck, line, t)
            ck.l2_ready[i] = arrival


@compiled(float64, CLOCK, SM, int64, int64, int64, float64, float64)
def read(ck: Arrays, sm: Record, sector: Int, hint: Int, merged: Int, of_copy: Float, t: Float) -> Float:
    """Read a sector from L2, or from DRAM through it; return when it is there, beyond what an L1 hit takes.

    Args:
        ck: the clock.
        sm: who reads it.
        sector: its number.
        hint: aligned bytes around it that the load would like L2 to have.
        merged: 1 where it goes with a request before it.
        of_copy: bytes that it counts for, if it is copied past L1.
        t: when it is asked for.

    """
    line = sector >> 2
    way = l2_way(ck, line, t)
    cell = 4 * way + (sector & 3)
    if ck.l2_ready[cell] < NEVER:
        used_again(ck.age, ck.l2_used[way], 4 * SECTOR * _share_of(ck, sector))
    ck.l2_used[way] = stamp(ck.age, t)
    kept = is_kept(ck, way, sm.half)
    if not merged:
        keep(ck, way, line, sm.half, t)
    served = _asked(ck, sm, sector, merged, of_copy, t)
    ck.counters[Counter.L2_SECTORS] += 1
    if ck.l2_ready[cell] < NEVER:
        ck.counters[Counter.L2_HITS] += 1
        far = 0.0 if kept or dram.distance(ck, line, sm.half) < 0 else ck.chip.l2.l2_far_cycles
        hit, comes = served + ck.chip.l2.l2_extra_cycles + beyond_mean(ck, line, sm.number) + far, ck.l2_ready[cell]
        sm.waits = hit < comes
        return comes + dram.beyond_near(ck, line, sm.half) if sm.waits else hit
    arrival, sm.waits = dram.answer(ck, sector, served), 1
    _slice(ck, line, sm.half, t, 0, ck.chip.l2.brought_bytes)
    # a miss brings the aligned group of sectors that DRAM is read in, or that the load would like to have
    group = max(int64(ck.chip.l2.l2_fetch_bytes), min(hint, LINE)) >> 5
    _bring(ck, sector & ~(group - 1), group, arrival, served)
    if hint > LINE:
        ck.l2_used[l2_way(ck, line ^ 1, served)] = stamp(ck.age, served)
        _bring(ck, (line ^ 1) << 2, int64(LINE // SECTOR), arrival, served)
    return arrival + dram.beyond_near(ck, line, sm.half)


@compiled(float64, CLOCK, SM, int64, int64, int64, float64, float64)
def write(ck: Arrays, sm: Record, sector: Int, merged: Int, is_part: Int, left: Float, t: Float) -> Float:
    """Write a sector to L2, which keeps it; return when its slice takes it: not before what leaves for it has left.

    Args:
        ck: the clock.
        sm: whose store it is.
        sector: its number.
        merged: 1 where it goes with a request before it.
        is_part: 1 where the store does not write all of it.
        left: when it left the SM.
        t: when it comes.

    """
    line = sector >> 2
    written = ck.dram.written
    served = _slice(ck, line, sm.half, t, 1, 0.0 if merged else counts_for(ck, is_part))
    way = l2_way(ck, line, served)
    cell = 4 * way + (sector & 3)
    size = dirty(ck, way, sector & 3, is_part, served)
    if size > 0 and ck.age.size:
        is_new = ck.l2_ready[cell] >= NEVER
        was_left = not is_new and is_from_before(ck.age, ck.l2_used[way])
        stays = not was_left and ck.chip.l2_tags.l2_dirty_bytes == 0  # until it leaves with its age
        gone = brought(ck.age, SECTOR if is_new else 0.0, size if stays else 0.0)
        dram.write(ck, gone, line, 0, served)
    ck.l2_used[way] = stamp(ck.age, left)
    if ck.dram.written > written:
        served = max(served, dram.idle_at(ck, served))
    ck.l2_ready[cell] = served
    ck.counters[Counter.STORE_SECTORS] += 1
    if not merged:
        keep(ck, way, line, sm.half, served)
    return served


@compiled(void, CLOCK, int64, float64)
def complete(ck: Arrays, sector: Int, t: Float) -> None:
    """Bring the rest of a sector from DRAM, if L2 has only what stores have written of it."""
    size = rest_of(ck, sector)
    if size > 0:
        dram.deliver(ck, sector, _share_of(ck, sector) * size / SECTOR, 0.0, t)
