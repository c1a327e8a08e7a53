"""ldmatrix as a picture: its 8x8 matrices in memory, the lane of each row's address, and who receives each element."""

from __future__ import annotations

from simtc.layout.draw import FAINT, INK, ON, box, document, lane_color, text
from simtc.layout.matrix import Ldmatrix

__all__ = ["to_svg"]

_CELL, _LEFT, _TOP, _GAP = 40, 60, 92, 56


def to_svg(move: Ldmatrix) -> str:
    """Draw the matrices side by side; a cell has its receiver's colour, as in the fragments."""
    parts = [
        text(20, 28, move.headline(), size=17, bold=True),
        text(
            20, 48, "Left of each row: the lane that gives its address. Each cell: the lane that receives it,", size=12
        ),
        text(20, 63, "below it register and half. Row and column are those of the matrix in memory.", size=12),
    ]
    for matrix in range(move.count):
        left = _LEFT + matrix * (8 * _CELL + _GAP)
        parts.append(text(left + 4 * _CELL, _TOP - 8, f"matrix {matrix}", size=12, fill=FAINT, anchor="middle"))
        for row in range(8):
            top = _TOP + row * _CELL
            parts.append(text(left - 6, top + 25, f"T{8 * matrix + row}", size=12, fill=FAINT, anchor="end"))
            parts += [_element(move, matrix, row, col, left + col * _CELL, top) for col in range(8)]
        parts.append(box(left, _TOP, 8 * _CELL, 8 * _CELL, fill="none", stroke=INK, line=1.5))
    width = max(_LEFT + move.count * (8 * _CELL + _GAP), 620)
    return document(width, _TOP + 8 * _CELL + 24, move.headline(), parts)


def _element(move: Ldmatrix, matrix: int, row: int, col: int, x: int, y: int) -> str:
    lane, register, half = move.holder(matrix, row, col)
    middle = x + _CELL / 2
    return (
        box(x, y, _CELL, _CELL, fill=lane_color(lane))
        + text(middle, y + 18, f"T{lane}", size=12, fill=ON, anchor="middle", bold=True)
        + text(middle, y + 31, f"R{register}.H{half}", size=9.5, fill=ON, anchor="middle")
    )
