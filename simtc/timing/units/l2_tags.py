"""Which lines L2 holds: real tags, filled from the addresses that the machine reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from simtc.jit import Arrays, Float, Int
from simtc.machine.types import LONGS, float64, int64, void
from simtc.prefetch import prefetch
from simtc.timing.constants import SECTOR, WAYS
from simtc.timing.unit import CLOCK, FLOAT, INT, Cells, Parameters, Sizes, Unit, compiled, constant, launched
from simtc.timing.units import dram
from simtc.timing.units.addresses import slot, spread
from simtc.timing.units.aging import is_gone, stamp

__all__ = [
    "NEVER",
    "STAYS",
    "UNIT",
    "L2Tags",
    "announce",
    "dirty",
    "hold_sectors",
    "keep",
    "l2_way",
    "needs_rest",
    "remember",
    "warm_l2",
]  # fmt: skip

NEVER: Final = 1e18  # when a sector that nobody asked for is there
STAYS: Final = 1 << 60  # the stamp of what stays until it is used
_BEFORE = 1 << 50  # how long before a launch what is in L2 was used
_COPY = 1 << 50  # added to the number of a line: its copy in the other half of L2
_SECTORS = 15  # the bits of `l2_dirty` that are of sectors; above them are those of halves
_HALF = 4  # the first of those, of which there are two
_PARTS = 8  # the first of those of sectors that are there only in part
_NOTED = 256  # lines that the clock finds again at once
_RESULTS = np.dtype([("stored", np.float64), ("written", np.float64)])  # sectors: see `dirty`


@dataclass(frozen=True, slots=True, kw_only=True)
class L2Tags(Parameters):
    """What a board says of what L2 holds."""

    l2_sets: float = launched("l2_sets")
    l2_halves: float = constant("l2_halves")
    l2_dirty_bytes: float = constant("l2_dirty_bytes", scales=lambda own, scale: own.l2_dirty_bytes * scale.share)
    l2_fill_bytes: float = constant("l2_fill_bytes")


def _lines(sizes: Sizes) -> tuple[int]:
    return (sizes.l2_lines,)


UNIT = Unit(
    name="l2_tags",
    parameters=L2Tags,
    chip={
        "l2_tags": Cells(of=INT, shape=_lines),  # the number of a line + 1, 0 for none
        "l2_ready": Cells(of=FLOAT, shape=lambda sizes: (4 * sizes.l2_lines,)),  # when each sector of a line is there
        "l2_used": Cells(of=INT, shape=_lines),  # a stamp, where there is a line
        # bits of sectors, and above them of the halves that keep the line
        "l2_dirty": Cells(of=np.dtype(np.int32), shape=_lines),
        "l2_stored": Cells(of=FLOAT, shape=_lines),  # how many sectors had been stored to when one of the line was
        "results": Cells(of=_RESULTS),
        "noted": Cells(of=INT, shape=lambda _: (_NOTED,)),  # where lines were last, by their numbers
        "age": Cells(of=FLOAT, shape=lambda _: (0,)),  # see aging.py; empty where L2 is whole
    },
)


@compiled(void, CLOCK, int64)
def _forget(ck: Arrays, way: Int) -> None:
    ck.l2_dirty[way] = 0
    for k in range(4):
        ck.l2_ready[4 * way + k] = NEVER


@compiled(int64, CLOCK, int64)
def _first_way(ck: Arrays, line: Int) -> Int:
    """Return where the set of a line begins: neighbours are apart, and no stride keeps to a few sets."""
    sets = int64(ck.chip.l2_tags.l2_sets)
    return (line + spread(line // sets)) % sets * WAYS


@compiled(void, CLOCK, int64)
def announce(ck: Arrays, line: Int) -> None:
    """Say that a line is going to be looked up."""
    place = ck.noted[slot(line, _NOTED)]
    if ck.l2_tags[place] == line + 1:
        prefetch(ck.l2_used, place)
        prefetch(ck.l2_ready, 4 * place)
        return
    first = _first_way(ck, line)
    for i in range(first, first + WAYS, 8):  # as many numbers as a line of the host's cache has
        prefetch(ck.l2_tags, i)
        prefetch(ck.l2_used, i)
    prefetch(ck.l2_dirty, first)


@compiled(int64, CLOCK, int64)
def _is_clean(ck: Arrays, way: Int) -> Int:
    """Tell whether DRAM has all that was stored to a line: what was stored first is written first."""
    return int64(ck.chip.l2_tags.l2_dirty_bytes > 0 and ck.l2_stored[way] <= ck.results.written)


@compiled(void, CLOCK, int64, float64)
def _write_back(ck: Arrays, way: Int, t: Float) -> None:
    """Write what a line holds that DRAM does not have."""
    results = ck.l2_dirty[way] & _SECTORS
    if results and _is_clean(ck, way):
        return
    opens = 1
    while results:
        results &= results - 1
        dram.write(ck, SECTOR, ck.l2_tags[way] - 1, opens, t)
        opens = 0
        ck.results.written += 1


@compiled(int64, CLOCK, int64, int64, int64, float64)
def dirty(ck: Arrays, way: Int, k: Int, is_part: Int, t: Float) -> Int:
    """Note that the k-th sector of a line is stored to; return 1 where it has nothing yet that DRAM does not have.

    L2 keeps so much of that and no more: beyond it a sector is written to DRAM for each one stored to.
    """
    own, results, bit = ck.chip.l2_tags, ck.results, 1 << k
    if is_part and own.l2_fill_bytes > 0 and ck.l2_ready[4 * way + k] >= NEVER:
        ck.l2_dirty[way] |= bit << _PARTS
    if ck.l2_dirty[way] & _SECTORS and _is_clean(ck, way):
        ck.l2_dirty[way] &= ~_SECTORS
    if ck.l2_dirty[way] & bit:
        return 0
    is_first = int64(ck.l2_dirty[way] & _SECTORS == 0)
    ck.l2_dirty[way] |= bit
    if own.l2_dirty_bytes == 0:
        return 1
    results.stored += 1
    ck.l2_stored[way] = results.stored
    if (results.stored - results.written) * SECTOR > own.l2_dirty_bytes:
        results.written += 1
        dram.write(ck, SECTOR, ck.l2_tags[way] - 1, is_first, t)  # what leaves was stored as this one is
    return 1


@compiled(int64, CLOCK, int64)
def needs_rest(ck: Arrays, sector: Int) -> Int:
    """Tell whether L2 holds a sector in part, and take it to be whole from now on."""
    first, bit = _first_way(ck, sector >> 2), 1 << (_PARTS + (sector & 3))
    for i in range(first, first + WAYS):
        if ck.l2_tags[i] == (sector >> 2) + 1:
            is_part = int64(ck.l2_dirty[i] & bit > 0)
            ck.l2_dirty[i] &= ~bit
            return is_part
    return 0


@compiled(int64, CLOCK, int64, float64)
def _look_up(ck: Arrays, line: Int, t: Float) -> Int:
    """Find a line's place in its set, evicting the least recently used one for it; evicted data goes to DRAM."""
    tags, used = ck.l2_tags, ck.l2_used
    first = _first_way(ck, line)
    for i in range(first, first + WAYS):
        if tags[i] == line + 1:
            return i
    victim = first
    for i in range(first, first + WAYS):
        if tags[i] == 0:
            victim = i
            break
        if used[i] < used[victim]:
            victim = i
    if not ck.age.size:  # a part of L2 loses results as it ages
        _write_back(ck, victim, t)
    tags[victim] = line + 1
    _forget(ck, victim)
    return victim


@compiled(int64, CLOCK, int64, float64)
def l2_way(ck: Arrays, line: Int, t: Float) -> Int:
    """Return a line's place in L2, which it takes from another where it is not there."""
    place = ck.noted[slot(line, _NOTED)]
    if ck.l2_tags[place] != line + 1:
        place = _look_up(ck, line, t)
        ck.noted[slot(line, _NOTED)] = place
    if is_gone(ck.age, ck.l2_used[place]):
        _forget(ck, place)
    return place


@compiled(void, CLOCK, int64, int64, int64, float64)
def keep(ck: Arrays, way: Int, line: Int, number: Int, t: Float) -> None:
    """Note that the half of L2 near an SM keeps a line; where the other one does already, that is a second place."""
    held = ck.l2_dirty[way] >> _HALF & 3
    half = 1 << (number & 1)
    if held & half or ck.chip.l2_tags.l2_halves < 2:
        return
    ck.l2_dirty[way] |= half << _HALF
    if held:
        ck.l2_used[l2_way(ck, line | _COPY, t)] = stamp(ck.age, t)


@compiled(void, CLOCK, int64, int64, from_python=True)
def warm_l2(ck: Arrays, first: Int, last: Int) -> None:
    """Fill L2 with sectors [first, last) of a buffer, as a launch that went from the first to the last has left it.

    Such a launch finds nothing of buffers that are larger than L2 together: what it needs next always left last.
    """
    for sector in range(first, last):
        way = l2_way(ck, sector >> 2, 0.0)
        ck.l2_ready[4 * way + (sector & 3)] = 0.0
        ck.l2_used[way] = int64(_BEFORE * (float64(sector - first) / (last - first) - 1)) - 1


@compiled(void, CLOCK, int64, int64)
def _hold(ck: Arrays, sector: Int, stamped: Int) -> None:
    """Put a sector into a part of L2 as if it had been used at a stamp."""
    way = l2_way(ck, sector >> 2, 0.0)
    if ck.l2_ready[4 * way + (sector & 3)] >= NEVER:
        ck.l2_ready[4 * way + (sector & 3)] = 0.0
        ck.l2_used[way] = stamped


@compiled(void, CLOCK, LONGS, from_python=True)
def hold_sectors(ck: Arrays, sectors: np.ndarray) -> None:
    """Make a part of L2 hold sectors until they are used, whatever comes meanwhile."""
    for sector in sectors:
        _hold(ck, sector, STAYS)


@compiled(void, CLOCK, LONGS, float64, from_python=True)
def remember(ck: Arrays, sectors: np.ndarray, size: Float) -> None:
    """Make a part of L2 hold those sectors that it still does of the ones before the launch.

    Args:
        ck: the clock.
        sectors: what the whole of L2 held, in the order of last uses.
        size: bytes of the part.

    """
    for i in range(sectors.size):
        stamped = int64(size * i / sectors.size)
        if not is_gone(ck.age, stamped):
            _hold(ck, sectors[i], stamped)
