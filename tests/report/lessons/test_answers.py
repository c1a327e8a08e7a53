"""Right answers are told from wrong ones, and answers of another kind from both."""

from __future__ import annotations

import numpy as np
import pytest

from simtc.report.lessons import LESSONS, Question, lesson

TINY = 2.0**-24

# Of each question: another right answer where there is one, and answers that are wrong.
RIGHT = {
    ("fragments", "formula"): [lambda row, col: 4 * (row & 7) | col >> 1],
    ("ldmatrix", "addresses"): [lambda lane: [lane & 15, 8 * (lane > 15)]],
    ("banks", "swizzle"): [lambda row, col: row * 32 + (((col >> 3) + (row >> 1) & 3) << 3) + (col & 7)],
    ("bits", "example"): [((2.0**-24, 2.0**-24, 0, 0), 1.0), ([2.0**-24] * 4, np.float32(1))],
    ("ladder", "tiles"): [([256, 128, 32], [128, 64, 8])],
    ("validating", "command"): ["  simtc  compare numerics-mine.json "],
    ("banks", "stride_6"): [np.int64(2), 2.0],
    ("stalls", "top"): [" SHORT_SCOREBOARD "],
}
WRONG = {
    ("fragments", "next_row"): [1, 16, 0],
    ("fragments", "right_of_first"): [(1, 0, 0), (0, 1, 0), (0, 0, True), (0, 0)],
    ("fragments", "holder"): [(23, 0, 0), (23, 1, 1), (22, 1, 0)],
    ("fragments", "d_of_a_lane"): [2, 8],
    ("fragments", "copies"): [1, 4],
    ("fragments", "formula"): [
        lambda row, col: row * 4 + col // 2, lambda row, col: row % 8 * 4 + col % 4, lambda row: row,
    ],
    ("ldmatrix", "points_at"): [(2, 1), (0, 10)],
    ("ldmatrix", "receiver"): [21, 2],
    ("ldmatrix", "trans"): [10],
    ("ldmatrix", "instructions"): [1, 8],
    ("ldmatrix", "wavefronts"): [1, 16],
    ("ldmatrix", "addresses"): [
        lambda lane: (lane % 8, lane // 8 * 8), lambda lane: (lane % 8 + lane // 16 * 8, lane // 8 % 2 * 8),
        lambda lane: (lane, 0), lambda lane: lane,
    ],
    ("banks", "stride_6"): [1, 6, True],
    ("banks", "unpadded"): [4, 8],
    ("banks", "padding"): [0, 2, 16],
    ("banks", "cost"): [2048, 8],
    ("banks", "swizzle"): [
        lambda row, col: row * 32 + col, lambda row, col: row * 40 + col, lambda row, col: 0 * row * col,
        lambda row, col: row * 32 + (col + row) % 32, lambda row, col: row * 32 + ((col // 8 ^ row % 4) * 8) + col % 8,
        lambda row, col: row // (col - col), lambda row, col: str(row * 32 + col),
    ],
    ("bits", "v100"): [1 + 4 * TINY, 1 + 2 * TINY, 0],
    ("bits", "a100"): [1.0, 1 + 2 * TINY],
    ("bits", "below_one"): [1.0, 1 - TINY],
    ("bits", "roundings"): [(1, 2, 4), (4, 2, 2), (4, 2)],
    ("bits", "example"): [([1, 1, 1, 1], 1.0), ([TINY, 0, 0, 0], 1.0), ([1, 2], 0.0), ([1e9] * 4, 1.0), [TINY] * 4],
    ("ladder", "sectors"): [1, 0.17],
    ("ladder", "conflicts"): ["wmma_tiled", "wmma_naive"],
    ("ladder", "intensity"): [64, 256],
    ("ladder", "bound_64"): ["tensor pipe", "DRAM"],
    ("ladder", "tiles"): [
        ((64, 64, 32), (32, 32, 8)), ((128, 128, 32), (64, 64, 8)),
        ((100, 100, 32), (10, 10, 8)), (256, 256), ((256,), (128,)),
    ],
    ("interleaving", "sts"): [1, 2, 10],
    ("interleaving", "lds"): [5, 1],
    ("interleaving", "cost"): [0.5, 2],
    ("interleaving", "queue"): [0, 12345678],
    ("stalls", "top"): ["barrier", "selected"],
    ("stalls", "falls"): ["selected", "wait"],
    ("stalls", "opcode"): ["FFMA", "BAR"],
    ("stalls", "conflicts"): [0, 7],
    ("stalls", "speedup"): [1, 0.5],
    ("validating", "elements"): [0, 16_524_288],
    ("validating", "altered"): [0, 7],
    ("validating", "exit_code"): [0, 1, 2],
    ("validating", "command"): [
        "simtc validate numerics", "simtc compare", "nvcc numerics-mine.json", "simtc compare a.cu",
    ],
}  # fmt: skip
QUESTIONS = [(name, question) for name in LESSONS for question in lesson(name).questions]


def test_every_question_has_wrong_answers():
    assert set(WRONG) == set(QUESTIONS)
    assert set(RIGHT) <= set(QUESTIONS)


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_right_is_told_from_wrong(name, question):
    one = lesson(name)
    for answer in (one.answer(question), *RIGHT.get((name, question), ())):
        verdict = one.check(question, answer)
        assert verdict, verdict.says
        assert verdict.says == "right"
    for answer in WRONG[name, question]:
        verdict = one.check(question, answer)
        assert verdict.right is False, answer
        assert one.hint(question) in verdict.says or "the answer is" in verdict.says


@pytest.mark.parametrize(("name", "question"), QUESTIONS)
def test_another_kind_is_wrong_and_said_so(name, question):
    for answer in (None, {}, object(), b"4", 3j, float("nan"), (), "", lambda *_: 0, np.zeros(3)):
        verdict = lesson(name).check(question, answer)
        assert verdict.right is False
        assert len(verdict.says) < 400


def test_dots_are_no_answer_yet():
    def unfinished(row, col):  # noqa: ARG001 - as the lesson has it
        return ...

    for answer in (..., unfinished, lambda lane: (..., ...)):  # noqa: ARG005 - likewise
        verdict = lesson("fragments").check("formula", answer)
        assert verdict.right is None
        assert not verdict
        assert "no answer yet" in verdict._repr_html_()


def test_a_number_may_be_near():
    half = Question(name="half", answer=lambda: 0.5, within=0.01, hint="Less than one.")
    assert half.check(0.504)
    assert not half.check(0.506)
    assert half.check(0.506).says == "not 0.506. Less than one."
    assert half.check(True).says == "the answer is a number, not the bool True"


def test_a_verdict_shows_itself():
    good, bad = (lesson("banks").check("stride_6", answer) for answer in (2, "<b>"))
    assert repr(good) == "<Verdict stride_6: right>"
    assert "#1a7f37" in good._repr_html_()
    assert "&lt;b&gt;" in bad._repr_html_()
    assert good.columns() == {"question": ["stride_6"], "right": [True], "says": ["right"]}
