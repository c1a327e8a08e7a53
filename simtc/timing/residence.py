"""Which sectors L2 holds when a launch, or a wave of its blocks, begins."""

from __future__ import annotations

import numpy as np

from simtc.arch import Device
from simtc.bundle import bundle
from simtc.machine.state import Memory
from simtc.timing.caches import NEVER, warm_l2
from simtc.timing.constants import UNUSED, WAYS, Chip, Counter, Server
from simtc.timing.state import CACHES, Caches

__all__ = ["fill", "resident"]


def fill(caches: Caches, cached: Caches, sectors: np.ndarray) -> None:
    """Make L2 hold these sectors, in ascending order, and no others."""
    caches.l2_tags[:] = -1
    caches.l2_ready[:] = NEVER
    caches.l2_dirty[:] = 0
    caches.l2_used[:] = UNUSED
    for first, last in _ranges(sectors):
        warm_l2(cached, first, last)


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
        shares=np.zeros((0, 3)),
        counters=np.zeros(Counter.COUNT, np.int64),
    )
    cached = bundle(CACHES, whole)
    for start, end in zip(memory.starts, memory.ends, strict=True):
        warm_l2(cached, int(start) >> 5, (int(end) + 31) >> 5)
    sectors = (4 * whole.l2_tags[:, None] + np.arange(4)).ravel()
    found: np.ndarray = np.sort(sectors[(whole.l2_ready < NEVER) & (sectors >= 0)])
    return found


def _ranges(sectors: np.ndarray) -> list[tuple[int, int]]:
    """Return runs of consecutive numbers as (first, past the last)."""
    if not len(sectors):
        return []
    breaks = np.flatnonzero(np.diff(sectors) != 1) + 1
    firsts, lasts = sectors[np.r_[0, breaks]], sectors[np.r_[breaks - 1, len(sectors) - 1]] + 1
    return list(zip(firsts.tolist(), lasts.tolist(), strict=True))
