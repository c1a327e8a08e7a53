"""Replay a capture with no GPU: compute every case again, and name what differs from what the chip gave."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.errors import BadInputError, SimtcError
from simtc.results.display import Columns, Display, by_column
from simtc.validate.capture import Capture, Record, record_of, sampled
from simtc.validate.case import Case, Difference, Skip, digest
from simtc.validate.measured import MeasuredCase, Point, errors, points
from simtc.validate.predictions import Predictions

__all__ = ["Compared", "Replay", "captured_cases", "compare_case", "errors_by_quantity", "replay"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One case of a capture beside simtc; `problem` says why it could not be compared."""

    name: str
    elements: int = 0
    differing_rows: int = 0
    first: tuple[Difference, ...] = ()
    points: tuple[Point, ...] = ()  # of a campaign that measures
    problem: str = ""

    @property
    def same(self) -> bool:
        """True where every bit agrees, and every count; a time never does, and is as far off as it is."""
        counts = any(point.error for point in self.points if point.unit in ("count", "bits"))
        return not (self.differing_rows or self.problem or counts)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Replay(Display):
    """A whole capture beside simtc."""

    capture: Capture
    cases: tuple[Compared, ...] = field(repr=False)

    @property
    def elements(self) -> int:
        """The elements that were compared."""
        return sum(case.elements for case in self.cases if not case.problem)

    @property
    def differing(self) -> tuple[Compared, ...]:
        """The cases with a bit that differs."""
        return tuple(case for case in self.cases if case.differing_rows)

    @property
    def points(self) -> tuple[Point, ...]:
        """What was measured beside what simtc predicts."""
        return tuple(point for case in self.cases for point in case.points)

    @property
    def problems(self) -> tuple[Compared, ...]:
        """The cases that could not be compared."""
        return tuple(case for case in self.cases if case.problem)

    @property
    def same(self) -> bool:
        """True where every case was compared and every bit and count agrees."""
        return all(case.same for case in self.cases)

    def headline(self) -> str:
        """Return what was compared, and how it came out, in one line."""
        agree = "every bit agrees" if self.same else f"{len(self.differing)} differ, {len(self.problems)} not compared"
        told = agree if not self.points else f"{len(self.points)} measured quantities"
        device = self.capture.machine.get("device", "")
        return f"{self.capture.campaign} on {device}: {len(self.cases)} cases, {self.elements:,} elements, {told}"

    def columns(self) -> Columns:
        """Return one row a case."""
        return by_column(
            [
                {"case": case.name, "elements": case.elements, "differing_rows": case.differing_rows}
                | {"problem": case.problem}
                for case in self.cases
            ]
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the outcome as JSON types, schema simtc.compare/1."""
        capture = self.capture
        return {
            "schema": "simtc.compare/1",
            "campaign": capture.campaign,
            "machine": dict(capture.machine),
            "date": capture.date,
            "cases": len(self.cases),
            "skipped": capture.count("skipped"),
            "failed": capture.count("failed"),
            "elements": self.elements,
            "differing": [{"name": c.name, "rows": c.differing_rows, "first": [str(d) for d in c.first]}
                          for c in self.differing],
            "not_compared": [{"name": c.name, "reason": c.problem} for c in self.problems],
            "errors": errors_by_quantity(self.points),
            "points": [point.to_dict() for point in self.points],
        }  # fmt: skip


def replay(
    capture: Capture,
    *,
    cases: Iterable[Case | MeasuredCase | Skip] | None = None,
    progress: Callable[[int, int], None] | None = None,
    predictions: Predictions | None = None,
) -> Replay:
    """Compute every case that ran on the chip, and compare; what is measured is predicted on all cores.

    Args:
        capture: from `read_capture`.
        cases: these instead of the campaign's own.
        progress: called with (cases done, cases), at least once a second.
        predictions: of earlier runs, which are taken where they are the same; new ones are kept as they come.

    Raises:
        BadInputError: the campaign is none of this simtc's, or its settings lack something.

    """
    todo = captured_cases(capture) if cases is None else cases
    made = {case.name: case for case in todo if not isinstance(case, Skip)}
    ran = {name: record for name, record in capture.cases.items() if record.status == "ran"}

    def one(name: str, record: Record) -> Compared:
        case = made.get(name)
        if case is None:
            return Compared(name=name, problem="this simtc's campaign has no such case")
        if isinstance(case, MeasuredCase):
            return compare_measured(case, record, predictions)
        return compare_case(case, record)

    timed = any(isinstance(case, MeasuredCase) for case in made.values())
    pool = ThreadPoolExecutor((os.cpu_count() or 1) if timed else 1)
    try:
        waiting = [pool.submit(one, name, record) for name, record in ran.items()]
        _watch(waiting, progress)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)  # an interrupted run does not wait for what it began
    return Replay(capture=capture, cases=tuple(future.result() for future in waiting))


def captured_cases(capture: Capture) -> list[Case | MeasuredCase | Skip]:
    """Return the cases of a capture's campaign, from the settings that it was made with.

    Raises:
        BadInputError: the campaign is none of this simtc's, or its settings lack something.

    """
    from simtc.validate.validate import cases_of  # noqa: PLC0415 - which imports this module

    try:
        return cases_of(capture.campaign, capture.settings, capture.sm, capture.machine["device"])
    except SimtcError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise BadInputError(
            f"the settings in this capture of campaign {capture.campaign} are damaged, or another simtc's "
            f"({type(error).__name__}: {error})"
        ) from None


def _watch(waiting: Sequence[Future[Compared]], progress: Callable[[int, int], None] | None) -> None:
    """Wait for all, tell how far they are, and end with the first error."""
    left = set(waiting)
    while left:
        done, left = wait(left, timeout=1.0)
        for one in done:
            one.result()
        if progress is not None:
            progress(len(waiting) - len(left), len(waiting))


def compare_measured(case: MeasuredCase, record: Record, predictions: Predictions | None = None) -> Compared:
    """Predict what was measured."""
    case = case.as_captured(record.measured)
    try:
        predicted = case.predict() if predictions is None else predictions.of(case)
    except SimtcError as error:
        return Compared(name=case.name, problem=str(error))
    if predicted is None:
        return Compared(name=case.name)
    if predicted.code not in ("", record.inputs):
        return Compared(name=case.name, problem=record.note or "the chip ran other machine code than is simulated here")
    return Compared(name=case.name, points=tuple(points(case, record.measured, predicted.values)))


def errors_by_quantity(found: Iterable[Point]) -> dict[str, dict[str, Any]]:
    """Return the errors of each quantity as JSON types."""
    by: dict[str, list[Point]] = {}
    for point in found:
        by.setdefault(point.quantity, []).append(point)
    return {quantity: asdict(errors(some)) for quantity, some in by.items()}


def compare_case(case: Case, record: Record) -> Compared:
    """Compare one case with its record."""
    if record.note:
        return Compared(name=case.name, problem=record.note)
    if digest(case.inputs()) != record.inputs:
        return Compared(
            name=case.name, problem="its inputs come out differently here: another numpy, or edited settings"
        )
    try:
        own = case.expect()
    except SimtcError as error:
        return Compared(name=case.name, problem=str(error))
    if own.shape != record.shape or own.dtype.str != record.dtype:
        raise BadInputError(
            f"{case.name}: simtc gives {own.dtype}{own.shape}, the capture {record.dtype}{record.shape}"
        )
    mine = record_of(own, record.inputs)
    rows = np.flatnonzero(mine.rows != record.rows)
    if mine.result == record.result:
        return Compared(name=case.name, elements=own.size)
    return Compared(
        name=case.name, elements=own.size, differing_rows=max(len(rows), 1), first=_first(case, record, own, rows)
    )


def _first(case: Case, record: Record, own: NDArray[Any], rows: NDArray[Any]) -> tuple[Difference, ...]:
    """Name sampled elements that differ, and rows whose sampled elements do not."""
    places = sampled(own.shape)
    theirs, mine = record.samples.view(record.dtype), own.reshape(-1)[places]
    found = []
    for at in np.flatnonzero(theirs != mine)[:4]:
        place = tuple(int(x) for x in np.unravel_index(places[at], own.shape))
        found.append(Difference(place=place, gpu=int(theirs[at]), simtc=int(mine[at]), what=case.show(place)))
    named = {difference.place[0] for difference in found}
    for row in [int(r) for r in rows if int(r) not in named][: max(0, 4 - len(found))]:
        place = (row, *([0] * (own.ndim - 1)))
        found.append(Difference(place=(row,), gpu=None, simtc=None, what=f"in that row; {case.show(place)}"))
    return tuple(found)
