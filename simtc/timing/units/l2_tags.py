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
    "carried",
    "dirty",
    "hold_sectors",
    "is_kept",
    "keep",
    "l2_way",
    "make_room",
    "remember",
    "rest_of",
    "warm_l2",
]  # fmt: skip

NEVER: Final = 1e18  # when a sector that nobody asked for is there
STAYS: Final = 1 << 60  # the stamp of what stays until it is used
_BEFORE = 1 << 50  # how long before a launch what is in L2 was used
_COPY = 1 << 50  # added to the number of a line: its copy in the other half of L2
_SECTORS = 15  # the bits of `l2_dirty` that are of sectors; above them are those of halves
_HALF = 4  # the first of those, of which there are two
_FROM_BEFORE = 64  # the bit of what was there before the launch: for all who need it
_PARTS = 8  # the first of those of sectors that are there only in part
_NOTED = 256  # lines that the clock finds again at once
# sectors that were stored to, and the bytes that they count for; those of them that DRAM got in their order, or left L2
_RESULTS = np.dtype([(name, np.float64) for name in ("stored", "bytes", "written", "evicted")])


@dataclass(frozen=True, slots=True, kw_only=True)
class L2Tags(Parameters):
    """What a board says of what L2 holds."""

    l2_sets: float = launched("l2_sets")
    l2_halves: float = constant("l2_halves")
    l2_dirty_bytes: float = constant("l2_dirty_bytes", scales=lambda own, scale: own.l2_dirty_bytes * scale.share)
    l2_fill_bytes: float = constant("l2_fill_bytes")
    line_bytes: float = constant("clock.l2_tags.line_bytes")  # of what a line costs DRAM, whatever is written of it


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


@compiled(float64, CLOCK, int64)
def _bytes_of(ck: Arrays, is_first: Int) -> Float:
    """Return for how many bytes of DRAM's bandwidth a sector of a line counts, the first one or another one.

    A whole line counts for its bytes, a part of it for more than it is.
    """
    line = ck.chip.l2_tags.line_bytes
    return SECTOR - line / 4 + (line if is_first else 0.0)


@compiled(void, CLOCK, int64, float64)
def _write_back(ck: Arrays, way: Int, t: Float) -> None:
    """Write what a line holds that DRAM does not have."""
    results = ck.l2_dirty[way] & _SECTORS
    if results and _is_clean(ck, way):
        return
    opens = 1
    while results:
        results &= results - 1
        dram.write(ck, _bytes_of(ck, opens), ck.l2_tags[way] - 1, opens, t)
        opens = 0
        if ck.chip.l2_tags.line_bytes > 0:
            ck.results.evicted += 1
        else:
            ck.results.written += 1


@compiled(void, CLOCK, int64, int64, float64)
def _write_oldest(ck: Arrays, line: Int, opens: Int, t: Float) -> None:
    """Write the sector that was stored to first, if L2 has more that DRAM does not have than it keeps.

    Where it lies, the line tells that is stored to or read: what leaves was stored as that is.
    """
    results = ck.results
    if (results.stored - results.written - results.evicted) * SECTOR > ck.chip.l2_tags.l2_dirty_bytes:
        results.written += 1
        dram.write(ck, results.bytes / results.stored, line, opens, t)


@compiled(float64, CLOCK, int64, int64, int64, float64)
def dirty(ck: Arrays, way: Int, k: Int, is_part: Int, t: Float) -> Float:
    """Note that the k-th sector of a line is stored to; return for how many bytes it counts when DRAM gets it.

    0 where it has something already that DRAM does not have. On boards of which it is not known what a line costs, a
    sector is written to DRAM for each one that is stored to, beyond what L2 keeps.
    """
    own, results, bit = ck.chip.l2_tags, ck.results, 1 << k
    if is_part and own.l2_fill_bytes > 0 and ck.l2_ready[4 * way + k] >= NEVER:
        ck.l2_dirty[way] |= bit << _PARTS
    if ck.l2_dirty[way] & _SECTORS and _is_clean(ck, way):
        ck.l2_dirty[way] &= ~_SECTORS
    if ck.l2_dirty[way] & bit:
        return 0.0
    is_first = int64(ck.l2_dirty[way] & _SECTORS == 0)
    ck.l2_dirty[way] |= bit
    size = _bytes_of(ck, is_first)
    if own.l2_dirty_bytes == 0:
        return size
    results.stored += 1
    results.bytes += size
    ck.l2_stored[way] = results.stored
    if own.line_bytes == 0:
        _write_oldest(ck, ck.l2_tags[way] - 1, is_first, t)
    return size


@compiled(void, CLOCK, int64, float64)
def make_room(ck: Arrays, line: Int, t: Float) -> None:
    """Write a sector to DRAM for one that is read from there, where L2 has more for DRAM than it keeps."""
    if ck.chip.l2_tags.line_bytes > 0 and ck.chip.l2_tags.l2_dirty_bytes > 0:
        _write_oldest(ck, line, 1, t)


@compiled(float64, CLOCK, int64)
def rest_of(ck: Arrays, sector: Int) -> Float:
    """Return for how many bytes it counts that DRAM reads what L2 lacks of a sector, which is whole from now on."""
    first, bit = _first_way(ck, sector >> 2), 1 << (_PARTS + (sector & 3))
    for i in range(first, first + WAYS):
        if ck.l2_tags[i] == (sector >> 2) + 1 and ck.l2_dirty[i] & bit:
            ck.l2_dirty[i] &= ~bit
            return float64(_bytes_of(ck, int64(ck.l2_dirty[i] >> _PARTS == 0)))  # the line's last one
    return 0.0


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


@compiled(int64, CLOCK, int64, int64)
def is_kept(ck: Arrays, way: Int, half: Int) -> Int:
    """Tell whether a half of L2 keeps a line; what was there before the launch, both may have."""
    return int64(ck.l2_dirty[way] & (_FROM_BEFORE | 1 << (_HALF + half)) != 0)


@compiled(void, CLOCK, int64, int64, int64, float64)
def keep(ck: Arrays, way: Int, line: Int, half: Int, t: Float) -> None:
    """Note that an SM of a half uses a line: that half keeps it, too, if the line lies in the other one's memory."""
    bit = 1 << (_HALF + half)
    if ck.l2_dirty[way] & bit or ck.chip.l2_tags.l2_halves < 2:
        return
    ck.l2_dirty[way] |= bit
    if dram.distance(ck, line, half) >= 0:
        ck.l2_used[l2_way(ck, line | _COPY, t)] = stamp(ck.age, t)


def carried(bits: np.ndarray) -> np.ndarray:
    """Return the bits of lines that one launch has left as the next one finds them: who used them is forgotten."""
    return np.asarray(bits & ~(3 << _HALF) | _FROM_BEFORE)


@compiled(void, CLOCK, int64, int64, from_python=True)
def warm_l2(ck: Arrays, first: Int, last: Int) -> None:
    """Fill L2 with sectors [first, last) of a buffer, as a launch that went from the first to the last has left it.

    Such a launch finds nothing of buffers that are larger than L2 together: what it needs next always left last.
    """
    for sector in range(first, last):
        way = l2_way(ck, sector >> 2, 0.0)
        ck.l2_ready[4 * way + (sector & 3)] = 0.0
        ck.l2_used[way] = int64(_BEFORE * (float64(sector - first) / (last - first) - 1)) - 1
        ck.l2_dirty[way] |= _FROM_BEFORE


@compiled(void, CLOCK, int64, int64)
def _hold(ck: Arrays, sector: Int, stamped: Int) -> None:
    """Put a sector into a part of L2 as if it had been used at a stamp."""
    way = l2_way(ck, sector >> 2, 0.0)
    if ck.l2_ready[4 * way + (sector & 3)] >= NEVER:
        ck.l2_ready[4 * way + (sector & 3)] = 0.0
        ck.l2_used[way] = stamped
        ck.l2_dirty[way] |= _FROM_BEFORE


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
