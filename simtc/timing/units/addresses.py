"""What an address decides on the chip: where no one knows how, it is taken as if by chance, the same at every run."""

from __future__ import annotations

from simtc.jit import Float, Int, jit
from simtc.machine.types import float64, int64

__all__ = ["chance", "hashed", "ones", "parity", "slot", "spread"]


@jit(int64(int64))
def spread(line: Int) -> Int:
    """Return a number of 31 bits that depends on a line's as if by chance, neighbours being strangers."""
    mixed = (line ^ line >> 15) * 2246822519
    mixed = (mixed ^ mixed >> 13) * 3266489917
    return (mixed ^ mixed >> 16) & 0x7FFFFFFF


@jit(int64(int64, int64))
def slot(line: Int, slots: Int) -> Int:
    """Return which of some slots, a power of two, may say where the clock found a line: no stride keeps to a few."""
    return (line ^ line >> 5 ^ line >> 10) & (slots - 1)


@jit(int64(int64, int64))
def hashed(number: Int, low: Int) -> Int:
    """Return 24 bits that depend on a number as if by chance, from bit `low` of any fair hash on."""
    return (number * 2654435761) >> low & 0xFFFFFF


@jit(float64(int64))
def chance(number: Int) -> Float:
    """Return a number between 0 and 1 that depends on an address as if by chance."""
    return ((hashed(number, 12) & 1023) + 0.5) / 1024.0


@jit(int64(int64, int64))
def parity(line: Int, bits: Int) -> Int:
    """Return 1 where an odd number of these bits of a line's number are set."""
    mixed = line & bits
    for shift in (32, 16, 8, 4, 2, 1):
        mixed ^= mixed >> shift
    return mixed & 1


@jit(int64(int64))
def ones(bits: Int) -> Int:
    """Count the bits that are set."""
    count = int64(0)
    while bits:
        bits &= bits - 1
        count += 1
    return count
