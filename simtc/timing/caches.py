"""L1, L2 and DRAM: when a sector will have arrived.

Caches keep real tags, filled from the addresses that the machine reports. A slice of L2, a GPC's port and DRAM serve
sectors one after another at their bandwidth; a sector that is on its way already is waited for, not fetched again.
"""

from __future__ import annotations

import math

from simtc.jit import Float, Int, Record, jit
from simtc.machine.types import float64, int64
from simtc.timing.addresses import chance, distance_of_memory, hashed, spread
from simtc.timing.aging import brought, stamp, used_again
from simtc.timing.constants import BANKS, MERGED, PAIRS, Chip, Counter, Server
from simtc.timing.l2 import NEVER, keep, l2_way
from simtc.timing.servers import turn_at
from simtc.timing.state import CACHES, SM_RECORD, Caches

__all__ = ["fetch_sector", "load_sector", "merges", "store_sector"]

_SECTOR = 32.0


@jit(float64(CACHES, int64, float64, int64, float64))
def _slice(caches: Caches, line: Int, t: Float, stores: Int, size: Float) -> Float:
    """Pass a request through the slice of L2 that holds a line; return when it serves it.

    It takes longer where it served a load and now a store, and likewise the other way round.

    Args:
        caches: the memory hierarchy.
        line: its number.
        t: when the request comes.
        stores: 1 for a store.
        size: bytes that the request counts for; 0 or less for one that comes with the request before it.

    """
    chip, slices = caches.chip, caches.slices
    place = 3 * (hashed(line, 8) % int64(chip[Chip.SLICES]))
    if size > 0 and slices[place + 2] != stores:
        slices[place + 2] = stores
        size += chip[Chip.SLICE_TURN]
    return turn_at(slices, place, t, size / chip[Chip.SLICE_BYTES])


@jit(float64(CACHES, SM_RECORD, float64, float64))
def _sent(caches: Caches, sm: Record, t: Float, packets: Float) -> Float:
    """Send packets of 32 bytes towards L2 through the port that an SM shares with its neighbours; return when."""
    return turn_at(caches.clusters, 2 * int64(sm.cluster), t, packets * caches.chip[Chip.PACKET])


@jit(float64(CACHES, int64, float64, float64))
def _port(caches: Caches, port: Int, t: Float, width: Float) -> Float:
    """Pass a sector through a port; return when it does."""
    if width == 0:
        return t
    return turn_at(caches.ports, 2 * port, t, _SECTOR / width)


@jit(float64(CACHES, int64))
def _counts_for(caches: Caches, sector: Int) -> Float:
    """Return what a sector counts for (see Caches.shares): 1, but where SMs stand for more of them."""
    share = 1.0
    for i in range(caches.shares.shape[0]):
        if caches.shares[i, 0] <= sector:
            share = caches.shares[i, 1]
    return share


@jit(int64(int64, float64))
def _pair_place(sector: Int, window: Float) -> Int:
    """Return where an SM remembers a request for the 64 bytes around a sector: the last one, if it merges no others."""
    return spread(sector >> 1) % PAIRS if window > 0 else 0


@jit(int64(CACHES, SM_RECORD, int64, int64, float64))
def merges(caches: Caches, sm: Record, sector: Int, stores: Int, t: Float) -> Int:
    """Tell whether an SM's request for a sector goes with one for the same 64 bytes; note it if not.

    1 for one of the same instruction, 2 for one of another instruction, which is still on its way.
    """
    window = caches.chip[Chip.MERGE_STORE if stores else Chip.MERGE]
    place = _pair_place(sector, window)
    if sm.pairs[stores, place] == sector >> 1 and t <= sm.pair_at[stores, place] + window:
        return 1 if t == sm.pair_at[stores, place] else 2
    sm.pairs[stores, place], sm.pair_at[stores, place] = sector >> 1, t
    return 0


@jit(float64(CACHES, float64))
def _refreshed(caches: Caches, t: Float) -> Float:
    """Return when DRAM can answer: not while it is refreshed, which happens to all of it at a time."""
    period, length = caches.chip[Chip.REFRESH_PERIOD], caches.chip[Chip.REFRESH]
    if length == 0:
        return t
    phase = (t + 0.5 * period) % period
    return t + max(length - phase, 0.0)


@jit(float64(CACHES, int64, float64))
def _tail(caches: Caches, line: Int, t: Float) -> Float:
    """Return the mean of what a read of DRAM takes beyond the quickest: more where it opens a row of 2 KiB."""
    row = line >> 4
    bank = hashed(row, 12) % BANKS
    is_open = caches.open_rows[bank] == row and t < caches.open_until[bank]
    caches.open_rows[bank], caches.open_until[bank] = row, t + caches.chip[Chip.ROW_OPEN]
    return caches.chip[Chip.DRAM_TAIL if is_open else Chip.DRAM_TAIL_ROW]


@jit(float64(CACHES, SM_RECORD, int64, int64, float64))
def _asked(caches: Caches, sm: Record, sector: Int, merged: Int, t: Float) -> Float:
    """Ask the slice of a sector for it; return when it serves it.

    A request is for up to 64 bytes: the second half of them comes with the first.
    """
    chip = caches.chip
    place = _pair_place(sector, chip[Chip.MERGE])
    if merged:
        _slice(caches, sector >> 2, t, 0, 2 * _SECTOR - chip[Chip.REQUEST_BYTES])
        return sm.served[place] if merged == 1 else max(t, sm.served[place])
    sm.served[place] = _slice(caches, sector >> 2, t, 0, chip[Chip.REQUEST_BYTES])
    return sm.served[place]


@jit(float64(CACHES, SM_RECORD, int64, int64, int64, float64))
def _from_l2(caches: Caches, sm: Record, sector: Int, hint: Int, merged: Int, t: Float) -> Float:
    """Read a sector from L2, or from DRAM through it; return when it is there, beyond what an L1 hit takes."""
    chip, counters, number = caches.chip, caches.counters, int64(sm.number)
    line = sector >> 2
    way = l2_way(caches, line, t)
    place = 4 * way + (sector & 3)
    if caches.l2_ready[place] < NEVER:
        used_again(caches.age, caches.l2_used[way], 4 * _SECTOR * _counts_for(caches, sector))
    caches.l2_used[way] = stamp(caches.age, t)
    if not merged:
        keep(caches, way, line, number, t)
    served = _asked(caches, sm, sector, merged, t)
    counters[Counter.L2_SECTORS] += 1
    if caches.l2_ready[place] < NEVER:
        counters[Counter.L2_HITS] += 1
        arrival = served + chip[Chip.L2_EXTRA] + chip[Chip.L2_SPREAD] * (chance(line) - 0.5)
        return max(arrival, caches.l2_ready[place])
    servers = caches.servers
    sent = _refreshed(caches, turn_at(servers, Server.DRAM, served, 0.0))
    arrival = sent + chip[Chip.DRAM_EXTRA] + chip[Chip.DRAM_SPREAD] * distance_of_memory(line, number)
    arrival -= _tail(caches, line, sent) * math.log(chance(sector >> 1))
    # a miss brings the aligned group of sectors that DRAM is read in, or that the load would like to have
    group = max(int64(chip[Chip.L2_FETCH]), hint) >> 5
    first = place & ~(group - 1)
    share = _counts_for(caches, sector)
    for i in range(first, first + group):
        if caches.l2_ready[i] >= NEVER:
            counters[Counter.DRAM_SECTORS] += 1
            size = share * _SECTOR
            turn_at(servers, Server.DRAM, served, (size + brought(caches.age, size, 0.0)) / chip[Chip.DRAM_BYTES])
            servers[Server.DELIVERED] += share
            caches.l2_ready[i] = arrival
    return arrival


@jit(float64(CACHES, SM_RECORD, int64, int64, float64, float64))
def fetch_sector(caches: Caches, sm: Record, sector: Int, hint: Int, missed: Float, t: Float) -> Float:
    """Bring a sector to an SM that missed L1 and asks L2 at t; return when it is there, beyond what an L1 hit takes.

    A sector that another SM of the same GPC has asked for and not received yet is not asked for again.
    """
    chip = caches.chip
    if sector >> 2 != sm.up_line:
        sm.up_free += chip[Chip.UP_REQUEST] + (0.0 if sm.up_loads else chip[Chip.UP_SWITCH])
        sm.up_loads = 1
        sm.requests += 1
        sm.up_line = sector >> 2
    start = max(sm.link_free, t, sm.up_free)
    sm.link_free = start + _SECTOR / chip[Chip.LINK_BYTES]
    sm.link_bytes += _SECTOR
    gpcs = int64(chip[Chip.GPCS])
    if gpcs == 0:
        return _from_l2(caches, sm, sector, hint, merges(caches, sm, sector, 0, missed), start)
    gpc = int64(sm.gpc)
    sent = _port(caches, gpc, start, chip[Chip.GPC_BYTES])
    place = gpc * MERGED + hashed(sector, 10) % MERGED
    if caches.asked[place] == sector and caches.answered[place] > sent:
        hit = chip[Chip.L2_EXTRA] + chip[Chip.L2_SPREAD] * (chance(sector >> 2) - 0.5)
        return max(caches.answered[place], sent + hit)  # it answers one as late as the other
    sent = _port(caches, gpcs + gpc, sent, chip[Chip.GPC_L2_BYTES])
    arrival = _from_l2(caches, sm, sector, hint, merges(caches, sm, sector, 0, missed), sent)
    caches.asked[place], caches.answered[place] = sector, arrival
    return arrival


@jit(float64(CACHES, SM_RECORD, int64, int64, float64, float64))
def load_sector(caches: Caches, sm: Record, sector: Int, hint: Int, t: Float, asked: Float) -> Float:
    """Look a sector up in L1; return when it is there: t for a hit.

    Args:
        caches: the memory hierarchy.
        sm: whose load it is.
        sector: its number.
        hint: aligned bytes around it that the load would like L2 to have, of its line.
        t: when L1 looks it up.
        asked: when L2 is asked for it.

    """
    ways = int64(caches.chip[Chip.WAYS])
    line, number = sector >> 2, int64(sm.number)
    first = (line % int64(caches.chip[Chip.L1_SETS])) * ways
    tags, used, ready = caches.l1_tags, caches.l1_used, caches.l1_ready
    way = int64(-1)
    for i in range(first, first + ways):
        if tags[number, i] == line:
            way = i
            break
    if way < 0:
        way = first
        for i in range(first + 1, first + ways):
            if used[number, i] < used[number, way]:
                way = i
        tags[number, way] = line
        for k in range(4):
            ready[number, 4 * way + k] = NEVER
    used[number, way] = int64(t) + 1
    place = 4 * way + (sector & 3)
    caches.counters[Counter.L1_SECTORS] += 1
    if ready[number, place] < NEVER:
        caches.counters[Counter.L1_HITS] += 1
        return max(t, ready[number, place])
    arrival = fetch_sector(caches, sm, sector, hint, t, asked)
    ready[number, place] = arrival
    return arrival


@jit(float64(CACHES, SM_RECORD, int64, int64, float64, float64))
def store_sector(caches: Caches, sm: Record, sector: Int, merged: Int, t: Float, flits: Float) -> Float:
    """Write a sector through to L2, which keeps it; return when its slice takes it.

    Where the memory behind it hangs on the other half of L2, both halves keep it.

    Args:
        caches: the memory hierarchy.
        sm: whose store it is.
        sector: its number.
        merged: 1 where it goes with a request before it.
        t: when it leaves the SM.
        flits: packets that it takes: the sector and its mask; the address of a request is one more.

    """
    chip, number = caches.chip, int64(sm.number)
    sent = _sent(caches, sm, t, flits + (0.0 if merged else 1.0))
    served = _slice(caches, sector >> 2, sent, 1, 0.0 if merged else chip[Chip.STORE_BYTES])
    way = l2_way(caches, sector >> 2, served)
    caches.l2_used[way] = stamp(caches.age, t)
    place, bit = 4 * way + (sector & 3), 1 << (sector & 3)
    if caches.age.size and not caches.l2_dirty[way] & bit:
        gone = brought(caches.age, _SECTOR if caches.l2_ready[place] >= NEVER else 0.0, _SECTOR)
        turn_at(caches.servers, Server.DRAM, served, gone / chip[Chip.DRAM_BYTES])
    caches.l2_ready[place] = served
    caches.l2_dirty[way] |= bit
    caches.counters[Counter.STORE_SECTORS] += 1
    if not merged:
        home = number if distance_of_memory(sector >> 2, number) < 0 else number + 1
        keep(caches, way, sector >> 2, home, served)
        keep(caches, way, sector >> 2, number, served)
    return served
