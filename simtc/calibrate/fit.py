"""Derive a chip's fitted constants from a capture of campaign `microbench`, and from nothing else.

`validate/microbench.toml` names for each constant the cases that determine it. Of each constant in its turn the best
value is searched, at which the clock's error over its cases is least, and the range of values that agree as well. A
constant that lies in its range stays; another one moves to its best value. That goes on until none moves any more: a
board that the fit made does not change when it is fitted again.

A mechanism that the board takes for absent, because nobody looked for it there, begins as another board of the
generation was found to have it, and stays absent where that brings the clock no nearer. A constant of the generation
that was fitted on another board stays: a second board does not move what both share.

A constant's uncertainty is the range of values for which every one of its cases stays as near to its measurement as at
the best value, but for what the measurement itself resolves: half of the spread of its launches, at least one cycle.
Where the cases contradict each other it reaches as far as the best values without any one of them.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np

from simtc.arch import Device
from simtc.arch.altered import altered
from simtc.calibrate.board import begun_board, movable, step_of, value_of
from simtc.calibrate.counted import CountedQuantity, counted_cases
from simtc.calibrate.search import Search, least, limits
from simtc.calibrate.table import chip_of, table_of, usable
from simtc.errors import BadInputError, SimtcError
from simtc.validate.campaigns.microbench import MicroCase
from simtc.validate.capture import Capture, Record

__all__ = ["Fitted", "fit"]

_SWEEPS = 3  # over all constants
_Case: TypeAlias = MicroCase | CountedQuantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """One constant after the fit."""

    constant: str
    old: float
    status: str  # of the old value
    value: float  # the best
    low: float | None  # the range that fits as well; None where it has no end within reach
    high: float | None
    error_before: float  # mean absolute error of its cases, with the other constants as they were at the start
    error_after: float  # ... with all constants as fitted
    cases: tuple[str, ...]
    moves: bool  # False where something better than a fit stands behind the old value

    @property
    def changes(self) -> bool:
        """True where the patch changes it: it may move, was determined, and the old value lies outside the range."""
        return self.moves and self.determined and not self.keeps

    @property
    def determined(self) -> bool:
        """False where the cases hardly depend on the constant."""
        return self.low is not None and self.high is not None

    @property
    def keeps(self) -> bool:
        """True where the old value lies within the uncertainty, or nothing better was found: it stays."""
        low = self.old if self.low is None else self.low
        high = self.old if self.high is None else self.high
        return low <= self.old <= high or self.value == self.old


def fit(
    capture: Capture,
    *,
    counters: Capture | None = None,
    only: str = "*",
    overrule: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Device, list[Fitted]]:
    """Fit the constants that the campaign's table names.

    Args:
        capture: of campaign microbench.
        counters: of campaign counters on the same chip, whose microbenchmarks tell what a launch costs.
        only: a pattern of the constants to fit, such as "memory.*".
        overrule: also move what was measured, published or documented; else what would fit there is only told.
        progress: called with (constants done, constants in all sweeps).

    Raises:
        BadInputError: another campaign's capture, a chip that simtc has no board of, or nothing to fit.

    """
    chip = chip_of(capture)
    ran: dict[str, tuple[_Case, Record]] = {**usable(capture, chip)}
    if counters is not None:
        ran |= counted_cases(counters, chip)
    table = table_of(chip, ran, only)
    moving = [constant for constant in table if overrule or movable(chip.board, constant)]
    begun = begun_board(chip.board, moving)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        work = _Work(begun=begun, ran=ran, table=table, pool=pool)
        board, found = _moved(work, chip.board, [one for one in moving if value_of(begun, one)], progress)
        for constant in moving:
            if not value_of(chip.board, constant):
                here = found[constant].search if constant in found else work.search(board, constant)
                board = altered(board, constant, min(value_of(board, constant), 0.0, key=here.error))
        return board, [
            _judged(work, chip.board, board, constant, found.get(constant), moves=constant in moving)
            for constant in table
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """What the search for one constant gave."""

    search: Search
    best: float
    low: float | None
    high: float | None

    def covers(self, value: float) -> bool:
        """Tell whether a value agrees as well as the best one, or none is certain."""
        return self.low is None or self.high is None or self.low <= value <= self.high


@dataclass(frozen=True, slots=True, kw_only=True)
class _Work:
    """The cases of each constant, and what they were found to take on the boards that were tried."""

    begun: Device
    ran: Mapping[str, tuple[_Case, Record]]
    table: Mapping[str, Sequence[str]]
    pool: ThreadPoolExecutor
    known: dict[tuple[str, tuple[float, ...]], float] = field(default_factory=dict)

    def search(self, board: Device, constant: str) -> Search:
        """Return a search for a constant, the others being a board's."""
        some = [self.ran[name] for name in self.table[constant]]

        def predict(value: float) -> Sequence[float]:
            try:
                return self.cycles(some, altered(board, constant, value))
            except BadInputError:
                return [float("inf")] * len(some)  # the chip cannot be so

        return Search(
            predict=predict,
            measured=[record.measured[case.quantity] for case, record in some],
            resolution=[case.resolution(record) for case, record in some],
            step=step_of(self.begun, constant),
        )

    def cycles(self, some: Sequence[tuple[_Case, Record]], board: Device) -> list[float]:
        """Return what cases take on a board, each computed once."""
        standing = tuple(value_of(board, constant) for constant in self.table)
        new = [case for case, _ in some if (case.name, standing) not in self.known]
        for case, taken in zip(new, self.pool.map(lambda case: _cycles(case, board), new), strict=True):
            self.known[case.name, standing] = taken
        return [self.known[case.name, standing] for case, _ in some]


def _moved(
    work: _Work, start: Device, constants: Sequence[str], progress: Callable[[int, int], None] | None
) -> tuple[Device, dict[str, _Found]]:
    """Move one constant after another to where its error is least, until each lies in its range."""
    board, found = work.begun, dict[str, _Found]()
    for sweep in range(_SWEEPS):
        moved = False
        for done, constant in enumerate(constants):
            if progress is not None:
                progress(sweep * len(constants) + done, _SWEEPS * len(constants))
            value, search = value_of(board, constant), work.search(board, constant)
            before = found.get(constant)
            if before is None or not np.array_equal(before.search.at(value), search.at(value)):  # others have moved
                best = least(search, value)
                low, high = limits(search, best)
                before = found[constant] = _Found(search=search, best=best, low=low, high=high)
            if not before.covers(value) or (sweep == 0 and value != value_of(start, constant)):
                board, moved = altered(board, constant, before.best), True
        if not moved:
            break
    return board, found


def _judged(work: _Work, start: Device, end: Device, constant: str, found: _Found | None, *, moves: bool) -> Fitted:
    old, before = value_of(start, constant), work.search(start, constant)
    if found is None:
        search = work.search(end, constant)
        best = least(search, value_of(end, constant))
        low, high = limits(search, best)
        found = _Found(search=search, best=best, low=low, high=high)
    at = value_of(end, constant) if moves else found.best
    return Fitted(
        moves=moves,
        constant=constant, old=old, status=start.provenance(constant).status, value=found.best,
        low=found.low, high=found.high, error_before=before.error(old),
        error_after=found.search.error(at), cases=tuple(work.table[constant]),
    )  # fmt: skip


def _cycles(case: _Case, board: Device) -> float:
    try:
        return case.predict_on(board).values[case.quantity]
    except SimtcError:  # such as a latency that the code at hand proves wrong
        return float("inf")
