"""A line chart as SVG: a few curves, two axes, linear or logarithmic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from simtc.errors import BadInputError
from simtc.layout.draw import FAINT, INK, box, document, shade, text
from simtc.results.display import Columns, Display

__all__ = ["Chart", "Series"]

_LEFT, _TOP, _WIDTH, _HEIGHT = 70, 56, 560, 320  # of the plot's frame, in pixels
_LINE_HEIGHT = 18
_TICKS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One curve. `step` draws it as stairs, for counts that jump."""

    name: str
    points: tuple[tuple[float, float], ...]
    step: bool = False


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Chart(Display):
    """Curves over common axes.

    Raises:
        BadInputError: no points, or a point at or below 0 on a logarithmic axis.

    Example:
        >>> line = Series(name="y = x", points=((1, 1), (100, 100)))
        >>> Chart(title="a line", across="x", up="y", series=(line,), log=(True, True)).to_svg().count("<polyline")
        1

    """

    title: str
    across: str
    up: str
    series: tuple[Series, ...]
    log: tuple[bool, bool] = (False, False)

    def __post_init__(self) -> None:
        points = [point for one in self.series for point in one.points]
        if not points:
            raise BadInputError(f"chart {self.title!r} has no points")
        if any(log and point[axis] <= 0 for axis, log in enumerate(self.log) for point in points):
            raise BadInputError(f"chart {self.title!r} has a point at or below 0 on a logarithmic axis")

    def headline(self) -> str:
        """Return title and curves in one line."""
        return f"{self.title}: {len(self.series)} curve{'' if len(self.series) == 1 else 's'}"

    def columns(self) -> Columns:
        """Return one row a point: curve, and its place along both axes."""
        points = [(one.name, *point) for one in self.series for point in one.points]
        return dict(zip(("curve", self.across, self.up), map(list, zip(*points, strict=True)), strict=True))

    def pictures(self) -> Sequence[str]:
        """Return the chart."""
        return (self.to_svg(),)

    def tables(self) -> Sequence[tuple[str, Columns]]:
        """Return nothing: the picture says it."""
        return ()

    def to_svg(self) -> str:
        """Draw the chart."""
        place_x, ticks_x = self._axis(0, _LEFT, _LEFT + _WIDTH)
        place_y, ticks_y = self._axis(1, _TOP + _HEIGHT, _TOP)
        bottom = _TOP + _HEIGHT
        parts = [text(_LEFT, 26, self.title, size=16, bold=True)]
        parts += [box(_LEFT, _TOP, _WIDTH, _HEIGHT, fill="none", stroke=FAINT)]
        for tick in ticks_x:
            parts += [_line(place_x(tick), bottom, place_x(tick), bottom + 5)]
            parts += [text(place_x(tick), bottom + 19, f"{tick:g}", size=11, fill=FAINT, anchor="middle")]
        for tick in ticks_y:
            parts += [_line(_LEFT - 5, place_y(tick), _LEFT, place_y(tick))]
            parts += [text(_LEFT - 9, place_y(tick) + 4, f"{tick:g}", size=11, fill=FAINT, anchor="end")]
        parts += [text(_LEFT + _WIDTH / 2, bottom + 38, self.across, size=12, anchor="middle")]
        parts += [text(_LEFT, _TOP - 6, self.up, size=12)]
        legend = bottom + 58
        for number, one in enumerate(self.series):
            color = shade(number, 1.0)
            dots = " ".join(f"{place_x(x):.1f},{place_y(y):.1f}" for x, y in _corners(one))
            parts += [f'<polyline points="{dots}" fill="none" stroke="{color}" stroke-width="2"/>']
            parts += [box(_LEFT, legend + _LINE_HEIGHT * number - 9, 18, 4, fill=color)]
            parts += [text(_LEFT + 26, legend + _LINE_HEIGHT * number - 3, one.name, size=12, fill=INK)]
        height = legend + _LINE_HEIGHT * len(self.series)
        return document(_LEFT + _WIDTH + 30, height, self.title, parts)

    def _axis(self, axis: int, start: float, end: float) -> tuple[Callable[[float], float], list[float]]:
        """Return where a value stands in pixels, and the values that get a mark."""
        values = [point[axis] for one in self.series for point in one.points]
        low, high = min(values), max(values)
        if self.log[axis]:
            ticks = [
                mantissa * 10.0**power
                for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                for mantissa in (1, 2, 5)
                if low <= mantissa * 10.0**power <= high
            ]
            span = math.log(high / low) or 1.0
            return lambda value: start + (end - start) * math.log(value / low) / span, ticks
        low = 0.0 if axis == 1 else low
        unit = _round_up((high - low or 1.0) / _TICKS)
        high = max(high, low + unit) if axis == 0 else unit * math.ceil(high / unit or 1)
        first = math.ceil(low / unit)
        ticks = [unit * number for number in range(first, math.floor(high / unit) + 1)]
        return lambda value: start + (end - start) * (value - low) / (high - low), ticks


def _round_up(value: float) -> float:
    """Return the next of 1, 2, 5, 10 ... at or above a positive value."""
    power = 10.0 ** math.floor(math.log10(value))
    return next(mantissa * power for mantissa in (1, 2, 5, 10) if mantissa * power >= value * (1 - 1e-9))


def _corners(one: Series) -> Iterable[tuple[float, float]]:
    before: float | None = None
    for x, y in one.points:
        if one.step and before is not None:
            yield x, before
        yield x, y
        before = y


def _line(x1: float, y1: float, x2: float, y2: float) -> str:
    return f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{FAINT}"/>'
