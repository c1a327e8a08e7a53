"""Questions of the lesson on fragments."""

from __future__ import annotations

from collections.abc import Callable

from simtc.layout import Fragment, fragment
from simtc.report.lessons.question import Question

__all__ = ["QUESTIONS"]

_INSTR = "m16n8k8.f32.f16.f16.f32"


def _turing(operand: str) -> Fragment:
    return fragment(_INSTR, operand=operand, arch="turing")


def _copies() -> int:
    return fragment("wmma.m16n16k16.f32.f16.f16.f32", operand="a", arch="volta", major="row", view="registers").copies


def _lane(row: int, col: int) -> int:
    return row % 8 * 4 + col // 2


def _judge(lane_of: Callable[[int, int], int]) -> str | None:
    """Compare a learner's formula with the lane of every element."""
    for row, col, lane, _, _ in _turing("a").elements():
        given = lane_of(row, col)
        if given != lane:
            return f"A[{row},{col}] is in lane {lane}, and your function says {given!r}"
    return None


QUESTIONS = (
    Question(
        name="next_row",
        answer=lambda: _turing("a").holders(1, 0)[0].lane,
        hint="Look at the picture: the first row fills as many lanes as it has pairs of columns.",
    ),
    Question(
        name="right_of_first",
        answer=lambda: tuple(_turing("a").holders(0, 1)[0]),
        hint="A register holds two halves, which are neighbours in a row.",
    ),
    Question(
        name="holder",
        answer=lambda: tuple(_turing("a").holders(13, 6)[0]),
        hint="Row 13 is 5 rows below row 8, where the second register begins; each pair of columns is one lane.",
    ),
    Question(
        name="d_of_a_lane",
        answer=lambda: _turing("d").count,
        hint="D has 16 x 8 elements, each of them is held once, and there are 32 lanes.",
    ),
    Question(
        name="copies",
        answer=_copies,
        hint="Four quad pairs compute the four blocks of D, and two blocks need the same rows of A.",
    ),
    Question(
        name="formula",
        answer=lambda: _lane,
        hint="Four lanes share a row of an 8x8 matrix, and each has two neighbouring columns.",
        judge=_judge,
        wants="a function of row and column that returns a lane",
    ),
)
