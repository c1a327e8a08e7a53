"""Questions of the lesson on banks and padding."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product

from simtc.layout import Access, Tile
from simtc.report.lessons.question import Question

__all__ = ["QUESTIONS"]

_ROWS, _COLS = 256, 32
_MATRIX_ROWS = range(0, _ROWS, 16)  # where an LDSM.x4 may begin


def _stride(words: int) -> Access:
    return Access(addresses=tuple(4 * words * lane for lane in range(32)))


def _padded(halves: int) -> Tile:
    return Tile(rows=_ROWS, cols=_COLS, layout="pad", pad_every=1, pad_halves=halves)


def _least_padding() -> int:
    """Return the fewest halves after each row that leave no conflict; rows must begin at a multiple of 16 bytes."""
    return next(halves for halves in range(0, 64, 8) if not _padded(halves).ldmatrix(4).excess)


def _swizzle(row: int, col: int) -> int:
    return row * 32 + ((col // 8 ^ row // 2 % 4) * 8) + col % 8


def _judge(offset: Callable[[int, int], int]) -> str | None:
    """Try a learner's swizzle: no two elements in one place, no byte more, no conflict in any access."""
    places: dict[int, tuple[int, int]] = {}
    for row, col in product(range(_ROWS), range(_COLS)):
        at = offset(row, col)
        if at in places:
            return f"{row},{col} and {places[at][0]},{places[at][1]} share offset {at}"
        if at not in range(_ROWS * _COLS):
            return f"{row},{col} is at offset {at!r}, outside the tile's {_ROWS * _COLS} elements"
        places[at] = row, col
        if at != offset(row, col // 8 * 8) + col % 8:
            return f"the eight elements from {row},{col // 8 * 8} on do not stay together: 16 bytes move as one"
    for first, right in product(_MATRIX_ROWS, (0, 16)):
        found = Access(addresses=_rows(offset, first, right), width=128, matrix=True)
        if found.excess:
            return f"LDSM.x4 from {first},{right} on takes {found.wavefronts} wavefronts, where {found.ideal} would do"
    for first in range(0, _ROWS, 8):
        spots = ((first + lane // 4, lane % 4 * 8) for lane in range(32))
        found = Access(addresses=tuple(2 * offset(*spot) for spot in spots), width=128, store=True)
        if found.excess:
            return f"STS.128 from row {first} on takes {found.wavefronts} wavefronts, where {found.ideal} would do"
    return None


def _rows(offset: Callable[[int, int], int], first: int, right: int) -> tuple[int, ...]:
    """Return the byte addresses that the lanes of an LDSM.x4 give."""
    return tuple(2 * offset(first + lane % 16, right + lane // 16 * 8) for lane in range(32))


QUESTIONS = (
    Question(
        name="stride_6",
        answer=lambda: _stride(6).wavefronts,
        hint="Lane 16 wants word 96, and 96 % 32 is 0: who else wants a word of bank 0?",
    ),
    Question(
        name="unpadded",
        answer=lambda: Tile(rows=_ROWS, cols=_COLS).ldmatrix(4).wavefronts,
        hint="Rows of 64 bytes: two to a line of all banks, so the eight rows of a matrix begin in two banks only.",
    ),
    Question(
        name="padding",
        answer=_least_padding,
        hint="Rows must stay multiples of 16 bytes, so try 8, 16, ... halves.",
    ),
    Question(
        name="cost",
        answer=lambda: _padded(_least_padding()).shared_bytes - Tile(rows=_ROWS, cols=_COLS).shared_bytes,
        hint="A half is two bytes, and there are 256 rows.",
    ),
    Question(
        name="swizzle",
        answer=lambda: _swizzle,
        hint="Let 16-byte chunks of a row change places by exclusive or with something that differs from line to line.",
        judge=_judge,
        wants="a function of row and column that returns an offset in elements",
    ),
)
