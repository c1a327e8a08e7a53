"""The timeline: what each warp did, cycle by cycle, as slices of one cause at one instruction."""

from __future__ import annotations

from simtc.jit import Array, Int, Record, jit
from simtc.machine.types import int64, void
from simtc.timing.state import WARP_RECORD

__all__ = ["close", "show"]


@jit(void(WARP_RECORD, int64[:, ::1], int64[::1], int64, int64))
def close(warp: Record, slices: Array, count: Array, w: Int, now: Int) -> None:
    """End a warp's open slice."""
    if warp.shown_cause < 0 or warp.shown_since == now:
        warp.shown_cause = -1
        return
    n = count[0]
    if n < slices.shape[0]:
        slices[n, 0], slices[n, 1], slices[n, 2] = w, warp.shown_place, warp.shown_cause
        slices[n, 3], slices[n, 4] = warp.shown_since, now
    count[0] = n + 1
    warp.shown_cause = -1


@jit(void(WARP_RECORD, int64[:, ::1], int64[::1], int64, int64, int64, int64))
def show(warp: Record, slices: Array, count: Array, w: Int, place: Int, cause: Int, now: Int) -> None:
    """Go on with a warp's open slice, or begin another where the cause or the instruction is a new one."""
    if warp.shown_cause == cause and warp.shown_place == place:
        return
    close(warp, slices, count, w, now)
    warp.shown_since, warp.shown_cause, warp.shown_place = now, cause, place
