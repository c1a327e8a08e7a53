"""The rounds of a sweep in the clock: the best by closed forms, then what the winners make worth timing."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simtc.errors import BadInputError
from simtc.gemm.family import Configured
from simtc.run.fingerprint import fingerprint
from simtc.run.sweep.case import Case, Outcome, key_of
from simtc.run.sweep.journal import Journal, sources_of
from simtc.run.sweep.space import Candidate, Survey

if TYPE_CHECKING:
    from simtc.run.sweep.plan import Sweep

__all__ = ["timed"]

_STEPS = 8  # of a refinement at most

Outcomes = dict[str, Outcome]
Work = Callable[[Sequence[Case]], Generator[Outcome, None, None]]


def timed(
    sweep: Sweep,
    surveys: Sequence[Survey],
    work: Work,
    *,
    resume: Path | None,
    progress: Callable[[int, int], None] | None,
) -> tuple[Outcomes, tuple[Survey, ...]]:
    """Time what a sweep asks for.

    Returns:
        What became of each case, by its key; and the surveys, with what a refinement added.

    Raises:
        BadInputError: a file to resume from that is not this sweep's.
        KeyboardInterrupt: says what is kept.

    """
    sources = sources_of(type(surveys[0].candidates[0].configuration).__module__)
    with Journal(resume, _identity(sweep, sources)) if resume else nullcontext() as journal:
        rounds = _Rounds(sweep, surveys, work, journal, sources, progress)
        try:
            rounds.run()
        except KeyboardInterrupt:
            finished = len(journal.finished) if journal else 0
            kept = f": {finished} finished cases are in {resume}. Try: the same command, which goes on behind them"
            lost = ", and nothing is kept. Try: --resume FILE"
            raise KeyboardInterrupt(f"interrupted{kept if journal else lost}") from None
        return rounds.outcomes, tuple(rounds.surveys)


def _identity(sweep: Sweep, sources: str) -> dict[str, Any]:
    """Return what a file of finished cases is of. `top` and `refine` stay out: they may grow."""
    board = sweep.board
    return {
        "family": sweep.family,
        "device": board.name,
        "clock_mhz": board.clock_mhz,
        "sizes": sweep.sizes,
        "fidelity": sweep.fidelity,
        "caches": sweep.caches,
        "problem": dict(sweep.more),
        "choices": dict(sweep.given),
        "constants": fingerprint(board)[:20],
        "sources": sources,
    }


class _Rounds:
    """Outcomes so far, and the rounds that add to them."""

    def __init__(
        self,
        sweep: Sweep,
        surveys: Sequence[Survey],
        work: Work,
        journal: Journal | None,
        sources: str,
        progress: Callable[[int, int], None] | None,
    ) -> None:
        self.sweep, self.surveys = sweep, list(surveys)
        self.outcomes: Outcomes = {}
        self._work, self._journal, self._sources = work, journal, sources
        self._progress = progress or (lambda done, total: None)  # noqa: ARG005 - as it is called
        self._done = self._total = 0

    def run(self) -> None:
        """Time the best by closed forms, then around the winners, then each winner at the other sizes."""
        first = [one for survey in self.surveys for one in self._first(survey)]
        if not first:
            why = next(outcome.why for outcome in self.outcomes.values())
            raise BadInputError(f"no configuration has a program: {why}. Try: --fidelity analytic")
        self._time(first)
        if self.sweep.refine:
            for place in range(len(self.surveys)):
                self._refine(place)
        if len(self.surveys) > 1:
            winners = {best.name for best in map(self._best, self.surveys) if best}
            self._time(one for survey in self.surveys for one in survey.candidates if one.name in winners)

    def _first(self, survey: Survey) -> Iterator[Candidate]:
        """Yield the best by closed forms of which there is a program; say of the others before them why not."""
        count = 0
        for one in survey.candidates:
            if count == self.sweep.top:
                return
            why = one.configuration.not_executed()
            if why:
                key = key_of(one.configuration, one.problem)
                self.outcomes[key] = Outcome(key=key, prediction=None, why=why, lasting=False)
            else:
                count += 1
                yield one

    def _refine(self, place: int) -> None:
        """Go from the best configuration to the best of its neighbours, until none is better."""
        for _ in range(_STEPS):
            best = self._best(self.surveys[place])
            if best is None:
                return
            new = self._neighbours(place, best)
            self._time(new)
            after = self._best(self.surveys[place])
            if after is None or after.name == best.name:
                return

    def _neighbours(self, place: int, best: Candidate) -> list[Candidate]:
        """Return the neighbours of the best that were not timed, and enter them in the survey.

        Closed forms leave out what slows a kernel down: one that they find slower than the clock finds the best loses.
        """
        survey = self.surveys[place]
        known = {one.name: one for one in survey.candidates}
        limit = self._seconds(best)
        kept, found = _fixed(best.configuration, self.sweep.given), []
        for _, made in best.configuration.neighbours():
            if isinstance(made, str) or made.not_executed() or _fixed(made, self.sweep.given) != kept:
                continue
            one = known.get(made.name) or self._surveyed(made, best)
            if one.closed.seconds <= limit and key_of(one.configuration, one.problem) not in self.outcomes:
                known[made.name] = one
                found.append(one)
        by_time = sorted(known.values(), key=lambda one: one.closed.seconds)
        self.surveys[place] = replace(survey, candidates=tuple(by_time))
        return found

    def _surveyed(self, made: Configured, like: Candidate) -> Candidate:
        board = self.sweep.board
        closed = made.closed_form(like.problem, board.under_tensor_load() if made.uses_tensor_cores else board)
        return Candidate(configuration=made, problem=like.problem, closed=closed)

    def _seconds(self, one: Candidate) -> float:
        prediction = self.outcomes[key_of(one.configuration, one.problem)].prediction
        return prediction.seconds if prediction else float("inf")

    def _best(self, survey: Survey) -> Candidate | None:
        """Return the fastest of those that were timed."""
        have = [one for one in survey.candidates if self._is_timed(one)]
        return min(have, key=self._seconds, default=None)

    def _is_timed(self, one: Candidate) -> bool:
        outcome = self.outcomes.get(key_of(one.configuration, one.problem))
        return outcome is not None and outcome.prediction is not None

    def _time(self, candidates: Iterable[Candidate]) -> None:
        """Time what was not timed, here or in the run that is resumed."""
        finished: Mapping[str, Outcome] = self._journal.finished if self._journal else {}
        cases: dict[str, Case] = {}
        for one in candidates:
            case = self.sweep.case(one, self._sources)
            if case.key in self.outcomes:
                continue
            self._total += 1
            if case.key in finished:
                self.outcomes[case.key] = finished[case.key]
                self._done += 1
            else:
                cases[case.key] = case
        self._progress(self._done, self._total)
        with closing(self._work(list(cases.values()))) as outcomes:  # an interrupt ends the processes at once
            for outcome in outcomes:
                self.outcomes[outcome.key] = outcome
                if self._journal:
                    self._journal.keep(cases[outcome.key], outcome)
                self._done += 1
                self._progress(self._done, self._total)


def _fixed(made: Configured, choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a configuration has for the choices that every one must have."""
    config = made.to_dict()
    return {name: config[name] for name in choices if name in config}
