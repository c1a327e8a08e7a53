"""The neighbourhood of a configuration: what one change of it would do."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from math import hypot
from typing import Any

from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.fits import LAYOUTS, LOADS, objection
from simtc.gemm.hgemm.tiles import Tiles
from simtc.results.prediction import Prediction
from simtc.run.simulate import Simulation

__all__ = ["Explored", "Neighbour", "explore", "neighbours"]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Explored:
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

    def to_dict(self) -> dict[str, Any]:
        """Return the neighbourhood as JSON types."""
        return {
            "verdict": self.verdict,
            "neighbours": [one.to_dict() for one in self.neighbours],
            "refused": self.refused,
        }


def neighbours(tiles: Tiles) -> Iterator[tuple[str, Tiles]]:
    """Yield what differs in one choice: a size doubled or halved, another layout, load or number of stages.

    Example:
        >>> yan = Configuration(block=(256, 256, 32), warp=(128, 64, 8))
        >>> [change for change, _ in neighbours(yan)][:3]
        ['--block 512,256,32', '--block 128,256,32', '--block 256,512,32']

    """
    for name in ("block", "warp"):
        sizes = getattr(tiles, name)
        for axis in range(3):
            for size in (2 * sizes[axis], sizes[axis] // 2):
                yield _changed(tiles, name, (*sizes[:axis], size, *sizes[axis + 1 :]))
    others: dict[str, list[Any]] = {
        "layout": [one for one in LAYOUTS if one != tiles.layout],
        "stages": [one for one in (tiles.stages - 1, tiles.stages + 1) if one > 0],
        "loads": [one for one in LOADS if one != tiles.fragment_loads],
        "sts_interleave": [one for one in (tiles.interleave - 1, tiles.interleave + 1) if one >= 0],
    }
    for name, values in others.items():
        for value in values:
            yield _changed(tiles, name, value)


def _changed(tiles: Tiles, name: str, value: Any) -> tuple[str, Tiles]:
    shown = ",".join(map(str, value)) if isinstance(value, tuple) else value
    return f"--{name.replace('_', '-')} {shown}", Tiles(**_choices(tiles) | {name: value})


def _choices(tiles: Tiles) -> dict[str, Any]:
    return {field.name: getattr(tiles, field.name) for field in fields(Tiles)}


def explore(case: Simulation, prediction: Prediction, progress: Callable[[int, int], None] | None = None) -> Explored:
    """Predict every neighbour of a simulation's configuration as the simulation itself.

    Args:
        case: the simulation.
        prediction: what came out of it.
        progress: called with (neighbours done, neighbours).

    """
    found, refused = [], {}
    every = list(neighbours(case.tiles))
    for done, (change, tiles) in enumerate(every):
        if progress:
            progress(done, len(every))
        why = objection(tiles) or (None if case.fidelity == "analytic" else tiles.not_generated)
        if why:
            refused[change] = why
            continue
        other = replace(case, tiles=Configuration(**_choices(tiles))).predict()
        speedup = prediction.seconds / other.seconds
        doubt = hypot(prediction.error_estimate or 0.0, other.error_estimate or 0.0)
        found.append(Neighbour(change=change, seconds=other.seconds, speedup=speedup, bound=other.bound, doubt=doubt))
    return Explored(neighbours=tuple(sorted(found, key=lambda one: one.seconds)), refused=refused)
