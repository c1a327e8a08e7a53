"""Which lines L2 holds."""

from __future__ import annotations

from simtc.jit import Float, Int, jit
from simtc.machine.types import float64, int64, void
from simtc.timing.addresses import spread
from simtc.timing.aging import is_gone, stamp
from simtc.timing.constants import Chip, Server
from simtc.timing.servers import turn_at
from simtc.timing.state import CACHES, Caches

__all__ = ["NEVER", "hold_sector", "keep", "l2_way", "warm_l2"]

NEVER = 1e18
_SECTOR = 32.0
_BEFORE = 1 << 50  # how long before a launch what is in L2 was used
_COPY = 1 << 50  # added to the number of a line: its copy in the other half of L2


@jit(void(CACHES, int64))
def _forget(caches: Caches, way: Int) -> None:
    caches.l2_dirty[way] = 0
    for k in range(4):
        caches.l2_ready[4 * way + k] = NEVER


@jit(int64(CACHES, int64, float64))
def l2_way(caches: Caches, line: Int, t: Float) -> Int:
    """Find a line's place in L2, evicting the least recently used one for it; evicted data goes to DRAM."""
    tags, used, chip = caches.l2_tags, caches.l2_used, caches.chip
    ways = int64(chip[Chip.WAYS])
    sets = int64(chip[Chip.L2_SETS])
    first = (line + spread(line // sets)) % sets * ways  # neighbours apart, and no stride keeps to a few sets
    victim = first
    for i in range(first, first + ways):
        if tags[i] == line:
            if is_gone(caches.age, used[i]):
                _forget(caches, i)
            return i
        if used[i] < used[victim]:
            victim = i
    dirty = caches.l2_dirty[victim] & 15
    while dirty:
        dirty &= dirty - 1
        turn_at(caches.servers, Server.DRAM, t, _SECTOR / chip[Chip.DRAM_BYTES])
    tags[victim] = line
    _forget(caches, victim)
    return victim


@jit(void(CACHES, int64, int64, int64, float64))
def keep(caches: Caches, way: Int, line: Int, number: Int, t: Float) -> None:
    """Note that the half of L2 near an SM keeps a line; where the other one does already, that is a second place."""
    held = caches.l2_dirty[way] >> 4
    half = 1 << (number & 1)
    if held & half or caches.chip[Chip.HALVES] < 2:
        return
    caches.l2_dirty[way] |= half << 4
    if held:
        caches.l2_used[l2_way(caches, line | _COPY, t)] = stamp(caches.age, t)


@jit(void(CACHES, int64, int64))
def warm_l2(caches: Caches, first: Int, last: Int) -> None:
    """Fill L2 with sectors [first, last), as an earlier launch would have left it."""
    for sector in range(first, last):
        way = l2_way(caches, sector >> 2, 0.0)
        caches.l2_ready[4 * way + (sector & 3)] = 0.0
        caches.l2_used[way] = spread(sector >> 2) - _BEFORE  # before the launch, in no order that it would know


@jit(void(CACHES, int64, int64))
def hold_sector(caches: Caches, sector: Int, stamped: Int) -> None:
    """Put a sector into a part of L2 as if it had been used at a stamp."""
    way = l2_way(caches, sector >> 2, 0.0)
    if caches.l2_ready[4 * way + (sector & 3)] >= NEVER:
        caches.l2_ready[4 * way + (sector & 3)] = 0.0
        caches.l2_used[way] = stamped
