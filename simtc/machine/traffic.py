"""What a memory instruction costs the memory system: wavefronts through shared memory, sectors and lines of global.

The readable counterpart of the shared-memory rule is simtc.layout.banks; a test holds the two together.
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Array, Int, jit
from simtc.machine.state import Event
from simtc.machine.types import LONGS, int64, uint32, uint64, void

__all__ = ["lookups", "matrix_wavefronts", "passes", "pieces", "sectors", "thread_lines", "wavefronts"]

_ONE = np.uint32(1)
_FULL = np.uint32(0xFFFFFFFF)
_SPREAD, _BIT, _PLACES = np.uint64(0x9E3779B97F4A7C15), np.uint64(1), np.uint64(63)  # of a table of numbers
_TO_PLACES = np.uint64(58)
_BEYOND = 1 << 60  # all sectors
_ASKED = 32  # after BANKS: the sectors that are asked for
_TAKEN, _WHOLE, _HALVES, _SWAPPED = 0, 1, 2, 6  # how a sector lands: it belongs to a piece, whole, a half of it, turned


@jit(uint64(LONGS, int64, uint64, int64))
def _note(event: Array, table: Int, taken: Int, number: Int) -> Int:
    """Note a number in a table, in the first free place from where it is sent; return the places taken, as bits.

    They are as before where the table has the number.
    """
    place = uint64(number) * _SPREAD >> _TO_PLACES
    while (taken >> place) & _BIT and event[table + int64(place)] != number:
        place = (place + _BIT) & _PLACES
    event[table + int64(place)] = number
    return taken | _BIT << place


@jit(int64(LONGS, int64, int64, uint32, int64, LONGS))
def _phase(address: Array, first: Int, lanes: Int, m: Int, shift: Int, event: Array) -> Int:
    """Count the wavefronts of one phase, each lane of which reads 2**shift bytes: a bank delivers one word in each.

    So they are as many as the different words of the bank that is asked for most.
    """
    banks = int64((128 >> shift) - 1)  # that as many neighbouring banks serve together count as one
    asked, others, most = uint32(0), uint64(0), int64(0)
    for lane in range(first, first + lanes):
        if not (m >> uint32(lane)) & _ONE:
            continue
        word = address[lane] >> shift
        bank = word & banks
        if not (asked >> uint32(bank)) & _ONE:
            asked |= _ONE << uint32(bank)
            event[Event.BANKS + bank], event[Event.WORDS + bank] = word, 1
            most = max(most, 1)
        elif event[Event.BANKS + bank] != word:
            before, others = others, _note(event, int64(Event.TABLE), others, word)
            if others != before:
                event[Event.WORDS + bank] += 1
                most = max(most, event[Event.WORDS + bank])
    return most


@jit(int64(LONGS, uint32, int64))
def _in_pairs(address: Array, m: Int, distance: Int) -> Int:
    """Tell whether every lane reads where lane ^ distance does, or one of the two is inactive."""
    both = uint32(0)
    for lane in range(32):
        if address[lane] == address[lane ^ distance]:
            both |= _ONE << uint32(lane)
    other = (m >> uint32(distance)) & (uint32(0x55555555) if distance == 1 else uint32(0x33333333))
    other |= other << uint32(distance)  # both lanes of a pair: set where the upper one is active
    lower = m & (uint32(0x55555555) if distance == 1 else uint32(0x33333333))
    lower |= lower << uint32(distance)
    return 1 if other & lower & ~both == 0 else 0


@jit(void(LONGS, uint32, int64, int64, LONGS))
def wavefronts(address: Array, m: Int, nbytes: Int, load: Int, event: Array) -> None:
    """Count the wavefronts of a shared access: 32 lanes at a time, or 16 (64-bit), or 8 (128-bit).

    Wide loads take twice as many lanes at a time where neighbours read the same place.
    """
    words = max(nbytes >> 2, 1)
    lanes, shift = 32 // words, int64(2)
    while 4 << (shift - 2) < nbytes:
        shift += 1
    if load and words > 1 and (_in_pairs(address, m, 1) or _in_pairs(address, m, 2)):
        lanes *= 2
    actual, ideal = int64(0), int64(0)
    for first in range(0, 32, lanes):
        n = _phase(address, first, lanes, m, shift, event)
        actual += n
        ideal += 1 if n > 0 else 0
    event[Event.WAVEFRONTS] = max(actual, 1)
    event[Event.IDEAL] = max(ideal, 1)


@jit(void(LONGS, int64, LONGS))
def matrix_wavefronts(address: Array, count: Int, event: Array) -> None:
    """Count the wavefronts of ldmatrix or stmatrix: each 8x8 matrix is eight rows of 16 bytes."""
    actual = int64(0)
    for matrix in range(count):
        actual += _phase(address, 8 * matrix, 8, _FULL, 4, event)
    event[Event.WAVEFRONTS] = actual
    event[Event.IDEAL] = count


@jit(void(LONGS, int64))
def _group(event: Array, count: Int) -> None:
    """Put sectors of a line that lanes come back to behind those that they touched before."""
    for i in range(1, count):
        sector, at = event[Event.LIST + i], i
        for k in range(i):
            if event[Event.LIST + k] >> 2 == sector >> 2:
                at = k + 1
        for k in range(i, at, -1):
            event[Event.LIST + k] = event[Event.LIST + k - 1]
        event[Event.LIST + at] = sector


@jit(void(LONGS, uint32, LONGS))
def sectors(address: Array, m: Int, event: Array) -> None:
    """List the 32-byte sectors that a global access touches, line by line, and count its 128-byte lines."""
    count, last, seen = int64(0), int64(-1), uint64(0)
    for lane in range(32):
        sector = address[lane] >> 5
        if not (m >> uint32(lane)) & _ONE or sector == last:
            continue
        before, last, seen = seen, sector, _note(event, int64(Event.TABLE), seen, sector)
        if seen != before:
            event[Event.LIST + count] = sector
            count += 1
    lines, turns, last, seen = int64(0), int64(0), int64(-1), uint64(0)
    for i in range(count):
        line = event[Event.LIST + i] >> 2
        if line != last:
            before, last, seen = seen, line, _note(event, int64(Event.TABLE), seen, line)
            lines += seen != before
            turns += 1
    if turns > lines:
        _group(event, count)
    event[Event.SECTORS] = count
    event[Event.LINES] = lines


@jit(void(LONGS, uint32, int64, LONGS))
def thread_lines(address: Array, m: Int, nbytes: Int, event: Array) -> None:
    """Count the lines of an access to local memory, each of which has the same word of every thread.

    It has no sectors: what threads spill is taken to be in L1, and to stay there.
    """
    last, seen, lines = int64(-1), uint64(0), int64(0)
    for lane in range(32):
        word = address[lane] >> 2
        if (m >> uint32(lane)) & _ONE and word != last:
            before, last, seen = seen, word, _note(event, int64(Event.TABLE), seen, word)
            lines += seen != before
    event[Event.LINES] = max(lines, 1) * max(nbytes >> 2, 1)
    event[Event.PASSES] = event[Event.LINES]


@jit(void(LONGS, uint32, int64, LONGS))
def lookups(address: Array, m: Int, nbytes: Int, event: Array) -> None:
    """Count the lines of a global load as L1 looks them up: for 32 lanes together, 16 (64-bit), or 8 (128-bit).

    Source: CUDA C++ Programming Guide, global memory: a request of wide words is split into those of half or quarter
    warps, each of which is broken down into lines.
    """
    lanes, lines = 32 // max(nbytes >> 2, 1), int64(0)
    for first in range(0, 32, lanes):
        last, seen = int64(-1), uint64(0)
        for lane in range(first, first + lanes):
            line = address[lane] >> 7
            if (m >> uint32(lane)) & _ONE and line != last:
                before, last, seen = seen, line, _note(event, int64(Event.TABLE), seen, line)
                lines += seen != before
    event[Event.LINES] = lines


@jit(void(LONGS, uint32, int64, LONGS))
def passes(address: Array, m: Int, nbytes: Int, event: Array) -> None:
    """Count the passes over the banks of L1: 32 lanes at a time, or 16 (64-bit), or 8 (128-bit).

    Its lines lie in the banks of shared memory, each of which gives a word of any line: lanes whose rows begin at other
    banks are served together.
    """
    words, shift = max(nbytes >> 2, 1), int64(2)
    while 4 << (shift - 2) < nbytes:
        shift += 1
    lanes, count = 32 // words, int64(0)
    for first in range(0, 32, lanes):
        count += _phase(address, first, lanes, m, shift, event)
    event[Event.PASSES] = count


@jit(int64(LONGS, LONGS, uint32, LONGS))
def _landings(source: Array, to: Array, m: Int, event: Array) -> Int:
    """List what the lanes copy: a sector, its first place in shared memory, and how it lands; return how many.

    A sector that goes to two of shared memory is listed with each. It lands whole, whole with its halves exchanged, or
    one half of it lands, on the same or on the other side.
    """
    count = int64(0)
    for lane in range(32):
        if not (m >> uint32(lane)) & _ONE:
            continue
        sector, place, k = source[lane] >> 5, to[lane] >> 4, int64(Event.LANDING)
        end = k + 3 * count
        while k < end and (event[k] != sector or event[k + 1] >> 1 != place >> 1):
            k += 3
        whole = _SWAPPED if (source[lane] >> 4 ^ place) & 1 else _WHOLE
        event[k], event[k + 2] = sector, whole if k < end else _HALVES + 2 * (source[lane] >> 4 & 1) + (place & 1)
        if k == end:
            event[k + 1] = place
            count += 1
    return count


@jit(int64(LONGS, int64, int64))
def _goes_with(event: Array, last: Int, i: Int) -> Int:
    """Tell whether a sector goes with the last one of a piece: both of its lines, and its place in them."""
    if event[i] >> 2 != event[last] >> 2 or event[i + 1] >> 3 != event[last + 1] >> 3:
        return 0
    place, before = event[i + 1] >> 1, event[last + 1] >> 1
    apart = event[i] ^ event[last] ^ place ^ before
    return 1 if apart & 3 == 0 or (event[i] == event[last] + 1 and apart & 1 == 0) else 0


@jit(void(LONGS, LONGS, uint32, LONGS))
def pieces(source: Array, to: Array, m: Int, event: Array) -> None:
    """Note the pieces in which a copy of 16 bytes a lane passes L1 by: sectors that land in the same way.

    They are of one line of global memory, and land in one of shared memory: as neighbours, or their places exchanged in
    one way, as swizzled rows are. In BANKS is the first place of 16 bytes that each sector goes to, behind these their
    numbers, in PIECES which of them begin a piece, and in ASKED how many there are: a sector counts once for each that
    it lands in.
    """
    count, begins = int64(0), int64(0)
    begin = int64(Event.LANDING)
    end = begin + 3 * _landings(source, to, m, event)
    for k in range(begin, end, 3):
        last, lands = int64(-1), event[k + 2]
        if lands == _TAKEN:
            continue
        begins |= int64(1) << count
        for i in range(k, end, 3):
            if i == k or (event[i + 2] == lands and _goes_with(event, last, i)):
                event[Event.BANKS + count], event[Event.BANKS + _ASKED + count] = event[i + 1], event[i]
                event[i + 2], last = _TAKEN, int64(i)
                count += 1
    event[Event.PIECES], event[Event.ASKED] = begins, count
