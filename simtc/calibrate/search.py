"""Search for one constant: the value at which its cases are nearest, and how far it may move from there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import mean

__all__ = ["Search", "edge", "least"]

_REACH = 4.0  # from a quarter of a value to four times it


@dataclass(slots=True)
class Search:
    """One constant's search: what its cases give for each value that was tried."""

    predict: Callable[[float], Sequence[float]]
    measured: Sequence[float]
    resolution: Sequence[float]
    tried: dict[float, Sequence[float]] = field(default_factory=dict)

    def at(self, value: float) -> Sequence[float]:
        """Return what the cases take at a value, computed once."""
        if value not in self.tried:
            self.tried[value] = self.predict(value)
        return self.tried[value]

    def error(self, value: float) -> float:
        """Return the mean absolute error of the cases at a value."""
        return mean(abs(p / m - 1) for p, m in zip(self.at(value), self.measured, strict=True))

    def agrees(self, value: float, best: float) -> bool:
        """Tell whether every case is as near to its measurement as at the best value, within its resolution."""
        rows = zip(self.at(value), self.at(best), self.measured, self.resolution, strict=True)
        return all(abs(here - m) <= abs(there - m) + slack for here, there, m, slack in rows)


def least(search: Search, start: float, step: float) -> float:
    """Walk downhill in steps that shrink by half: from a quarter of the value to the finest."""
    best, width = start, max(step, _rounded(abs(start) / 4, step))
    while True:
        moves = [_rounded(best + side * width, step) for side in (-1, 1)]
        better = [v for v in moves if start / _REACH <= v <= _REACH * start and search.error(v) < search.error(best)]
        if better:
            best = min(better, key=search.error)
        elif width <= step:
            return best
        else:
            width = max(step, _rounded(width / 2, step))


def edge(search: Search, best: float, step: float) -> float | None:
    """Return the last value on one side that agrees with the best; None where all within reach do."""
    reach = best / _REACH if step < 0 else best * _REACH
    count = max(int(abs(reach - best) / abs(step)), 1)

    def value(n: int) -> float:
        return _rounded(best + n * step, abs(step))

    if search.agrees(value(count), best):
        return None
    low, high = 0, 1
    while high < count and search.agrees(value(high), best):
        low, high = high, 2 * high
    high = min(high, count)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if search.agrees(value(middle), best) else (low, middle)
    return value(low)


def _rounded(value: float, step: float) -> float:
    return round(value / step) * step if isinstance(step, int) else float(f"{round(value / step) * step:.6g}")
