"""How well a ladder was predicted: the order of its kernels, and how far off their times are."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from math import exp, log
from statistics import mean, median

from simtc.validate.ladders.ladder import Figure, Ladder
from simtc.validate.ladders.predict import Prediction
from simtc.validate.measured import Point

__all__ = ["NEAR", "Standing", "standing", "total_order"]

NEAR = 0.05  # figures that are closer than this have no order: the authors' own spread is about as large


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """A ladder's figures beside simtc's, in microseconds, and the pairs whose order was asked."""

    ladder: Ladder
    points: tuple[Point, ...]
    wrong: tuple[tuple[str, str, float], ...]  # the quicker one, the slower one, by how much as published
    pairs: int
    refused: tuple[tuple[str, str], ...]  # figure, reason

    @property
    def right(self) -> int:
        """How many pairs are in the published order."""
        return self.pairs - len(self.wrong)

    @property
    def level(self) -> float:
        """By how much simtc's times are off as a whole: the median of predicted over published, less one."""
        return median(point.predicted / point.measured for point in self.points) - 1.0

    @property
    def error(self) -> float:
        """The mean absolute error of the times."""
        return mean(abs(point.error) for point in self.points)

    @property
    def spread(self) -> float:
        """The mean absolute error that is left when the level, which a clock's frequency shifts, is divided out."""
        ratios = [log(point.predicted / point.measured) for point in self.points]
        middle = median(ratios)
        return mean(abs(exp(ratio - middle) - 1.0) for ratio in ratios)


def standing(ladder: Ladder, predictions: Mapping[str, Prediction]) -> Standing:
    """Compare a ladder with its predictions; a figure without one counts as refused."""
    kept: list[tuple[Figure, float, float]] = []
    refused = []
    for figure in ladder.figures:
        found = predictions.get(figure.name)
        if found is None or found.refused:
            refused.append((figure.name, found.refused if found else "it was not predicted"))
        else:
            kept.append((figure, 1e6 * ladder.seconds(figure), 1e6 * found.seconds))
    asked = [
        sorted(pair, key=lambda one: one[1])
        for pair in combinations(kept, 2)
        if pair[0][0].group == pair[1][0].group and abs(log(pair[0][1] / pair[1][1])) >= log(1.0 + NEAR)
    ]
    return Standing(
        ladder=ladder,
        points=tuple(
            Point(
                case=f"{ladder.name}/{figure.name}", group=ladder.name, quantity="seconds", unit="us",
                measured=published, predicted=predicted,
            )
            for figure, published, predicted in kept
        ),
        wrong=tuple(
            (quick[0].name, slow[0].name, slow[1] / quick[1]) for quick, slow in asked if quick[2] >= slow[2]
        ),
        pairs=len(asked),
        refused=tuple(refused),
    )  # fmt: skip


def total_order(standings: Iterable[Standing]) -> tuple[int, int]:
    """Return over several ladders how many pairs are in the published order, and how many there are."""
    every = list(standings)
    return sum(one.right for one in every), sum(one.pairs for one in every)
