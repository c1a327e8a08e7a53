"""Search for one constant: the value at which its cases are nearest, and the range of values that agree as well.

What a case takes hardly ever bends between two values of a constant that lie near each other. So the search draws lines
between the values that were tried, looks where on them the error is least, tries that, and goes on until it was tried.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

__all__ = ["Search", "least", "limits"]

_REACH = 4.0  # from a quarter of a value to four times it
_FIRST = 8  # the first steps are an eighth of the value, then twice as far each
_MOST = 12  # values that are tried for the best one
_SHARE = 6  # a limit is found to within a sixth of its distance from the best value
_DRAWS, _SEED = 400, 1  # of cases, for what their contradictions leave open
_TAILS = (0.05, 0.95)


@dataclass(slots=True)
class Search:
    """One constant's search: what its cases give for each value that was tried."""

    predict: Callable[[float], Sequence[float]]
    measured: Sequence[float]
    resolution: Sequence[float]
    step: float  # the finest
    tried: dict[float, NDArray[np.float64]] = field(default_factory=dict)

    def at(self, value: float) -> NDArray[np.float64]:
        """Return what the cases take at a value, computed once."""
        if value not in self.tried:
            self.tried[value] = np.asarray(self.predict(value), np.float64)
        return self.tried[value]

    def error(self, value: float) -> float:
        """Return the mean absolute error of the cases at a value."""
        return float(self.errors(self.at(value)).mean())

    def errors(self, predicted: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the absolute error of every prediction, (..., cases)."""
        return np.asarray(np.abs(predicted / np.asarray(self.measured) - 1), np.float64)

    def agrees(self, predicted: NDArray[np.float64], best: float) -> NDArray[np.bool_]:
        """Tell of each row whether every case is as near to its measurement as at the best value, or nearly."""
        measured = np.asarray(self.measured)
        near = np.abs(self.at(best) - measured) + np.asarray(self.resolution)
        return np.asarray((np.abs(predicted - measured) <= near).all(axis=1))

    def grid(self, low: float, high: float) -> NDArray[np.float64]:
        """Return every value between two, at the finest step, and those that were tried."""
        steps = np.arange(np.ceil(low / self.step), np.floor(high / self.step) + 1)
        values = {self.rounded(n * self.step) for n in steps} | {v for v in self.tried if low <= v <= high}
        return np.array(sorted(values))

    def rounded(self, value: float) -> float:
        """Return the nearest value at the finest step."""
        near = round(value / self.step) * self.step
        return near if isinstance(self.step, int) else float(f"{near:.6g}")

    def between(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return what the cases take at values between those that were tried, along straight lines, (values, cases)."""
        places = np.array(sorted(self.tried))
        told = np.nan_to_num(np.stack([self.tried[v] for v in places.tolist()]), posinf=1e30)
        return np.stack([np.interp(values, places, column) for column in told.T], axis=1)


def least(search: Search, start: float) -> float:
    """Return the best value within reach of one to start from."""
    low, high = sorted((start / _REACH, start * _REACH))
    ends = [start, start]
    search.at(start)
    for direction in (0, 1):  # outwards until it gets no better
        width = max(abs(start) / _FIRST, search.step)
        while True:
            there = search.rounded(min(max(ends[direction] + (width if direction else -width), low), high))
            if there == ends[direction]:
                break
            better = search.error(there) < min(search.error(v) for v in search.tried if v != there)
            ends[direction], width = there, 2 * width
            if not better:
                break
    for _ in range(_MOST):
        best = _lowest(search, *ends)
        if best in search.tried:
            break
        search.at(best)
    return min((v for v in search.tried), key=lambda v: (search.error(v), abs(v - start)))


def _lowest(search: Search, low: float, high: float) -> float:
    """Return the value of the least error along the lines; of several the middle one."""
    values = search.grid(low, high)
    errors = search.errors(search.between(values)).mean(axis=1)
    lowest = np.flatnonzero(errors <= errors.min() + 1e-12)
    return float(values[lowest[len(lowest) // 2]])


def limits(search: Search, best: float) -> tuple[float | None, float | None]:
    """Return the range of values that agree as well as the best one; None for an end that lies beyond reach.

    Within it every case is as near to its measurement, but for what that resolves. Where cases contradict each other it
    is wider: it holds what 90 of 100 draws of as many cases, with replacement, would have as their best value.
    """
    low, high = (_limit(search, best, side) for side in (-1, 1))
    if low is None or high is None or len(search.measured) == 1:
        return low, high
    values = search.grid(min(search.tried), max(search.tried))
    count = len(search.measured)
    drawn = np.random.default_rng(_SEED).multinomial(count, np.full(count, 1 / count), _DRAWS)
    fitted = values[(search.errors(search.between(values)) @ drawn.T).argmin(axis=0)]
    first, last = np.quantile(fitted, _TAILS, method="inverted_cdf").tolist()
    return min(low, first), max(high, last)


def _limit(search: Search, best: float, side: int) -> float | None:
    """Return the last value on one side that agrees with the best; None where all within reach do."""
    end = search.rounded(best * _REACH if side > 0 else best / _REACH)

    def agrees(value: float) -> bool:
        return bool(search.agrees(search.at(value)[None], best)[0])

    inside, width = best, max(abs(best) / (2 * _FIRST), search.step)
    outside = next((v for v in sorted(search.tried, key=lambda v: abs(v - best))
                    if side * (v - best) > 0 and not agrees(v)), None)  # fmt: skip
    while outside is None:
        there = search.rounded(best + side * width)
        there = min(there, end) if side > 0 else max(there, end)
        if not agrees(there):
            outside = there
        elif there == end:
            return None
        else:
            inside, width = there, 2 * width
    while abs(outside - inside) > max(search.step, abs(inside - best) / _SHARE) * 1.001:
        values = search.grid(*sorted((inside, outside)))
        same = search.agrees(search.between(values), best)
        farthest = values[same][np.argmax(side * values[same])] if same.any() else inside
        there = float(farthest)
        if there in search.tried:
            there = search.rounded(there + side * search.step)
        if there in (inside, outside):
            there = search.rounded((inside + outside) / 2)
        if there in (inside, outside):
            break
        inside, outside = (there, outside) if agrees(there) else (inside, there)
    return inside
