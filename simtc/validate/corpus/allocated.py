"""Where the driver puts the arrays of launches that a process makes one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from simtc.machine.arena import REGION
from simtc.machine.state import GLOBAL_BASE

__all__ = ["allocated", "regions", "settled"]

_UNIT: Final = 512  # bytes, at a multiple of which cudaMalloc puts an array
_TRIED: Final = 64  # places of an array, each 2 MiB behind the one before
_APART: Final = 2 * _UNIT  # bytes, which is more than simtc leaves between arrays

_Block = dict[int, int]  # of what lies in a block of REGION bytes, where it begins, and where it ends


def _gaps(block: _Block) -> Iterator[tuple[int, int]]:
    """Yield the bytes of each gap of a block, and where it begins."""
    at = 0
    for start, end in [*sorted(block.items()), (REGION, REGION)]:
        yield start - at, at
        at = end


def _found(blocks: list[_Block], size: int) -> tuple[_Block, int]:
    """Return the block of the smallest gap that holds so many bytes, a new one where none does, and its beginning."""
    gaps = ((room, block, at) for block in blocks for room, at in _gaps(block) if room >= size)
    best = min(gaps, key=lambda gap: gap[0], default=None)
    if best is not None:
        return best[1:]
    new: _Block = {}
    if size < REGION:
        blocks.append(new)
    return new, 0


def allocated(launches: Iterable[Sequence[int]]) -> list[tuple[int, ...]]:
    """Return where the arrays of each launch begin, in bytes from a multiple of 2 MiB.

    Arrays of less than 2 MiB get the smallest gap with room in blocks of 2 MiB, larger ones blocks of their own. Those
    of a launch are freed when the next one's have been allocated, as `launch_all` does.

    Args:
        launches: of each launch, the bytes of its arrays.

    Example:
        >>> allocated([(1000, 512, 5000), (512, 512, 512), (512, 3 << 20, 512)])
        [(0, 1024, 1536), (6656, 7168, 7680), (0, 0, 512)]

    """
    blocks: list[_Block] = []
    before: list[tuple[_Block, int]] = []
    places = []
    for sizes in launches:
        mine = []
        for size in (-(-max(size, 1) // _UNIT) * _UNIT for size in sizes):
            block, at = _found(blocks, size)
            block[at] = at + size
            mine.append((block, at))
        for block, at in before:
            del block[at]
        blocks, before = [block for block in blocks if block], mine
        places.append(tuple(at for _, at in mine))
    return places


def regions(at: int, size: int) -> list[int]:
    """Return where an array begins, and each 2 MiB that it reaches into.

    Example:
        >>> regions(3 << 20, 2 << 20) == [3 << 20, 4 << 20]
        True

    """
    return [at, *range((at // REGION + 1) * REGION, at + size, REGION)]


def settled(sizes: Sequence[int], places: Sequence[int], far: Sequence[int], bits: Sequence[int]) -> tuple[int, ...]:
    """Return where arrays lie for `simtc.launch`, so that as much of each hangs on either half of L2 as on a chip.

    Args:
        sizes: of the arrays, in bytes.
        places: where each began, in bytes from a multiple of 2 MiB.
        far: of each array, a bit for each of its `regions`: whether it is far from the SM that gets the first block.
        bits: of an address, whose parity says on which half it hangs.

    Example:
        >>> settled([512, 512, 5 << 20], [0, 512, 0], [0, 1, 0b110], [12, 21, 22]) == (0, 2097664, 8388608)
        True

    """
    mask, top, found = sum(1 << bit for bit in bits), 0, []

    def unlike(at: int, size: int, of: int) -> int:
        parities = (((GLOBAL_BASE + one) & mask).bit_count() for one in regions(at, size))
        return sum((parity ^ of >> i) & 1 for i, parity in enumerate(parities))

    for size, place, of in zip(sizes, places, far, strict=True):
        first = top + (place - top) % REGION
        at = min((first + i * REGION for i in range(_TRIED)), key=lambda at: unlike(at, size, of))
        found.append(at)
        top = at + size + _APART
    return tuple(found)
