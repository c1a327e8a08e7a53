"""The 8x8 matrix moves: ldmatrix (LDSM), stmatrix (STSM) and movmatrix (MOVM)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from simtc.errors import BadInputError
from simtc.layout.fragment import Holder
from simtc.results.display import Columns, Display, by_column

__all__ = ["Ldmatrix", "MatrixRow", "ldmatrix", "movmatrix"]


class MatrixRow(NamedTuple):
    """What a lane's address points at: one row of eight 16-bit elements, 16 bytes, of one 8x8 matrix."""

    matrix: int
    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ldmatrix(Display):
    """ldmatrix.x1, .x2 or .x4, with or without .trans; stmatrix moves the same elements the other way.

    Lane 8 * i + r gives the address of row r of matrix i, and register i of all lanes receives matrix i: lane 4 * g + t
    gets elements (g, 2 * t) and (g, 2 * t + 1), which is what an MMA wants of its A. With .trans it gets elements
    (2 * t, g) and (2 * t + 1, g): the matrix in memory transposed.

    Example:
        >>> x4 = ldmatrix(4)
        >>> x4.address(10), x4.holder(1, 2, 5), x4.element(10, 1, 1)
        (MatrixRow(matrix=1, row=2), Holder(lane=10, register=1, half=1), (2, 5))
        >>> ldmatrix(4, trans=True).holder(1, 2, 5)
        Holder(lane=21, register=1, half=0)

    """

    count: int  # matrices, and registers of each lane
    trans: bool = False

    def __post_init__(self) -> None:
        if self.count not in (1, 2, 4):
            raise BadInputError(f"ldmatrix moves 1, 2 or 4 matrices, not {self.count}")

    def address(self, lane: int) -> MatrixRow | None:
        """Return the matrix row that a lane's address points at; None where the instruction ignores its address."""
        if not 0 <= lane < 32:
            raise BadInputError(f"lane {lane} is outside 0..31")
        matrix, row = divmod(lane, 8)
        return MatrixRow(matrix, row) if matrix < self.count else None

    def holder(self, matrix: int, row: int, col: int) -> Holder:
        """Return where element (row, col) of a matrix in memory goes."""
        if not (0 <= matrix < self.count and 0 <= row < 8 and 0 <= col < 8):
            raise BadInputError(f"element {row},{col} of matrix {matrix} lies outside {self.count} 8x8 matrices")
        line, along = (col, row) if self.trans else (row, col)
        return Holder(lane=4 * line + along // 2, register=matrix, half=along % 2)

    def headline(self) -> str:
        """Return the instruction in one line."""
        return f"ldmatrix.x{self.count}{'.trans' if self.trans else ''}: matrix i to register i of all lanes"

    def columns(self) -> Columns:
        """Return one row an element: matrix, row, col, lane, register, half."""
        return by_column(
            [
                {"matrix": matrix, "row": row, "col": col} | self.holder(matrix, row, col)._asdict()
                for matrix in range(self.count)
                for row in range(8)
                for col in range(8)
            ]
        )

    def pictures(self) -> Sequence[str]:
        """Return the picture."""
        return (self.to_svg(),)

    def tables(self) -> Sequence[tuple[str, Columns]]:
        """Return nothing: the picture says it."""
        return ()

    def to_svg(self) -> str:
        """Draw the matrices in memory as SVG: who gives each row's address, and who receives each element."""
        from simtc.layout.matrix_svg import to_svg  # noqa: PLC0415 - which draws what this module defines

        return to_svg(self)

    def element(self, lane: int, register: int, half: int) -> tuple[int, int]:
        """Return the (row, column), in memory, of what a lane's register receives from matrix number `register`."""
        if not (0 <= lane < 32 and 0 <= register < self.count and half in (0, 1)):
            raise BadInputError(f"ldmatrix.x{self.count} fills no lane {lane}, register {register}, half {half}")
        line, along = lane // 4, lane % 4 * 2 + half
        return (along, line) if self.trans else (line, along)


def ldmatrix(count: int, *, trans: bool = False) -> Ldmatrix:
    """Return what ldmatrix.x`count` does.

    Raises:
        BadInputError: `count` is not 1, 2 or 4.

    Source: PTX ISA, ldmatrix and stmatrix (SASS LDSM.16.M88 and LDSM.16.MT88, STSM).

    """
    return Ldmatrix(count=count, trans=trans)


def movmatrix(lane: int, half: int) -> tuple[int, int]:
    """Return the (lane, half) whose value movmatrix.trans brings to a lane's half: the 8x8 matrix transposed.

    Source: PTX ISA, movmatrix (SASS MOVM.16.MT88).

    Example:
        >>> movmatrix(0, 1), movmatrix(4, 0)
        ((4, 0), (0, 1))

    """
    row, col = Ldmatrix(count=1).element(lane, 0, half)
    source = Ldmatrix(count=1).holder(0, col, row)
    return source.lane, source.half
