"""How the threads of a block share the pieces of 16 bytes that a tile of A or of B is copied in."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # whose copies these are
    from simtc.gemm.hgemm.tiles import Tiles

__all__ = ["copier_limits", "copiers", "copy_rows", "row_pieces"]

_CHUNK = 8  # halves in 16 bytes
_PERIOD = 16  # rows after which every layout repeats, and the dealing of columns


def row_pieces(tiles: Tiles, which: int) -> int:
    """Return the pieces in a row of A's (0) or B's (1) tile in shared memory."""
    return tiles.extent(which)[1] // _CHUNK


def copy_rows(tiles: Tiles, which: int) -> int:
    """Return the rows of A's (0) or B's (1) tile that one LDG.128 of every thread brings.

    From one LDG.128 to the next a thread's place in shared memory moves by a constant. So the rows are a power of two,
    or a multiple of those after which a layout repeats.

    Example:
        >>> from simtc.gemm.hgemm.tiles import Tiles
        >>> [copy_rows(Tiles(block=(96, 128, k), warp=(32, 64, 8)), 0) for k in (32, 48, 64)]
        [48, 32, 16]

    """
    rows, most = tiles.extent(which)[0], tiles.threads // row_pieces(tiles, which)
    if most >= rows or most < 1:
        return min(most, rows)
    return max(most - most % _PERIOD, 1 << most.bit_length() - 1)


def copiers(tiles: Tiles, which: int, number: int) -> int:
    """Return how many threads, the first ones, bring a piece in a tile's LDG.128 of that number."""
    rows = copy_rows(tiles, which)
    return min(rows, tiles.extent(which)[0] - number * rows) * row_pieces(tiles, which)


def copier_limits(tiles: Tiles) -> tuple[int, ...]:
    """Return the numbers of threads, fewer than all, that LDG.128 are for: each needs a predicate.

    Example:
        >>> from simtc.gemm.hgemm.tiles import Tiles
        >>> tiles = Tiles(block=(96, 128, 32), warp=(32, 64, 8))
        >>> tiles.threads, tiles.copies, copier_limits(tiles)
        (192, (2, 3), (128,))

    """
    each = {copiers(tiles, which, number) for which, count in enumerate(tiles.copies) for number in range(count)}
    return tuple(sorted(each - {tiles.threads}))
