"""The survey of a space: every configuration that constraints leave, ranked by closed forms."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.gemm.family import Configured, Family, Refused
from simtc.gemm.problem import Problem
from simtc.results.prediction import Prediction

__all__ = ["Candidate", "Survey", "choices_text", "survey", "walked"]

_EVERY = 256  # configurations from one report of progress to the next


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A configuration that can be made, for its problem."""

    configuration: Configured
    problem: Problem
    closed: Prediction

    @property
    def name(self) -> str:
        """The configuration's own."""
        return self.configuration.name


@dataclass(frozen=True, slots=True, kw_only=True)
class Survey:
    """A space for one problem size."""

    candidates: tuple[Candidate, ...]  # the fastest by closed forms first; of equals the first of the family's order
    refused: Mapping[str, int]  # by rule, most first


def walked(
    family: Family, problem: Problem, device: Device, choices: Mapping[str, Any]
) -> tuple[list[Configured], dict[str, int]]:
    """Walk a family's space.

    Returns:
        The configurations that can be made, and how many each rule prunes.

    Raises:
        BadInputError: choices that mean nothing, or two configurations of one name.

    """
    made, refused = [], Counter[str]()
    for one in family.space(problem, device, choices):
        if isinstance(one, Refused):
            refused[one.rule] += 1
        else:
            made.append(one)
    twice = [name for name, count in Counter(one.name for one in made).items() if count > 1]
    if twice:
        raise BadInputError(f"{family.name} has several configurations of the name {twice[0]}")
    return made, dict(refused.most_common())


def survey(
    family: Family,
    sizes: Mapping[str, Any],
    device: Device,
    choices: Mapping[str, Any],
    progress: Callable[[int, int], None] | None = None,
) -> Survey:
    """Rank a family's space for a problem by closed forms.

    Args:
        family: whose space.
        sizes: of the problem: m, n, k, and what else Family.problem takes.
        device: the board.
        choices: what every configuration has.
        progress: called with (configurations done, configurations).

    Raises:
        BadInputError: choices or sizes that mean nothing, or that leave no configuration; says which rules prune.

    """
    made, refused = walked(family, family.problem(sizes, choices), device, choices)
    if not made:
        rules = "; ".join(f"{rule} ({count:,})" for rule, count in refused.items()) or "there is none"
        raise BadInputError(f"no configuration of {family.name} can be made: {rules}. Try: fewer options")
    boards = {True: device.under_tensor_load(), False: device}
    candidates = []
    for done, one in enumerate(made):
        if progress and done % _EVERY == 0:
            progress(done, len(made))
        problem = one.problem(sizes)
        closed = one.closed_form(problem, boards[one.uses_tensor_cores])
        candidates.append(Candidate(configuration=one, problem=problem, closed=closed))
    if progress:
        progress(len(made), len(made))
    candidates.sort(key=lambda one: one.closed.seconds)  # which keeps the order of equals
    return Survey(candidates=tuple(candidates), refused=refused)


def choices_text(family: Family, made: Configured) -> str:
    """Return the options that make a configuration, as the command line writes them.

    Example:
        >>> from simtc.gemm.registry import family
        >>> one = family("wmma_gemm")
        >>> choices_text(one, one.configured("turing", {"types": "s8", "shape": "32x8x16"}))
        '--types s8 --shape 32x8x16 --transpose nn'

    """
    config, words = made.to_dict(), []
    for option in family.options:
        value = config.get(option.name, getattr(made, option.name, None))
        if value is None or value is False:
            continue
        between = "," if option.kind == "shape" else "x"
        shown = between.join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        flag = f"--{option.name.replace('_', '-')}"
        words.append(flag if option.kind == "flag" else f"{flag} {shown}")
    return " ".join(words)
