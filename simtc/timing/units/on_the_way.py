"""How much may be on its way to an SM: each request has a place until what it brings has left.

In a ring, requests leave in the order in which they came, whatever comes first: it has the last ones, and when each of
them and all before it have come. Of places (a heap), the one that gets free first is the next one to be taken.
"""

from __future__ import annotations

from simtc.jit import Array, Float, Int, jit
from simtc.machine.types import float64, int64, void

__all__ = ["has_room_at", "hold_place", "take_place", "take_room"]


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


@jit(void(float64[:], int64, float64))
def hold_place(places: Array, held: Int, until: Float) -> None:
    """Hold one more place until a time, beside so many that are held."""
    i = held
    while i > 0 and places[(i - 1) >> 1] > until:
        places[i] = places[(i - 1) >> 1]
        i = (i - 1) >> 1
    places[i] = until


@jit(float64(float64[:], int64))
def take_place(places: Array, held: Int) -> Float:
    """Give up, of so many places that are held, the one that gets free first; return when it does."""
    first, last, i, k = places[0], places[held - 1], int64(0), int64(1)
    while k < held - 1:
        if k + 1 < held - 1 and places[k + 1] < places[k]:
            k += 1
        if places[k] >= last:
            break
        places[i] = places[k]
        i, k = k, 2 * k + 1
    places[i] = last
    return first
