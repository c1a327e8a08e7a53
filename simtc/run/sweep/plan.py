"""What is swept: the survey of a space by closed forms, and the timing of its best in the clock."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from simtc import arch
from simtc.arch import Device
from simtc.errors import BadInputError, unknown
from simtc.gemm.family import Configured, Family
from simtc.gemm.registry import family as family_named
from simtc.results.sweep import Ranked, Ranking, Size, SweepResult
from simtc.run.simulate import FIDELITIES, SIZES, Simulation
from simtc.run.sweep.case import Case, Outcome, key_of
from simtc.run.sweep.cluster import on_cluster
from simtc.run.sweep.local import locally
from simtc.run.sweep.space import Candidate, Survey, choices_text, survey, walked

__all__ = ["TOP", "Sweep", "sizes_of", "sweep"]

_OWN = ("device", "fidelity", "caches", "clock_mhz", "top", "refine")  # fields of Sweep that `sweep` passes on
TOP = 16  # configurations that the clock times at each size unless told otherwise

Progress = Callable[[int, int], None]
Outcomes = dict[str, Outcome]


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """What is to be swept.

    Raises:
        BadInputError: unknown names, or numbers that mean nothing.

    Example:
        >>> one = Sweep(family="hgemm", sizes=((4096, 4096, 4096),), device="t4", fidelity="analytic")
        >>> result = one.run()
        >>> result.rankings[0].space > 3000, result.rankings[0].refused["a thread's registers"] > 100
        (True, True)

    """

    family: str
    sizes: tuple[Size, ...]
    device: str | Device = "t4"
    fidelity: str = "sampled"
    caches: str = "cold"
    clock_mhz: int | None = None
    top: int = TOP
    refine: bool = False
    more: Mapping[str, Any] = field(default_factory=dict)  # of the problem: batch, alpha, beta, leading dimensions
    choices: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.fidelity not in FIDELITIES:
            raise unknown("fidelity", self.fidelity, FIDELITIES)
        if self.caches not in ("cold", "warm"):
            raise unknown("state of the caches", self.caches, ("cold", "warm"))
        if self.clock_mhz is not None and self.clock_mhz < 1:
            raise BadInputError(f"clock {self.clock_mhz}: a positive number of MHz")
        if self.top < 1:
            raise BadInputError(f"top {self.top}: at least 1 configuration, or fidelity analytic")
        if len(set(self.sizes)) != len(self.sizes) or not self.sizes:
            raise BadInputError("sizes: at least one, and each of them once")

    @cached_property
    def board(self) -> Device:
        """The board, at its clock."""
        board = arch.device(self.device) if isinstance(self.device, str) else self.device
        return board if self.clock_mhz is None else board.at(self.clock_mhz)

    @cached_property
    def found_family(self) -> Family:
        """The family."""
        return family_named(self.family)

    @cached_property
    def given(self) -> dict[str, Any]:
        """The choices that every configuration has."""
        return self.found_family.accepted(self.choices)

    def count(self) -> tuple[list[Configured], dict[str, int]]:
        """Return the space at the first size: what can be made, and how many each rule prunes."""
        problem = self.found_family.problem(self._problem(self.sizes[0]), self.given)
        return walked(self.found_family, problem, self.board, self.given)

    def survey(self, progress: Progress | None = None) -> tuple[Survey, ...]:
        """Rank the space by closed forms for each size."""
        return tuple(
            survey(self.found_family, self._problem(size), self.board, self.given, progress) for size in self.sizes
        )

    def run(
        self,
        surveys: Sequence[Survey] | None = None,
        *,
        jobs: int = 1,
        scheduler: str | None = None,
        resume: Path | None = None,
        progress: Progress | None = None,
    ) -> SweepResult:
        """Time the best of each size, and return the ranking.

        Args:
            surveys: what `survey` returned.
            jobs: processes of this machine.
            scheduler: address of a Dask scheduler, whose workers are taken instead.
            resume: file of finished cases: what it has is not computed again, what is new is appended.
            progress: called with (cases done, cases).

        Raises:
            BadInputError: no configuration can be made, or a file or scheduler that cannot be used.

        """
        if jobs < 1:
            raise BadInputError(f"jobs {jobs}: at least 1 process")
        surveyed = tuple(surveys or self.survey())
        if self.fidelity == "analytic":
            return self._result(surveyed, {})
        from simtc.run.sweep.rounds import timed  # noqa: PLC0415 - closed forms start without numba

        def work(cases: Sequence[Case]) -> Generator[Outcome, None, None]:
            return on_cluster(cases, scheduler) if scheduler else locally(cases, jobs)

        outcomes, surveyed = timed(self, surveyed, work, resume=resume, progress=progress)
        return self._result(surveyed, outcomes)

    def case(self, candidate: Candidate, sources: str) -> Case:
        """Return what a worker gets to time a configuration."""
        simulation = Simulation(
            configuration=candidate.configuration,
            problem=candidate.problem,
            device=self.board,
            fidelity=self.fidelity,
            caches=self.caches,
        )
        return Case(simulation=simulation, sources=sources)

    def _problem(self, size: Size) -> dict[str, Any]:
        return {**dict(zip("mnk", size, strict=True)), **self.more}

    def _result(self, surveys: Sequence[Survey], outcomes: Outcomes) -> SweepResult:
        return SweepResult(
            family=self.family,
            device=self.board.name,
            fidelity=self.fidelity,
            caches=self.caches,
            choices={**self.more, **self.given},
            top=0 if self.fidelity == "analytic" else self.top,
            rankings=tuple(
                Ranking(size=size, rows=tuple(self._rows(one, outcomes)), refused=one.refused)
                for size, one in zip(self.sizes, surveys, strict=True)
            ),
        )

    def _rows(self, one: Survey, outcomes: Outcomes) -> list[Ranked]:
        """Return the configurations, those that were timed first."""
        rows = [self._row(candidate, outcomes) for candidate in one.candidates]
        return sorted(rows, key=lambda row: (row.timed is None, row.seconds))

    def _row(self, candidate: Candidate, outcomes: Outcomes) -> Ranked:
        outcome = outcomes.get(key_of(candidate.configuration, candidate.problem)) if outcomes else None
        return Ranked(
            name=candidate.name,
            options=choices_text(self.found_family, candidate.configuration),
            flops=candidate.problem.flops,
            closed=candidate.closed,
            timed=outcome.prediction if outcome else None,
            why=outcome.why if outcome else "",
            exit_code=outcome.exit_code if outcome else 0,
        )


def sizes_of(m: int | Sequence[int], n: int | Sequence[int], k: int | Sequence[int]) -> tuple[Size, ...]:
    """Return the sizes that lists of m, n and k mean: lists go in step, and one number goes with all of a list.

    Raises:
        BadInputError: lists of different lengths.

    Example:
        >>> sizes_of((32, 64), (32, 64), 16)
        ((32, 32, 16), (64, 64, 16))

    """
    lists = [(one,) if isinstance(one, int) else tuple(one) for one in (m, n, k)]
    count = max(map(len, lists))
    if any(len(one) not in (1, count) for one in lists):
        shown = ", ".join(f"{len(one)} of {name}" for name, one in zip("mnk", lists, strict=True))
        raise BadInputError(f"sizes go in step: {shown}. Try: -m 32,64 -n 32,64 -k 16, for 32x32x16 and 64x64x16")
    m_, n_, k_ = (one * count if len(one) == 1 else one for one in lists)
    return tuple(zip(m_, n_, k_, strict=True))


def sweep(
    family: str,
    *,
    m: int | Sequence[int],
    n: int | Sequence[int],
    k: int | Sequence[int],
    jobs: int = 1,
    scheduler: str | None = None,
    resume: str | Path | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> SweepResult:
    """Rank a family's configurations for one or several problem sizes.

    Closed forms rank the whole space; the clock times the best of it.

    Args:
        family: its name; `simtc simulate --help` has them all.
        m: rows of C; several, with as many n and k or one for all, make a selection table.
        n: columns of C.
        k: depth.
        jobs: processes of this machine; with more than one a script calls this below if __name__ == "__main__".
        scheduler: of a Dask cluster, such as "tcp://host:8786": its workers time the cases.
        resume: a file of finished cases, which are not computed again; new ones are appended.
        progress: called with (cases done, cases).
        options: device: a board, "t4" unless given. fidelity: "sampled" unless given, "full", or "analytic" to rank by
            closed forms alone. top: configurations to time at each size. refine: also time single changes of the best,
            and of what is better, until none is. caches, clock_mhz, batch, alpha, beta, lda, ldb, ldc, ldd: as
            `simulate` takes them. And the family's own choices, which every configuration then has.

    Raises:
        BadInputError: unknown names, sizes, no configuration that can be made, or files that cannot be used.
        MissingToolError: a scheduler was given, and dask.distributed is not installed.

    Example:
        >>> sweep("hgemm", m=4096, n=4096, k=4096, fidelity="analytic", layout="pad", stages=1).best.closed.bound
        'tensor pipe'

    """
    more = {name: options.pop(name) for name in SIZES if name in options}
    own = {name: options.pop(name) for name in _OWN if name in options}
    one = Sweep(family=family, sizes=sizes_of(m, n, k), more=more, choices=options, **own)
    return one.run(jobs=jobs, scheduler=scheduler, resume=None if resume is None else Path(resume), progress=progress)
