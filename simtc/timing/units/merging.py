"""Request merging: an SM's requests for the same 64 bytes go to L2 as one while the first is on its way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int, Record
from simtc.machine.types import float64, int64, void
from simtc.timing.unit import CLOCK, SM, Parameters, Unit, compiled, constant
from simtc.timing.units.addresses import spread

__all__ = ["UNIT", "Merging", "count_of_line", "merges", "pair_of"]

_PAIRS: Final = 64  # requests of one SM, for 64 bytes each, that can be told apart
_REQUEST = np.dtype([("pair", np.int64), ("halves", np.int64), ("at", np.float64)])  # bits of the halves that it is for


@dataclass(frozen=True, slots=True, kw_only=True)
class Merging(Parameters):
    """What a board says of merging."""

    merge_cycles: float = constant("l1.merge_cycles")
    store_merge_cycles: float = constant("l1.store_merge_cycles")


UNIT = Unit(
    name="merging",
    parameters=Merging,
    sm=(
        ("loaded_pairs", _REQUEST, (_PAIRS,)),  # 64 bytes that this SM asked L2 for, by a hash of their number
        ("stored_pairs", _REQUEST, (_PAIRS,)),  # or stored to
        ("served", np.float64, (_PAIRS,)),  # when L2 serves what was asked for
        ("of_line", np.int64),  # sectors that an instruction asks for of a line, up to the last one
    ),
)


@compiled(int64, int64, float64)
def pair_of(sector: Int, window: Float) -> Int:
    """Return where an SM remembers a request for the 64 bytes around a sector: the last one, if it merges no others."""
    return spread(sector >> 1) % _PAIRS if window > 0 else 0


@compiled(int64, SM, int64, float64, float64)
def _asked_of_half(sm: Record, pair: Int, window: Float, t: Float) -> Int:
    """Return how many sectors of 64 bytes the instruction that came at t has asked for."""
    request = sm.loaded_pairs[pair_of(pair << 1, window)]
    if request.pair != pair or request.at != t:
        return 0
    return int64((request.halves & 1) + (request.halves >> 1))


@compiled(void, CLOCK, SM, int64, float64)
def count_of_line(ck: Arrays, sm: Record, sector: Int, t: Float) -> None:
    """Count the sectors of a line that the instruction that came at t has asked for, up to this one."""
    window, pair = ck.chip.merging.merge_cycles, sector >> 1
    sm.of_line = _asked_of_half(sm, pair, window, t) + _asked_of_half(sm, pair ^ 1, window, t)


@compiled(int64, CLOCK, SM, int64, int64, float64)
def merges(ck: Arrays, sm: Record, sector: Int, stores: Int, t: Float) -> Int:
    """Tell whether an SM's request for a sector goes with one for the same 64 bytes; note it if not.

    1 for one of the same instruction, 2 for one of another instruction, which is still on its way. What is stored to
    the same sector again goes alone.
    """
    half = 1 << (sector & 1)
    window = ck.chip.merging.store_merge_cycles if stores else ck.chip.merging.merge_cycles
    i = pair_of(sector, window)
    request = sm.stored_pairs[i] if stores else sm.loaded_pairs[i]
    if request.pair == sector >> 1 and t <= request.at + window and not (stores and request.halves & half):
        request.halves |= half
        if not stores:
            count_of_line(ck, sm, sector, t)
        return 1 if t == request.at else 2
    request.pair, request.halves, request.at = sector >> 1, half, t
    if not stores:
        count_of_line(ck, sm, sector, t)
    return 0
