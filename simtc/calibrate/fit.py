"""Derive a chip's fitted constants from a capture of campaign `microbench`, and from nothing else.

`validate/microbench.toml` names for each constant the cases that determine it. Each constant is moved by itself until
the clock's error over its cases is least, one after another, until none moves any more.

A mechanism that the board takes for absent, because nobody looked for it there, begins as another board of the
generation was found to have it, and stays absent where that brings the clock no nearer. A constant of the generation
that was fitted on another board stays: a second board does not move what both share.

A constant's uncertainty is the range of values for which every one of its cases stays as near to its measurement as at
the best value, but for what the measurement itself resolves: half of the spread of its launches, at least one cycle.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fnmatch import fnmatchcase

from simtc.arch import Device, device, device_names
from simtc.arch.altered import altered
from simtc.calibrate.search import Search, edge, least
from simtc.errors import BadInputError, SimtcError
from simtc.validate.campaigns.microbench import MicroCase, cases
from simtc.validate.capture import Capture, Record
from simtc.validate.chip import Chip
from simtc.validate.validate import campaign_settings

__all__ = ["Fitted", "fit"]

MOVABLE = ("fitted", "assumed")  # other statuses say that something better than a fit stands behind a value
_SWEEPS = 3  # over all constants


@dataclass(frozen=True, slots=True, kw_only=True)
class Fitted:
    """One constant after the fit."""

    constant: str
    old: float
    status: str  # of the old value
    value: float
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
    only: str = "*",
    overrule: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Device, list[Fitted]]:
    """Fit the constants that the campaign's table names.

    Args:
        capture: of campaign microbench.
        only: a pattern of the constants to fit, such as "memory.*".
        overrule: also move what was measured, published or documented; else what would fit there is only told.
        progress: called with (constants done, constants in all sweeps).

    Raises:
        BadInputError: another campaign's capture, a chip that simtc has no board of, or nothing to fit.

    """
    chip = _chip(capture)
    ran = _usable(capture, chip)
    table = _table(chip, ran, only)
    moving = [constant for constant in table if overrule or _movable(chip.board, constant)]
    begun = _begun(chip.board, moving)
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:

        def search(board: Device, constant: str) -> Search:
            some = [ran[name] for name in table[constant]]

            def predict(value: float) -> Sequence[float]:
                try:
                    moved = altered(board, constant, value)
                except BadInputError:
                    return [float("inf")] * len(some)  # the chip cannot be so
                return list(pool.map(lambda pair: _cycles(pair[0], moved), some))

            return Search(
                predict=predict,
                measured=[record.measured["cycles"] for _, record in some],
                resolution=[_resolution(record) for _, record in some],
            )

        board = _descended(search, begun, [one for one in moving if _value(begun, one)], progress)
        for constant in moving:
            if not _value(chip.board, constant):
                here = search(board, constant)
                board = altered(board, constant, min(_value(board, constant), 0.0, key=here.error))
        return board, [
            _judged(search, chip.board, begun, board, constant, table[constant], moves=constant in moving)
            for constant in table
        ]


_Searching = Callable[[Device, str], Search]


def _movable(board: Device, constant: str) -> bool:
    """Tell whether nothing better than a fit on this board stands behind a constant."""
    known = board.provenance(constant)
    shared = bool(known.section) or "." in constant
    elsewhere = shared and any(_names(other, known.citation) for other in _siblings(board))
    return known.status == "assumed" or (known.status in MOVABLE and (_names(board, known.citation) or not elsewhere))


def _siblings(board: Device) -> list[Device]:
    """Return the other boards of the generation."""
    every = [device(name) for name in device_names() if name != board.name]
    return [other for other in every if other.sm_name == board.sm_name]


def _names(board: Device, citation: str) -> bool:
    """Tell whether evidence is of a board, such as an H200."""
    return re.search(rf"\b{re.escape(board.product.split()[0])}\b", citation) is not None


def _begun(board: Device, constants: Sequence[str]) -> Device:
    """Turn on what the board takes for absent, as another board of the generation was measured to have it."""
    begun = board
    for constant in constants:
        found = [other for other in _siblings(board) if other.provenance(constant).status in ("fitted", "measured")]
        if not _value(board, constant) and found:
            begun = altered(begun, constant, _value(found[0], constant))
    return begun


def _chip(capture: Capture) -> Chip:
    """Return the chip that is fitted."""
    if capture.campaign != "microbench":
        raise BadInputError(
            f"constants are fitted on a capture of campaign microbench and on nothing else; this is one of "
            f"{capture.campaign}. Try: simtc validate microbench"
        )
    chip = Chip(capture.sm, capture.machine["device"])
    if not chip.known:
        raise BadInputError(f"simtc has no board of {chip.name}, so it has no constants to fit. Try: simtc arch")
    return chip


def _table(chip: Chip, ran: Iterable[str], only: str) -> Mapping[str, Sequence[str]]:
    """Return the cases of each constant that is asked for: by this simtc's own table, which may be newer."""
    names = list(ran)
    found = {
        entry["constant"]: [name for name in names if any(fnmatchcase(name, pattern) for pattern in entry["cases"])]
        for entry in campaign_settings("microbench")["fit"]
        if entry["constant"] in chip.board.constants and fnmatchcase(entry["constant"], only)
    }
    table = {constant: some for constant, some in found.items() if some}
    if not table:
        raise BadInputError(
            f"nothing to fit: no constant of {chip.board.name} that {only!r} names has cases in this capture. "
            "Try: --only '*'"
        )
    return table


def _descended(
    search: _Searching, board: Device, constants: Sequence[str], progress: Callable[[int, int], None] | None
) -> Device:
    """Move one constant after another to where its error is least, until none moves."""
    start, done = board, 0
    for _ in range(_SWEEPS):
        before = [_value(board, constant) for constant in constants]
        for constant in constants:
            if progress is not None:
                progress(done, _SWEEPS * len(constants))
            done += 1
            best = least(search(board, constant), _value(board, constant), step=_step(start, constant))
            board = altered(board, constant, best)
        if before == [_value(board, constant) for constant in constants]:
            break
    return board


def _judged(
    search: _Searching, start: Device, begun: Device, end: Device, constant: str, names: Sequence[str], *, moves: bool
) -> Fitted:
    found, before = search(end, constant), search(start, constant)
    old, step = _value(start, constant), _step(begun, constant)
    best = _value(end, constant) if moves else least(found, old, step)
    return Fitted(
        moves=moves,
        constant=constant, old=old, status=start.provenance(constant).status, value=best,
        low=edge(found, best, -step), high=edge(found, best, step), error_before=before.error(old),
        error_after=found.error(best), cases=tuple(names),
    )  # fmt: skip


def _usable(capture: Capture, chip: Chip) -> Mapping[str, tuple[MicroCase, Record]]:
    """Return the cases of which the very machine code that ran is at hand."""
    out = {}
    for case in cases(capture.settings, chip):
        record = capture.cases.get(case.name)
        if isinstance(case, MicroCase) and record is not None and record.status == "ran" and not record.note:
            out[case.name] = case, record
    return out


def _cycles(case: MicroCase, board: Device) -> float:
    try:
        return case.predict_on(board).values["cycles"]
    except SimtcError:  # such as a latency that the code at hand proves wrong
        return float("inf")


def _resolution(record: Record) -> float:
    return max(1.0, (record.measured["most_cycles"] - record.measured["least_cycles"]) / 2)


def _value(board: Device, constant: str) -> float:
    """Return a constant as the board has it now: the provenance keeps the file's."""
    held: object = board if constant in Device.__dataclass_fields__ else board.sm
    parts = constant.split(".")
    while parts:
        if isinstance(held, Mapping):
            length = next(n for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in held)
            held, parts = held[".".join(parts[:length])], parts[length:]
        else:
            held, parts = getattr(held, parts[0]), parts[1:]
    if not isinstance(held, (int, float)):
        raise BadInputError(f"{constant} is {held!r}: only single numbers can be fitted")
    return held


def _step(board: Device, constant: str) -> float:
    """Return the finest step: 1 for whole numbers, else half a percent, rounded to what a person would write."""
    value = _value(board, constant)
    return 1 if isinstance(value, int) else float(f"{max(abs(value), 1e-3) / 200:.0e}")
