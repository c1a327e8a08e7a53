"""Question: what a graded cell asks, what simtc answers, and the verdict on what a learner answered."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from html import escape
from numbers import Integral, Real
from typing import Any

from simtc.errors import SimtcError
from simtc.results.display import Columns, Display, by_column

__all__ = ["Question", "Verdict"]

_GREEN, _RED = "#1a7f37", "#b3261e"


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Verdict(Display):
    """Whether an answer is right; `right` is None where there is none yet."""

    question: str
    right: bool | None
    says: str

    def __bool__(self) -> bool:
        return bool(self.right)

    def headline(self) -> str:
        """Return the verdict in one line."""
        return f"{self.question}: {self.says}"

    def columns(self) -> Columns:
        """Return one row."""
        return by_column([{"question": self.question, "right": self.right, "says": self.says}])

    def _repr_html_(self) -> str:
        color = "inherit" if self.right is None else _GREEN if self.right else _RED
        return f'<p style="color:{color}"><b>{escape(self.question)}</b>: {escape(self.says)}</p>'


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question. simtc computes the answer; where many answers are right, `judge` says what is wrong with one.

    Example:
        >>> lanes = Question(name="lanes", answer=lambda: 32, hint="Count a warp's threads.")
        >>> lanes.check(32).right, lanes.check(31).right, lanes.check("32").says
        (True, False, "the answer is a whole number, not the str '32'")

    """

    name: str
    answer: Callable[[], Any]  # what simtc says; of a judged question one right answer
    hint: str
    within: float = 0.0  # relative: how far a number may be off
    judge: Callable[[Any], str | None] | None = None  # None for a right answer, else what is wrong with it
    wants: str = ""  # of a judged question: what its answer is, such as "a function of row and column"

    def check(self, given: Any) -> Verdict:
        """Return the verdict on an answer, of whatever type."""
        if given is ... or _is_unfinished(given):
            return Verdict(question=self.name, right=None, says="no answer yet: put yours in the place of the dots")
        problem = self._compared(given) if self.judge is None else self._judged(given)
        return Verdict(question=self.name, right=problem is None, says=problem or "right")

    def _judged(self, given: Any) -> str | None:
        """Ask the judge; what a learner's function raises is told, not raised."""
        if self.judge is None:
            raise TypeError(f"question {self.name} has no judge")
        try:
            problem = self.judge(given)
        except SimtcError as error:
            problem = str(error)
        except Exception as error:  # noqa: BLE001 - a learner's function may raise anything
            problem = f"the answer is {self.wants}; yours ended in {type(error).__name__}: {error}"
        return None if problem is None else f"not yet: {problem}. {self.hint}"

    def _compared(self, given: Any) -> str | None:
        wanted = self.answer()
        kind = _kind(wanted)
        if _kind(given) != kind and not (kind == "a number" and _kind(given) == "a whole number"):
            whole = isinstance(given, float) and given.is_integer() and kind == "a whole number"
            if not whole:
                return f"the answer is {kind}, not the {type(given).__name__} {_short(given)}"
        return None if _same(given, wanted, self.within) else f"not {_short(given)}. {self.hint}"


def _is_unfinished(given: Any) -> bool:
    """Tell whether a function still has the dots in it that an answer takes the place of."""
    constants = getattr(getattr(given, "__code__", None), "co_consts", ())
    return any(one is ... or (isinstance(one, tuple) and ... in one) for one in constants)


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return "True or False"
    if isinstance(value, Integral):
        return "a whole number"
    if isinstance(value, Real):
        return "a number"
    if isinstance(value, str):
        return "a word in quotes"
    if isinstance(value, tuple | list):
        return f"{len(value)} values in brackets"
    return f"no {type(value).__name__}"


def _same(given: Any, wanted: Any, within: float) -> bool:
    if isinstance(wanted, str):
        return bool(given.strip().lower() == wanted.lower())
    if isinstance(wanted, tuple | list):
        return all(
            _kind(one) == _kind(other) and _same(one, other, within) for one, other in zip(given, wanted, strict=True)
        )
    if within:
        return math.isclose(given, wanted, rel_tol=within)
    return bool(given == wanted)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
