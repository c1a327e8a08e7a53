"""What a memory instruction costs the memory system: wavefronts through shared memory, sectors and lines of global.

The readable counterpart of the shared-memory rule is simtc.layout.banks; a test holds the two together.
"""

from __future__ import annotations

import numpy as np

from simtc.jit import Array, Int, jit
from simtc.machine.state import Event
from simtc.machine.types import LONGS, int64, uint32, void

__all__ = ["lookups", "loose_sectors", "matrix_wavefronts", "passes", "sectors", "wavefronts"]

_ONE = np.uint32(1)
_FULL = np.uint32(0xFFFFFFFF)
_WHOLE = 0xFF  # the words of a sector
_COVERED = 32  # after BANKS: the words of each sector that were copied


@jit(int64(LONGS, int64, int64, uint32, int64, LONGS))
def _phase(address: Array, first: Int, lanes: Int, m: Int, shift: Int, event: Array) -> Int:
    """Count the wavefronts of one phase, each lane of which reads 2**shift bytes: a bank delivers one word in each."""
    banks = int64((128 >> shift) - 1)  # that as many neighbouring banks serve together count as one
    left = (m >> uint32(first)) & (_FULL >> uint32(32 - lanes))
    passes = int64(0)
    while left:
        passes += 1
        busy, waiting = uint32(0), uint32(0)
        for i in range(lanes):
            bit = _ONE << uint32(i)
            if not left & bit:
                continue
            place = address[first + i] >> shift
            bank = place & banks
            if not (busy >> uint32(bank)) & _ONE:
                busy |= _ONE << uint32(bank)
                event[Event.BANKS + bank] = place
            elif event[Event.BANKS + bank] != place:
                waiting |= bit
        left = waiting
    return passes


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


@jit(void(LONGS, uint32, LONGS))
def sectors(address: Array, m: Int, event: Array) -> None:
    """List the 32-byte sectors that a global access touches, and count its 128-byte lines."""
    count, lines = int64(0), int64(0)
    for lane in range(32):
        if not (m >> uint32(lane)) & _ONE:
            continue
        sector = address[lane] >> 5
        known, line_known = False, False
        for i in range(count - 1, -1, -1):
            other = event[Event.LIST + i]
            if other == sector:
                known = True
                break
            if other >> 2 == sector >> 2:
                line_known = True
        if not known:
            event[Event.LIST + count] = sector
            count += 1
            lines += 0 if line_known else 1
    event[Event.SECTORS] = count
    event[Event.LINES] = lines


@jit(void(LONGS, uint32, int64, LONGS))
def lookups(address: Array, m: Int, nbytes: Int, event: Array) -> None:
    """Count the lines of a global load as L1 looks them up: for 32 lanes together, 16 (64-bit), or 8 (128-bit).

    Source: CUDA C++ Programming Guide, global memory: a request of wide words is split into those of half or quarter
    warps, each of which is broken down into lines.
    """
    lanes, lines = 32 // max(nbytes >> 2, 1), int64(0)
    for lane in range(32):
        if not (m >> uint32(lane)) & _ONE:
            continue
        lines += 1
        for other in range(lane - 1, lane // lanes * lanes - 1, -1):
            if (m >> uint32(other)) & _ONE and address[other] >> 7 == address[lane] >> 7:
                lines -= 1
                break
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


@jit(void(LONGS, LONGS, uint32, int64, LONGS))
def loose_sectors(source: Array, to: Array, m: Int, nbytes: Int, event: Array) -> None:
    """Note which of the listed sectors of a copy are loose: all others are halves of 64 bytes that both land whole.

    A sector lands whole if all of it goes to one sector of shared memory, in any order. Note also which of them do not
    go to one sector, and, in BANKS, the first 16 bytes of shared memory that each of them goes to.
    """
    count = event[Event.SECTORS]
    for i in range(count):
        event[Event.BANKS + _COVERED + i] = 0
    i, split = int64(0), int64(0)
    for lane in range(32):
        if not (m >> uint32(lane)) & _ONE:
            continue
        sector, place = source[lane] >> 5, to[lane] >> 4
        while event[Event.LIST + i] != sector:  # neighbours mostly read the same one, or the next
            i = i + 1 if i + 1 < count else int64(0)
        if event[Event.BANKS + _COVERED + i] == 0:
            event[Event.BANKS + i] = place
        if event[Event.BANKS + i] >> 1 != place >> 1:
            split |= 1 << i
        else:
            event[Event.BANKS + _COVERED + i] |= ((1 << (nbytes >> 2)) - 1) << ((source[lane] & 31) >> 2)
    loose = int64(0)
    for i in range(count):
        other = event[Event.LIST + i] ^ 1
        k = i + 1 if i + 1 < count and event[Event.LIST + i + 1] == other else i - 1
        whole = event[Event.BANKS + _COVERED + i] == _WHOLE and event[Event.BANKS + _COVERED + k] == _WHOLE
        if k < 0 or event[Event.LIST + k] != other or not whole:
            loose |= 1 << i
    event[Event.LOOSE], event[Event.SPLIT] = loose, split
