"""How much may be on its way to an SM: it leaves in the order in which it was asked for, whatever comes first.

A ring has the last requests: when each of them, and all before it, has come.
"""

from __future__ import annotations

from simtc.jit import Array, Float, Int, jit
from simtc.machine.types import float64, int64, void

__all__ = ["has_room_at", "take_room"]


@jit(float64(float64[:], int64, int64))
def has_room_at(ring: Array, most: Int, number: Int) -> Float:
    """Return when there is room for a request: when the one that came `most` before it has left; 0 if `most` is."""
    return ring[number % most] if most > 0 else 0.0


@jit(void(float64[:], int64, int64, float64))
def take_room(ring: Array, most: Int, number: Int, arrival: Float) -> None:
    """Note when a request's answer comes.

    Args:
        ring: of the last requests.
        most: how many there may be; 0 for any number.
        number: of requests before.
        arrival: when its answer comes.

    """
    if most > 0:
        ring[number % most] = max(ring[(number - 1) % most], arrival)
