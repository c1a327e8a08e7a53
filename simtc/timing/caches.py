"""L1, L2 and DRAM: when a sector will have arrived.

Caches keep real tags, filled from the addresses that the machine reports. L2 and DRAM serve sectors one after another
at their bandwidth; a sector that is on its way already is waited for, not fetched again.
"""

from __future__ import annotations

from simtc.jit import Array, Float, Int, Record, jit
from simtc.machine.types import float64, int64, void
from simtc.timing.state import CACHES, SM_RECORD, Caches, Chip, Counter, Server

__all__ = ["NEVER", "load_sector", "store_sector", "warm_l2"]

NEVER = 1e18
_SECTOR = 32.0
FLOATS = float64[::1]


@jit(float64(FLOATS, int64, float64, float64))
def _served(servers: Array, which: Int, t: Float, cycles: Float) -> Float:
    """Queue a request that comes at t and return when it is its turn.

    SMs run a window of cycles each in turn, so requests do not come in order of time: one that is earlier than the
    last one waits for what is queued, not for the time to come.
    """
    servers[which + 1] = max(servers[which + 1], t)
    queued = max(servers[which] - servers[which + 1], 0.0)
    servers[which] = servers[which + 1] + queued + cycles
    return t + queued


@jit(int64(CACHES, int64, float64))
def _l2_way(caches: Caches, line: Int, t: Float) -> Int:
    """Find a line's place in L2, evicting the least recently used one for it; evicted data goes to DRAM."""
    tags, used, chip = caches.l2_tags, caches.l2_used, caches.chip
    ways = int64(chip[Chip.WAYS])
    first = (line % int64(chip[Chip.L2_SETS])) * ways
    victim = first
    for i in range(first, first + ways):
        if tags[i] == line:
            return i
        if used[i] < used[victim]:
            victim = i
    dirty = caches.l2_dirty[victim]
    while dirty:
        dirty &= dirty - 1
        _served(caches.servers, Server.DRAM, t, _SECTOR / chip[Chip.DRAM_BYTES])
    tags[victim], caches.l2_dirty[victim] = line, 0
    for k in range(4):
        caches.l2_ready[4 * victim + k] = NEVER
    return victim


@jit(float64(SM_RECORD, int64))
def _distance(sm: Record, line: Int) -> Float:
    """Return how far the slice that holds a line is from an SM, as a share of the spread around the mean.

    L2 stands in two halves: to any SM, half of the lines are near and half are far. Which, no one publishes; any fair
    hash gives loads of many lines the latency of the far half, which is what matters.
    """
    far = ((line * 2654435761) >> 16 ^ sm.number) & 1
    return 0.5 if far else -0.5


@jit(float64(CACHES, int64, int64))
def _share(caches: Caches, sector: Int, column: Int) -> Float:
    """Return what a sector counts for (see Caches.shares): 1, but where one SM stands for many."""
    share = 1.0
    for i in range(caches.shares.shape[0]):
        if caches.shares[i, 0] <= sector:
            share = caches.shares[i, column]
    return share


@jit(float64(CACHES, SM_RECORD, int64, float64))
def _fetch(caches: Caches, sm: Record, sector: Int, t: Float) -> Float:
    """Bring a sector from L2 (or DRAM) to an SM; return when it is there, beyond what an L1 hit takes."""
    chip, servers, counters = caches.chip, caches.servers, caches.counters
    start = max(sm.link_free, t)
    sm.link_free = start + _SECTOR / chip[Chip.LINK_BYTES]
    sm.link_bytes += _SECTOR
    served = _served(servers, Server.L2, start, _SECTOR / chip[Chip.L2_BYTES])
    counters[Counter.L2_SECTORS] += 1
    way = _l2_way(caches, sector >> 2, served)
    caches.l2_used[way] = int64(t) + 1
    place = 4 * way + (sector & 3)
    distance = _distance(sm, sector >> 2)
    if caches.l2_ready[place] < NEVER:
        counters[Counter.L2_HITS] += 1
        arrival = served + chip[Chip.L2_EXTRA] + chip[Chip.L2_SPREAD] * distance
        return max(arrival, caches.l2_ready[place])
    sent = _served(servers, Server.DRAM, served, 0.0)
    arrival = sent + chip[Chip.DRAM_EXTRA] + chip[Chip.DRAM_SPREAD] * distance
    # a miss brings the aligned group of sectors that DRAM is read in
    group = int64(chip[Chip.L2_FETCH]) >> 5
    first = place & ~(group - 1)
    share, cost = _share(caches, sector, 1), _share(caches, sector, 2)
    for i in range(first, first + group):
        if caches.l2_ready[i] >= NEVER:
            counters[Counter.DRAM_SECTORS] += 1
            _served(servers, Server.DRAM, served, cost * _SECTOR / chip[Chip.DRAM_BYTES])
            servers[Server.DELIVERED] += share
            caches.l2_ready[i] = arrival
    return arrival


@jit(float64(CACHES, SM_RECORD, int64, float64))
def load_sector(caches: Caches, sm: Record, sector: Int, t: Float) -> Float:
    """Look a sector up in L1 and return when it is there: t for a hit."""
    ways = int64(caches.chip[Chip.WAYS])
    line, number = sector >> 2, int64(sm.number)
    first = (line % int64(caches.chip[Chip.L1_SETS])) * ways
    tags, used, ready = caches.l1_tags, caches.l1_used, caches.l1_ready
    way, victim = int64(-1), first
    for i in range(first, first + ways):
        if tags[number, i] == line:
            way = i
        if used[number, i] < used[number, victim]:
            victim = i
    if way < 0:
        way = victim
        tags[number, way] = line
        for k in range(4):
            ready[number, 4 * way + k] = NEVER
    used[number, way] = int64(t) + 1
    place = 4 * way + (sector & 3)
    caches.counters[Counter.L1_SECTORS] += 1
    if ready[number, place] < NEVER:
        caches.counters[Counter.L1_HITS] += 1
        return max(t, ready[number, place])
    arrival = _fetch(caches, sm, sector, t)
    ready[number, place] = arrival
    return arrival


@jit(void(CACHES, int64, float64))
def store_sector(caches: Caches, sector: Int, t: Float) -> None:
    """Write a sector through to L2, which keeps it."""
    served = _served(caches.servers, Server.L2, t, _SECTOR / caches.chip[Chip.L2_BYTES])
    way = _l2_way(caches, sector >> 2, served)
    caches.l2_used[way] = int64(t) + 1
    caches.l2_ready[4 * way + (sector & 3)] = served
    caches.l2_dirty[way] |= 1 << (sector & 3)
    caches.counters[Counter.STORE_SECTORS] += 1


@jit(void(CACHES, int64, int64))
def warm_l2(caches: Caches, first: Int, last: Int) -> None:
    """Fill L2 with sectors [first, last), as an earlier launch would have left it."""
    for sector in range(first, last):
        way = _l2_way(caches, sector >> 2, 0.0)
        caches.l2_ready[4 * way + (sector & 3)] = 0.0
        caches.l2_used[way] = 1
