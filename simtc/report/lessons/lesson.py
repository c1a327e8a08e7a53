"""Lesson: one Markdown file, whose python blocks are the cells of a notebook, and the questions that it asks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from simtc.errors import unknown
from simtc.report.lessons.question import Question, Verdict
from simtc.resources import folder
from simtc.results.display import Columns, Display, by_column

__all__ = ["LESSONS", "Cell", "Lesson", "lesson"]

# In the order in which they build on each other.
LESSONS = ("fragments", "ldmatrix", "banks", "bits", "ladder", "interleaving", "stalls", "validating")

_CODE = re.compile(r"^```python\n(.*?)^```\n", re.MULTILINE | re.DOTALL)
_HEADING = re.compile(r"^(?=## )", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One cell of a notebook: `text` is Markdown or Python."""

    code: bool
    text: str


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Lesson(Display):
    """One lesson.

    Example:
        >>> banks = lesson("banks")
        >>> banks.check("stride_6", 1).right, banks.check("stride_6", 2).says
        (False, 'right')

    """

    name: str
    source: str  # the Markdown
    questions: Mapping[str, Question]

    @property
    def title(self) -> str:
        """The lesson's heading."""
        return self.source.partition("\n")[0].removeprefix("# ")

    @property
    def summary(self) -> str:
        """Its first paragraph, on one line."""
        return " ".join(self.source.split("\n\n")[1].split())

    @property
    def cells(self) -> tuple[Cell, ...]:
        """The notebook's cells: a block of python is one, and what stands between two is one for each heading."""
        found = []
        for place, part in enumerate(_CODE.split(self.source)):
            texts = [part] if place % 2 else _HEADING.split(part)
            found += [Cell(code=bool(place % 2), text=text.strip("\n")) for text in texts if text.strip()]
        return tuple(found)

    def check(self, question: str, answer: Any) -> Verdict:
        """Return the verdict on an answer to one of the lesson's questions.

        Raises:
            BadInputError: the lesson has no such question.

        """
        return self._question(question).check(answer)

    def hint(self, question: str) -> str:
        """Return what helps with a question.

        Raises:
            BadInputError: the lesson has no such question.

        """
        return self._question(question).hint

    def answer(self, question: str) -> Any:
        """Return what simtc answers; of a question with many right answers one of them.

        Raises:
            BadInputError: the lesson has no such question.

        """
        return self._question(question).answer()

    def headline(self) -> str:
        """Return name, title and the number of questions in one line."""
        return f"{self.name}: {self.title}, {len(self.questions)} questions"

    def columns(self) -> Columns:
        """Return one row a question: its name and hint."""
        return by_column([{"question": one.name, "hint": one.hint} for one in self.questions.values()])

    def tables(self) -> tuple[()]:
        """Return nothing: hints are for those who ask."""
        return ()

    def _question(self, name: str) -> Question:
        if name not in self.questions:
            raise unknown(f"question of lesson {self.name}", name, self.questions)
        return self.questions[name]


@cache
def lesson(name: str) -> Lesson:
    """Return a lesson, whose `check` tells right answers from wrong ones.

    Args:
        name: one of LESSONS; `simtc lesson` lists them.

    Raises:
        BadInputError: no such lesson.

    Example:
        >>> lesson("fragments").check("next_row", 4)
        <Verdict next_row: right>

    """
    if name not in LESSONS:
        raise unknown("lesson", name, LESSONS, then="simtc lesson")
    source = (folder("sass_notes/lessons") / f"{name}.md").read_text(encoding="utf-8")
    asked = import_module(f"simtc.report.lessons.answers.{name}").QUESTIONS
    return Lesson(name=name, source=source, questions={one.name: one for one in asked})
