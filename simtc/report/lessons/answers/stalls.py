"""Questions of the lesson on reading stalls."""

from __future__ import annotations

from simtc.report.lessons.answers.runs import one_block
from simtc.report.lessons.question import Question
from simtc.results import InstructionTime

__all__ = ["QUESTIONS"]

_DEPTH = 160
_WITHOUT, _WITH = "wmma_tiled_unpadded", "wmma_tiled"


def _top() -> str:
    stalls = one_block(_WITHOUT, _DEPTH).stalls
    return max((cause for cause in stalls if cause != "selected"), key=lambda cause: stalls[cause])


def _falls() -> str:
    without, padded = one_block(_WITHOUT, _DEPTH).stalls, one_block(_WITH, _DEPTH).stalls
    return max(without, key=lambda cause: without[cause] - padded.get(cause, 0))


def _waiting() -> InstructionTime:
    timing = one_block(_WITHOUT, _DEPTH).timing
    if timing is None:
        raise TypeError(f"{_WITHOUT} was not timed")
    return max(timing.by_instruction, key=lambda one: one.cycles)


QUESTIONS = (
    Question(
        name="top",
        answer=_top,
        hint="The first row of the table of causes that is not `selected`, which is no stall.",
    ),
    Question(
        name="falls",
        answer=_falls,
        hint="Subtract the two columns, and take the largest difference.",
    ),
    Question(
        name="opcode",
        answer=lambda: _waiting().text.split()[0].split(".")[0],
        hint="The first row of the instructions, sorted by cycles; what stands before the first dot.",
    ),
    Question(
        name="conflicts",
        answer=lambda: one_block(_WITHOUT, _DEPTH).bank_conflicts - one_block(_WITH, _DEPTH).bank_conflicts,
        hint="`bank_conflicts` of one result less that of the other.",
    ),
    Question(
        name="speedup",
        answer=lambda: one_block(_WITHOUT, _DEPTH).cycles / one_block(_WITH, _DEPTH).cycles,
        within=0.005,
        hint="Cycles of the old one over cycles of the new one.",
    ),
)
