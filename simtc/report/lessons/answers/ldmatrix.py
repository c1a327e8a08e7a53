"""Questions of the lesson on ldmatrix."""

from __future__ import annotations

from collections.abc import Callable

from simtc.layout import Tile, fragment, ldmatrix
from simtc.report.lessons.question import Question

__all__ = ["QUESTIONS"]


def _place(lane: int) -> tuple[int, int]:
    return lane % 16, lane // 16 * 8


def _judge(place: Callable[[int], tuple[int, int]]) -> str | None:
    """Follow every element from the rows that a learner's addresses point at to its register."""
    a, move = fragment("m16n8k16.f32.f16.f16.f32", operand="a", arch="ampere"), ldmatrix(4)
    for lane in range(32):
        row, col = place(lane)
        matrix, line = divmod(lane, 8)
        for step in range(8):
            if not (0 <= row < a.rows and 0 <= col + step < a.cols):
                return f"lane {lane} points at {row},{col}, and eight elements from there on reach outside A"
            wanted, got = a.holders(row, col + step)[0], move.holder(matrix, line, step)
            if wanted != got:
                what = f"A[{row},{col + step}] goes to lane {got.lane}, register {got.register}"
                return f"lane {lane}: {what}, and the MMA reads it in lane {wanted.lane}, register {wanted.register}"
    return None


QUESTIONS = (
    Question(
        name="points_at",
        answer=lambda: tuple(ldmatrix(4).address(10) or ()),
        hint="Eight lanes give the eight rows of one matrix: lanes 0 to 7 those of matrix 0.",
    ),
    Question(
        name="receiver",
        answer=lambda: ldmatrix(4).holder(1, 2, 5).lane,
        hint="Four lanes receive a row, two elements each; the register is the number of the matrix.",
    ),
    Question(
        name="trans",
        answer=lambda: ldmatrix(4, trans=True).holder(1, 2, 5).lane,
        hint="With .trans, row and column of the matrix change places before the elements are dealt out.",
    ),
    Question(
        name="instructions",
        answer=lambda: fragment("m16n8k16.f32.f16.f16.f32", operand="a", arch="ampere").registers,
        hint="An LDS.32 fills one register of each lane.",
    ),
    Question(
        name="wavefronts",
        answer=lambda: Tile(rows=16, cols=32, layout="xor").ldmatrix(4).wavefronts,
        hint="One 8x8 matrix is 128 bytes, what all 32 banks give in one wavefront.",
    ),
    Question(
        name="addresses",
        answer=lambda: _place,
        hint="Matrices 0 and 1 lie one below the other, 2 and 3 to the right of them.",
        judge=_judge,
        wants="a function of the lane that returns row and column",
    ),
)
