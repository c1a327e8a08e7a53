"""What a warp asks for comes back in the order of asking: loads, copies and atomics with a result wait for one another.

Those of another warp do not wait, nor does a load of which L1 has all, nor what only writes. It holds on chips where
that was measured.
"""

from __future__ import annotations

from simtc.jit import Arrays, Float, Record
from simtc.machine.types import float64
from simtc.timing.constants import Access
from simtc.timing.operation import OPERATION
from simtc.timing.unit import CLOCK, WARP, compiled

__all__ = ["in_order"]


@compiled(float64, CLOCK, WARP, OPERATION, float64, float64)
def in_order(ck: Arrays, warp: Record, op: Record, comes: Float, now: Float) -> Float:
    """Return when a warp has what comes for it at a time: not before it has what it asked for earlier."""
    if ck.chip.l1.in_order == 0 or (comes <= now and (op.access != Access.COPY or warp.returned <= now)):
        return comes
    warp.returned = max(comes, float64(warp.returned))
    return float64(warp.returned)
