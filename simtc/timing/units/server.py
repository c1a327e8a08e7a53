"""What serves requests one after another: a slice of L2, a port, a DRAM channel."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba import from_dtype

from simtc.jit import Float, Record, jit
from simtc.machine.types import float64
from simtc.timing.constants import SECTOR

__all__ = ["SERVER", "SERVER_RECORD", "serve", "through"]

SERVER: Final = np.dtype([("free", np.float64), ("last", np.float64)])  # when it is idle; its last request's time
SERVER_RECORD: Any = from_dtype(SERVER)


@jit(float64(SERVER_RECORD, float64, float64))
def serve(server: Record, t: Float, cycles: Float) -> Float:
    """Queue a request that comes at t and return when it is served.

    SMs run a window of cycles each in turn, so requests do not come in order of time: one that is earlier than the
    last one waits for what is queued, not for the time to come.
    """
    server.last = max(server.last, t)
    queued = max(server.free - server.last, 0.0)
    server.free = server.last + queued + cycles
    return t + queued


@jit(float64(SERVER_RECORD, float64, float64))
def through(port: Record, t: Float, width: Float) -> Float:
    """Pass a sector through a port of so many bytes a cycle, 0 for any number; return when it does."""
    return serve(port, t, SECTOR / width) if width > 0 else t
