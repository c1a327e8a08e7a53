"""What serves requests one after another: a slice of L2, a port, DRAM."""

from __future__ import annotations

from simtc.jit import Array, Float, Int, jit
from simtc.machine.types import float64, int64

__all__ = ["FLOATS", "turn_at"]

FLOATS = float64[::1]


@jit(float64(FLOATS, int64, float64, float64))
def turn_at(servers: Array, which: Int, t: Float, cycles: Float) -> Float:
    """Queue a request that comes at t and return when it is its turn.

    SMs run a window of cycles each in turn, so requests do not come in order of time: one that is earlier than the
    last one waits for what is queued, not for the time to come.
    """
    servers[which + 1] = max(servers[which + 1], t)
    queued = max(servers[which] - servers[which + 1], 0.0)
    servers[which] = servers[which + 1] + queued + cycles
    return t + queued
