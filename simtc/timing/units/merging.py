"""Request merging: of 64 bytes an instruction asks L2 once; what an SM stores to them soon afterwards goes along."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64
from simtc.timing.unit import CLOCK, SM, Parameters, Unit, compiled, constant
from simtc.timing.units.addresses import spread

__all__ = ["UNIT", "Merging", "asks_too", "stores_too"]

_PAIRS: Final = 64  # stores of one SM, to 64 bytes each, that can be told apart
_STORED = np.dtype([("pair", np.int64), ("halves", np.int64), ("at", np.float64)])  # bits of the halves that it is for


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging(Parameters):
    """What a board says of merging."""

    store_merge_cycles: float = constant("l1.store_merge_cycles")


UNIT = Unit(
    name="merging",
    parameters=Merging,
    sm=(
        ("stored_pairs", _STORED, (_PAIRS,)),  # 64 bytes that this SM stored to, by a hash of their number
        ("asked_line", np.int64),  # that the last instruction asked L2 for
        ("asked_at", np.float64),
        ("asked_sectors", np.int64),  # bits
        ("of_line", np.int64),  # so many, up to the last one
        ("served", np.float64, (2,)),  # when L2 serves each half of the line
        ("served_at", np.float64),  # when it serves the last request
    ),
)


@compiled(int64, SM, int64, float64)
def asks_too(sm: Record, sector: Int, t: Float) -> Int:
    """Tell whether the instruction that came at t asks L2 for another sector of the same 64 bytes; note this one."""
    if sm.asked_line != sector >> 2 or sm.asked_at != t:
        sm.asked_line, sm.asked_at, sm.asked_sectors, sm.of_line = sector >> 2, t, 0, 0
    there = sm.asked_sectors & 3 << (sector & 2)
    sm.asked_sectors |= 1 << (sector & 3)
    sm.of_line += 1
    return int64(there != 0)


@compiled(int64, CLOCK, SM, int64, float64)
def stores_too(ck: Arrays, sm: Record, sector: Int, t: Float) -> Int:
    """Tell whether what an SM stores to a sector goes with what it stores to the same 64 bytes; note it if not.

    What is stored to the same sector again goes alone.
    """
    half = 1 << (sector & 1)
    stored = sm.stored_pairs[spread(sector >> 1) % _PAIRS if ck.chip.merging.store_merge_cycles > 0 else 0]
    if stored.pair == sector >> 1 and t <= stored.at + ck.chip.merging.store_merge_cycles and not stored.halves & half:
        stored.halves |= half
        return 1
    stored.pair, stored.halves, stored.at = sector >> 1, half, t
    return 0
