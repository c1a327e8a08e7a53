"""A tile in shared memory as a picture: the banks that each row's 16-byte chunks lie in."""

from __future__ import annotations

from simtc.layout.banks import BANKS
from simtc.layout.draw import FAINT, ON, box, document, shade, text
from simtc.layout.tile import Tile

__all__ = ["to_svg"]

_ROWS = 16  # two 8x8 matrices, one below the other: what repeats from there on
_CHUNK = 8  # elements in 16 bytes
_WIDTH, _HEIGHT, _LEFT, _TOP = 74, 26, 64, 90


def to_svg(tile: Tile) -> str:
    """Draw the first rows; chunks of one colour begin in the same banks, so that reads of several of them collide."""
    rows, chunks = min(tile.rows, _ROWS), -(-tile.cols // _CHUNK)
    parts = [
        text(20, 28, tile.headline(), size=15, bold=True),
        text(20, 48, f"The first {rows} rows. Each cell: the banks of its 16 bytes, coloured by the first.", size=12),
    ]
    parts += [
        text(_LEFT + (chunk + 0.5) * _WIDTH, _TOP - 8, f"col {chunk * _CHUNK}", size=12, fill=FAINT, anchor="middle")
        for chunk in range(chunks)
    ]
    for row in range(rows):
        y = _TOP + row * _HEIGHT
        parts.append(text(_LEFT - 8, y + 18, f"row {row}", size=12, fill=FAINT, anchor="end"))
        for chunk in range(chunks):
            bank = 2 * tile.offset(row, chunk * _CHUNK) // 4 % BANKS
            x = _LEFT + chunk * _WIDTH
            parts.append(box(x, y, _WIDTH, _HEIGHT, fill=shade(bank // 4, 0.55)))
            words = f"{bank} to {(bank + 3) % BANKS}"
            parts.append(text(x + _WIDTH / 2, y + 18, words, size=12, fill=ON, anchor="middle"))
    return document(max(_LEFT + chunks * _WIDTH + 20, 660), _TOP + rows * _HEIGHT + 20, tile.headline(), parts)
