"""The neighbourhood of a configuration: what one change of it would do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Any

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

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON types."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
    """A neighbourhood."""

    neighbours: tuple[Neighbour, ...]  # the fastest first
    refused: dict[str, str]  # by change, why it cannot be made

    @property
    def verdict(self) -> str:
        """Say which change helps most."""
        best = self.neighbours[0] if self.neighbours else None
        if best is None or best.speedup <= 1:
            return "no single change helps"
        return f"{best.change} helps most: {100 * (best.speedup - 1):.1f} % faster, then limited by {best.bound}"

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
        found.append(Neighbour(change=change, seconds=other.seconds, speedup=speedup, bound=other.bound))
    return Explored(neighbours=tuple(sorted(found, key=lambda one: one.seconds)), refused=refused)
