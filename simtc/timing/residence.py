"""Which sectors L2 holds when a launch, or a wave of its blocks, begins."""

from __future__ import annotations

import numpy as np

from simtc.arch import Device
from simtc.bundle import bundle
from simtc.jit import Array, Float, jit
from simtc.machine.state import Memory
from simtc.machine.types import LONGS, float64, int64, void
from simtc.timing.addresses import spread
from simtc.timing.aging import NO_AGE, is_gone
from simtc.timing.constants import UNUSED, WAYS, Chip, Counter, Server
from simtc.timing.l2 import NEVER, hold_sector, warm_l2
from simtc.timing.state import CACHES, Caches

__all__ = ["forget", "hold", "remember", "resident"]

_STAYS = 1 << 60  # later than any use
_WHENEVER = 1 << 31  # more than `spread` returns


def forget(caches: Caches, *, unused: bool) -> None:
    """Make a part of L2 lose what it holds, or only what was put there and has not been used."""
    lost = caches.l2_used == _STAYS if unused else slice(None)
    caches.l2_tags[lost] = -1
    caches.l2_dirty[lost] = 0
    caches.l2_ready.reshape(-1, 4)[lost] = NEVER
    caches.l2_used[lost] = UNUSED


@jit(void(CACHES, LONGS))
def hold(caches: Caches, sectors: Array) -> None:
    """Make a part of L2 hold sectors until they are used, whatever comes meanwhile."""
    for sector in sectors:
        hold_sector(caches, sector, _STAYS)


@jit(void(CACHES, LONGS, float64, float64))
def remember(caches: Caches, sectors: Array, size: Float, passed: Float) -> None:
    """Make a part of L2 hold those sectors that it still does of the ones before the launch, used in no known order.

    Args:
        caches: the memory hierarchy.
        sectors: what the whole of L2 held.
        size: bytes of the part.
        passed: bytes that have left it since, and that it has not seen.

    """
    for sector in sectors:
        stamped = int64(size * spread(sector >> 2) / _WHENEVER - passed)
        if not is_gone(caches.age, stamped):
            hold_sector(caches, sector, stamped)


def resident(device: Device, memory: Memory) -> np.ndarray:
    """Return the sectors that a board's L2 holds after the operands have passed through it."""
    sets = max(device.l2_kept_bytes // (device.sm.l1.line_bytes * WAYS), 1)
    lines = sets * WAYS
    chip = np.zeros(Chip.COUNT)
    chip[Chip.L2_SETS], chip[Chip.WAYS], chip[Chip.DRAM_BYTES] = sets, WAYS, 1.0
    whole = Caches(
        chip=chip,
        l1_tags=np.zeros((1, 1), np.int64),
        l1_ready=np.zeros((1, 1)),
        l1_used=np.zeros((1, 1), np.int64),
        l2_tags=np.full(lines, -1, np.int64),
        l2_ready=np.full(4 * lines, NEVER),
        l2_used=np.full(lines, UNUSED, np.int64),
        l2_dirty=np.zeros(lines, np.int64),
        slices=np.zeros(3),
        clusters=np.zeros(2),
        ports=np.zeros(4),
        open_rows=np.zeros(1, np.int64),
        open_until=np.zeros(1),
        asked=np.zeros(1, np.int64),
        answered=np.zeros(1),
        servers=np.zeros(Server.COUNT),
        shares=np.zeros((0, 2)),
        age=NO_AGE,
        counters=np.zeros(Counter.COUNT, np.int64),
    )
    cached = bundle(CACHES, whole)
    for start, end in zip(memory.starts, memory.ends, strict=True):
        warm_l2(cached, int(start) >> 5, (int(end) + 31) >> 5)
    sectors = (4 * whole.l2_tags[:, None] + np.arange(4)).ravel()
    found: np.ndarray = np.sort(sectors[(whole.l2_ready < NEVER) & (sectors >= 0)])
    return found
