"""Where the driver puts the arrays of launches that a process makes one after the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from simtc.machine.arena import REGION

__all__ = ["allocated"]

_UNIT: Final = 512  # bytes, at a multiple of which cudaMalloc puts an array

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
