"""All that a clock counts as one array, which stretches of time may be added to and taken from."""

from __future__ import annotations

import numpy as np

from simtc.jit import Array
from simtc.results import Stall
from simtc.timing.clock import Clock
from simtc.timing.constants import Counter

__all__ = ["chip_wide", "restored", "vector", "with_counts"]


def _fields(clock: Clock) -> list[tuple[Array, bool]]:
    """Return all that the clock counts, and whether it counts it for the chip or for the busiest SM."""
    return [
        (clock.stalls, True),
        (clock.issued, True),
        (clock.conflicts, True),
        (clock.sectors, True),
        (clock.counters, True),
        (clock.subs["busy"], False),
        (clock.subs["issued"], False),
        (clock.sms["stage_busy"], False),
        (clock.sms["link_bytes"], False),
        (clock.dram["delivered"], True),
    ]


def vector(clock: Clock) -> np.ndarray:
    """Return all that the clock counts in one array."""
    return np.concatenate([np.asarray(part, float).ravel() for part, _ in _fields(clock)])


def chip_wide(clock: Clock) -> np.ndarray:
    """Return which places of the vector are sums over the chip."""
    return np.concatenate([np.full(part.size, wide) for part, wide in _fields(clock)])


def with_counts(clock: Clock, more: np.ndarray, counts: np.ndarray, warp_cycles: float) -> np.ndarray:
    """Put exact counts of instructions, conflicts and sectors into what skipped laps add; stalls fill the cycles up."""
    rows, columns = clock.stalls.shape
    stalls = more[: rows * columns].reshape(rows, columns)
    stalls[:, Stall.selected] = 0
    stalls *= max(warp_cycles - counts.sum(), 0.0) / max(stalls.sum(), 1.0)
    stalls[:, Stall.selected] = counts
    issued, conflicts, sectors = more[rows * columns :][: 3 * rows].reshape(3, rows)
    conflicts *= counts / np.maximum(issued, 1.0)
    sectors *= counts / np.maximum(issued, 1.0)
    issued[:] = counts
    return more


def restored(clock: Clock, total: np.ndarray, issued: np.ndarray) -> Clock:
    """Return a clock that has counted what the vector says."""
    parts, at = [], 0
    for part, _ in _fields(clock):
        parts.append(total[at : at + part.size].reshape(part.shape))
        at += part.size
    stalls, counted, conflicts, sectors, counters, busy, used, stage, link, delivered = parts
    first = clock.stalls.size
    whole = np.rint(issued[first : first + clock.issued.size]).astype(np.int64)
    conflicts = np.rint(conflicts * whole / np.maximum(counted, 1.0))
    sectors = np.rint(sectors * whole / np.maximum(counted, 1.0))
    counters[Counter.WAVEFRONTS] = np.rint(counters[Counter.IDEAL_WAVEFRONTS]) + conflicts.sum()
    causes = np.rint(stalls).astype(np.int64)
    causes[:, Stall.selected] = whole
    # of what these SMs missed, others have fetched a part
    missed = max(counters[Counter.DRAM_SECTORS], 1.0)
    misses = (counters[Counter.L2_SECTORS] - counters[Counter.L2_HITS]) * delivered[0] / missed
    counters[Counter.L2_HITS] = counters[Counter.L2_SECTORS] - misses
    counters[Counter.DRAM_SECTORS] = delivered[0]
    subs, sms, warps = clock.subs.copy(), clock.sms.copy(), clock.warps.copy()
    subs["busy"], subs["issued"] = np.rint(busy), np.rint(used)
    sms["stage_busy"], sms["link_bytes"] = stage, link
    warps["lived"] = 0
    warps["lived"][0] = causes.sum()
    return clock.replaced(
        stalls=causes,
        issued=whole,
        conflicts=conflicts.astype(np.int64),
        sectors=sectors.astype(np.int64),
        counters=np.rint(counters).astype(np.int64),
        subs=subs,
        sms=sms,
        warps=warps,
    )
