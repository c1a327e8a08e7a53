"""What a part of L2 forgets, in a clock whose SMs stand for more of them.

L2 keeps what was used last. Its part is a queue of bytes in the order of their last use, cut into buckets: what comes
goes to its head, what is used again moves there, and once the part is full as much leaves at its tail as comes. A line
is gone when its bucket is, and results that leave go to DRAM.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from simtc.jit import Array, Float, Int, jit
from simtc.machine.types import float64, int64, void

__all__ = [
    "FULL", "NO_AGE", "Age", "brought", "calm", "is_from_before", "is_gone", "new_age", "stamp", "used_again",
]  # fmt: skip

FULL = 256  # buckets of a part that is full and of which nothing is used again
_RING = 1024  # buckets, many of them nearly empty where much is used again
_ALIKE = 0.1  # bytes of results that leave for each that comes: no other rate
_AGE = float64[::1]


class Age(IntEnum):
    """Places in the array of what L2 has seen; after them come each bucket's bytes, then its bytes of results."""

    BUCKET = 0  # bytes that were used for the last time, or will be, while one was the head
    USED = 1  # bytes used so far
    TAIL = 2  # number of the bucket that leaves first
    HELD = 3  # bytes that are there
    BROUGHT = 4  # bytes that have come
    COUNT = 5


_RESULTS = Age.COUNT + _RING
NO_AGE = np.zeros(0)  # of a whole L2, which replaces lines as its sets are full


def new_age(size: float, held: float = 0.0, results: float = 0.0) -> np.ndarray:
    """Return the age of a part of L2.

    Args:
        size: its bytes.
        held: bytes of what was there before, whose last uses are spread evenly over `size` bytes of uses.
        results: those of them that DRAM does not have yet.

    Example:
        >>> age = new_age(2560)
        >>> [float(brought(age, 1280, results)) for results in (1280, 0, 0, 0)]
        [0.0, 0.0, 1280.0, 0.0]

    """
    age = np.zeros(_RESULTS + _RING)
    age[Age.BUCKET] = size / FULL
    age[Age.USED] = size
    age[Age.HELD] = held
    age[Age.COUNT : Age.COUNT + FULL] = held / FULL
    age[_RESULTS : _RESULTS + FULL] = results / FULL
    return age


@jit(int64(_AGE, float64))
def _bucket(age: Array, used: Float) -> Int:
    return int64(used / age[Age.BUCKET])


@jit(float64(_AGE, float64))
def _leave(age: Array, size: Float) -> Float:
    """Let bytes leave the bucket at the tail, which ends where it is empty; return those of results."""
    slot = int64(age[Age.TAIL]) % _RING
    there, results = age[Age.COUNT + slot], age[_RESULTS + slot]
    if size < there:
        gone = results * size / there
    else:
        size, gone = there, results
        age[Age.TAIL] += 1
    age[Age.COUNT + slot] -= size
    age[_RESULTS + slot] -= gone
    age[Age.HELD] -= size
    return gone


@jit(void(_AGE, float64))
def _to_head(age: Array, size: Float) -> None:
    age[Age.USED] += size
    age[Age.COUNT + _bucket(age, age[Age.USED]) % _RING] += size


@jit(float64(_AGE, float64, float64), from_python=True)
def brought(age: Array, size: Float, results: Float) -> Float:
    """Note that bytes have come, some of them results; return those of results that leave for them."""
    if age.size == 0:
        return 0.0
    gone, room = 0.0, age[Age.BUCKET] * FULL
    age[Age.BROUGHT] += size
    age[_RESULTS + _bucket(age, age[Age.USED]) % _RING] += results
    while size > 0:
        step = min(size, age[Age.BUCKET])
        head = _bucket(age, age[Age.USED] + step)
        while age[Age.HELD] + step > room and age[Age.TAIL] < head:
            gone += _leave(age, age[Age.HELD] + step - room)
        while head - age[Age.TAIL] >= _RING - 1:  # no bucket is left for what comes
            gone += _leave(age, age[Age.HELD])
        _to_head(age, step)
        age[Age.HELD] += step
        size -= step
    return gone


@jit(void(_AGE, int64, float64))
def used_again(age: Array, stamped: Int, size: Float) -> None:
    """Note that bytes last used at a stamp are used again."""
    if age.size == 0:
        return
    old, head = _bucket(age, float64(stamped)), _bucket(age, age[Age.USED])
    if old < age[Age.TAIL] or old >= head or head - age[Age.TAIL] >= _RING - 2:
        return
    step = min(size, age[Age.COUNT + old % _RING])
    age[Age.COUNT + old % _RING] -= step
    _to_head(age, step)


def calm(age: np.ndarray) -> tuple[float, float]:
    """Return how many bytes may come until results leave at another rate, and the highest rate to come.

    Example:
        >>> age = new_age(2560)
        >>> for results in (0, 10, 0):
        ...     _ = brought(age, 20, results)
        >>> calm(age)
        (2510.0, 1.0)

    """
    slots = np.arange(int(age[Age.TAIL]), int(age[Age.USED] / age[Age.BUCKET]) + 1) % _RING
    there, results = age[Age.COUNT + slots], age[_RESULTS + slots]
    rates = np.divide(results, there, out=np.zeros(len(slots)), where=there > 0)
    other = np.flatnonzero(abs(rates - rates[0]) > _ALIKE)
    free = FULL * age[Age.BUCKET] - age[Age.HELD]
    until = float(there[: other[0]].sum() + free) if len(other) else np.inf
    return until, float(rates.max())


@jit(int64(_AGE, float64))
def stamp(age: Array, t: Float) -> Int:
    """Return how late a line is used, as a number that only grows."""
    return int64(age[Age.USED] if age.size else t) + 1


@jit(int64(_AGE, int64))
def is_gone(age: Array, stamped: Int) -> Int:
    """Tell whether a line that was used last at a stamp has left."""
    return int64(age.size > 0 and _bucket(age, float64(stamped)) < age[Age.TAIL])


@jit(int64(_AGE, int64))
def is_from_before(age: Array, stamped: Int) -> Int:
    """Tell whether a line was last used before the launch."""
    return int64(float64(stamped) < FULL * age[Age.BUCKET])
