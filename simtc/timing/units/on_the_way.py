"""How many lines may be on their way to an SM: a heap of when those that are will come, the first one on top."""

from __future__ import annotations

from simtc.jit import Array, Float, Int, jit
from simtc.machine.types import float64, int64, void

__all__ = ["take_place"]


@jit(void(float64[:], int64, float64))
def take_place(heap: Array, most: Int, arrival: Float) -> None:
    """Note when a line comes that takes the place of the first one to come, of as many as may be on their way.

    Args:
        heap: when lines come; nobody waits for those at 0.
        most: how many may be on their way; 0 for any number.
        arrival: when the line comes.

    """
    i = int64(0)
    if most == 0:
        return
    while 2 * i + 1 < most:
        child = 2 * i + 1
        if child + 1 < most and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= arrival:
            break
        heap[i] = heap[child]
        i = child
    heap[i] = arrival
