"""L1, L2 and DRAM: when a sector will have arrived.

Caches keep real tags, filled from the addresses that the machine reports. L2 and DRAM serve sectors one after another
at their bandwidth; a sector that is on its way already is waited for, not fetched again.
"""

from __future__ import annotations

from simtc.jit import jit
from simtc.machine.types import float64, int64, void
from simtc.timing.state import CLOCK, Chip, Counter

__all__ = ["NEVER", "load_sector", "store_sector", "warm_l2"]

NEVER = 1e18
_SECTOR = 32.0


@jit(int64(CLOCK, int64, float64))
def _l2_way(ck, line, t):
    """Find a line's place in L2, evicting the least recently used one for it; evicted data goes to DRAM."""
    ways = int64(ck.chip[Chip.WAYS])
    first = (line % int64(ck.chip[Chip.L2_SETS])) * ways
    victim = first
    for i in range(first, first + ways):
        if ck.l2_tags[i] == line:
            return i
        if ck.l2_used[i] < ck.l2_used[victim]:
            victim = i
    dirty = ck.l2_dirty[victim]
    while dirty:
        dirty &= dirty - 1
        ck.servers[1] = max(ck.servers[1], t) + _SECTOR / ck.chip[Chip.DRAM_BYTES]
    ck.l2_tags[victim], ck.l2_dirty[victim] = line, 0
    for k in range(4):
        ck.l2_ready[4 * victim + k] = NEVER
    return victim


@jit(float64(CLOCK, int64, int64, float64))
def _fetch(ck, sm, sector, t):
    """Bring a sector from L2 (or DRAM) to an SM; return when it is there, beyond what an L1 hit takes."""
    one = ck.sms[sm]
    start = max(one.link_free, t)
    one.link_free = start + _SECTOR / ck.chip[Chip.LINK_BYTES]
    one.link_bytes += _SECTOR
    served = max(ck.servers[0], start)
    ck.servers[0] = served + _SECTOR / ck.chip[Chip.L2_BYTES]
    ck.counters[Counter.L2_SECTORS] += 1
    way = _l2_way(ck, sector >> 2, served)
    ck.l2_used[way] = int64(t) + 1
    place = 4 * way + (sector & 3)
    if ck.l2_ready[place] < NEVER:
        ck.counters[Counter.L2_HITS] += 1
        return max(served + ck.chip[Chip.L2_EXTRA], ck.l2_ready[place])
    ck.counters[Counter.DRAM_SECTORS] += 1
    sent = max(ck.servers[1], served)
    ck.servers[1] = sent + _SECTOR / ck.chip[Chip.DRAM_BYTES]
    ck.l2_ready[place] = sent + ck.chip[Chip.DRAM_EXTRA]
    return ck.l2_ready[place]


@jit(float64(CLOCK, int64, int64, float64))
def load_sector(ck, sm, sector, t):
    """Look a sector up in L1 and return when it is there: t for a hit."""
    ways = int64(ck.chip[Chip.WAYS])
    line = sector >> 2
    first = (line % int64(ck.chip[Chip.L1_SETS])) * ways
    tags, used, ready = ck.l1_tags[sm], ck.l1_used[sm], ck.l1_ready[sm]
    way, victim = int64(-1), first
    for i in range(first, first + ways):
        if tags[i] == line:
            way = i
        if used[i] < used[victim]:
            victim = i
    if way < 0:
        way = victim
        tags[way] = line
        for k in range(4):
            ready[4 * way + k] = NEVER
    used[way] = int64(t) + 1
    place = 4 * way + (sector & 3)
    ck.counters[Counter.L1_SECTORS] += 1
    if ready[place] < NEVER:
        ck.counters[Counter.L1_HITS] += 1
        return max(t, ready[place])
    ready[place] = _fetch(ck, sm, sector, t)
    return ready[place]


@jit(void(CLOCK, int64, int64, float64))
def store_sector(ck, sm, sector, t):
    """Write a sector through to L2, which keeps it."""
    served = max(ck.servers[0], t)
    ck.servers[0] = served + _SECTOR / ck.chip[Chip.L2_BYTES]
    way = _l2_way(ck, sector >> 2, served)
    ck.l2_used[way] = int64(t) + 1
    ck.l2_ready[4 * way + (sector & 3)] = served
    ck.l2_dirty[way] |= 1 << (sector & 3)
    ck.counters[Counter.STORE_SECTORS] += 1


@jit(void(CLOCK, int64, int64))
def warm_l2(ck, first, last):
    """Fill L2 with sectors [first, last), as an earlier launch would have left it."""
    for sector in range(first, last):
        way = _l2_way(ck, sector >> 2, 0.0)
        ck.l2_ready[4 * way + (sector & 3)] = 0.0
        ck.l2_used[way] = 1
