"""The neighbourhood of a configuration: what one change of it would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from math import hypot
from typing import Any

from simtc.results.display import Columns, Display, by_column
from simtc.results.prediction import Prediction
from simtc.run.simulate import Simulation

__all__ = ["Explored", "Neighbour", "explore"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """A configuration that differs in one choice."""

    change: str  # as the command line writes it
    seconds: float
    speedup: float  # over the configuration itself
    bound: str
    doubt: float = 0.0  # about the speedup, by the two estimates' own

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON types."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Explored(Display):
    """A neighbourhood."""

    neighbours: tuple[Neighbour, ...]  # the fastest first
    refused: dict[str, str]  # by change, why it cannot be made

    @property
    def verdict(self) -> str:
        """Say which change helps most."""
        if not self.neighbours or self.neighbours[0].speedup <= 1:
            return "no single change helps"
        best = max(self.neighbours, key=lambda one: one.speedup - one.doubt)
        if best.speedup - best.doubt <= 1:
            best = self.neighbours[0]
            gain, doubt = (f"{100 * share:.2g} %" for share in (best.speedup - 1, best.doubt))
            return f"no single change helps as far as is known: {best.change} gains {gain}, where {doubt} is in doubt"
        return f"{best.change} helps most: {100 * (best.speedup - 1):.1f} % faster, then limited by {best.bound}"

    def headline(self) -> str:
        """Return the verdict."""
        return self.verdict

    def columns(self) -> Columns:
        """Return one row a neighbour, the fastest first."""
        return by_column([one.to_dict() for one in self.neighbours])

    def to_dict(self) -> dict[str, Any]:
        """Return the neighbourhood as JSON types."""
        return {
            "verdict": self.verdict,
            "neighbours": [one.to_dict() for one in self.neighbours],
            "refused": self.refused,
        }


def explore(case: Simulation, prediction: Prediction, progress: Callable[[int, int], None] | None = None) -> Explored:
    """Predict every neighbour of a simulation's configuration as the simulation itself.

    Args:
        case: the simulation.
        prediction: what came out of it.
        progress: called with (neighbours done, neighbours).

    """
    found, refused = [], {}
    every = list(case.configuration.neighbours())
    for done, (change, made) in enumerate(every):
        if progress:
            progress(done, len(every))
        why = made if isinstance(made, str) else None if case.fidelity == "analytic" else made.not_executed()
        if isinstance(made, str) or why:
            refused[change] = str(why)
            continue
        other = replace(case, configuration=made).predict()
        speedup = prediction.seconds / other.seconds
        doubt = hypot(prediction.error_estimate or 0.0, other.error_estimate or 0.0)
        found.append(Neighbour(change=change, seconds=other.seconds, speedup=speedup, bound=other.bound, doubt=doubt))
    return Explored(neighbours=tuple(sorted(found, key=lambda one: one.seconds)), refused=refused)
