"""Charts as SVG: a few curves and marks over two axes, linear or logarithmic; several below each other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from simtc.errors import BadInputError
from simtc.layout.draw import FAINT, INK, PAPER, box, document, line, shade, text
from simtc.results.display import Columns, Display

__all__ = ["Chart", "Mark", "Series", "stacked"]

_LEFT, _TOP, _WIDTH, _HEIGHT = 70, 56, 560, 320  # of the plot's frame, in pixels
_UNTITLED = 24  # room above the frame of a chart that the title of another one names
_GAP = 20  # between a chart and the one below it
_LINE_HEIGHT = 18
_TICKS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """One curve. `step` draws it as stairs, for counts that jump; `dots` as its points alone."""

    name: str
    points: tuple[tuple[float, float], ...]
    step: bool = False
    dots: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """One value to compare the curves with: a point, or where one place is None a line across the whole chart.

    Raises:
        BadInputError: both places are None.

    """

    name: str
    x: float | None = None
    y: float | None = None

    def __post_init__(self) -> None:
        if self.x is None and self.y is None:
            raise BadInputError(f"mark {self.name!r} has no place: x, y or both")


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Chart(Display):
    """Curves and marks over common axes.

    Raises:
        BadInputError: no points, or a value at or below 0 on a logarithmic axis.

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
    marks: tuple[Mark, ...] = ()

    def __post_init__(self) -> None:
        if not any(one.points for one in self.series):
            raise BadInputError(f"chart {self.title!r} has no points")
        if any(log and min(self._values(axis)) <= 0 for axis, log in enumerate(self.log)):
            raise BadInputError(f"chart {self.title!r} has a point at or below 0 on a logarithmic axis")

    def _values(self, axis: int) -> list[float]:
        """Return all that an axis has to show."""
        marked = ((one.x, one.y)[axis] for one in self.marks)
        return [point[axis] for one in self.series for point in one.points] + [v for v in marked if v is not None]

    def headline(self) -> str:
        """Return title and curves in one line."""
        return f"{self.title}: {len(self.series)} curve{'' if len(self.series) == 1 else 's'}"

    def columns(self) -> Columns:
        """Return one row a point: curve, and its place along both axes."""
        points = [(one.name, *point) for one in self.series for point in one.points]
        points += [(one.name, math.nan if one.x is None else one.x, math.nan if one.y is None else one.y)
                   for one in self.marks]  # fmt: skip
        return dict(zip(("curve", self.across, self.up), map(list, zip(*points, strict=True)), strict=True))

    def pictures(self) -> Sequence[str]:
        """Return the chart."""
        return (self.to_svg(),)

    def tables(self) -> Sequence[tuple[str, Columns]]:
        """Return nothing: the picture says it."""
        return ()

    def to_svg(self) -> str:
        """Draw the chart."""
        return stacked(self)

    def drawn(self, top: float, first: int = 0) -> tuple[list[str], float]:
        """Return the chart's pieces from `top` down, and where they end; its curves have colours from `first` on."""
        frame = top + (_TOP if self.title else _UNTITLED)
        bottom = frame + _HEIGHT
        place_x, ticks_x = self._axis(0, _LEFT, _LEFT + _WIDTH)
        place_y, ticks_y = self._axis(1, bottom, frame)
        parts = [text(_LEFT, top + 26, self.title, size=16, bold=True)]
        for tick in ticks_x:
            parts += [line(place_x(tick), bottom, place_x(tick), bottom + 5)]
            parts += [text(place_x(tick), bottom + 19, f"{tick:,g}", size=12, fill=FAINT, anchor="middle")]
        for tick in ticks_y:
            parts += [line(_LEFT - 5, place_y(tick), _LEFT, place_y(tick))]
            parts += [text(_LEFT - 9, place_y(tick) + 4, f"{tick:,g}", size=12, fill=FAINT, anchor="end")]
        parts += [text(_LEFT + _WIDTH / 2, bottom + 38, self.across, size=12, anchor="middle")]
        parts += [text(_LEFT, frame - 6, self.up, size=12)]
        parts += [box(_LEFT, frame, _WIDTH, _HEIGHT, fill="none", stroke=FAINT)]
        legend: list[tuple[str, str]] = []
        for number, one in enumerate(self.series, first):
            color = shade(number, 1.0)
            corners = [(place_x(x), place_y(y)) for x, y in _corners(one)]
            parts.append(_dots(corners, color) if one.dots else _curve(corners, color))
            legend.append((box(_LEFT, -9, 18, 4, fill=color, stroke="none"), one.name))
        for number, name in enumerate(dict.fromkeys(mark.name for mark in self.marks)):
            key = _dashed(_LEFT, -7, _LEFT + 18, -7, number)
            for mark in (one for one in self.marks if one.name == name):
                x, y = (None if v is None else place(v) for v, place in ((mark.x, place_x), (mark.y, place_y)))
                parts.append(_marked(x, y, number, frame))
                if x is not None and y is not None:
                    key = _marked(_LEFT + 9, -7, number, 0)
            legend.append((key, name))
        for number, (key, name) in enumerate(legend):
            y = bottom + 58 + _LINE_HEIGHT * number
            parts += [f'<g transform="translate(0 {y:g})">{key}</g>', text(_LEFT + 26, y - 3, name, size=12)]
        return parts, bottom + 58 + _LINE_HEIGHT * len(legend)

    def _axis(self, axis: int, start: float, end: float) -> tuple[Callable[[float], float], list[float]]:
        """Return where a value stands in pixels, and the values that get a mark."""
        values = self._values(axis)
        low, high = min(values), max(values)
        if self.log[axis]:
            high = high * 1.15 if axis == 1 else high  # a curve along the top stays apart from the frame
            ticks = [
                mantissa * 10.0**power
                for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
                for mantissa in (1, 2, 5)
                if low <= mantissa * 10.0**power <= high
            ]
            if len(ticks) > 2 * _TICKS:
                ticks = [tick for tick in ticks if math.log10(tick) % 1 < 1e-9]
            span = math.log(high / low) or 1.0
            return lambda value: start + (end - start) * math.log(value / low) / span, ticks
        low = 0.0 if axis == 1 else low
        unit = _round_up((high - low or 1.0) / _TICKS)
        high = max(high, low + unit) if axis == 0 else unit * math.ceil(high / unit or 1)
        first = math.ceil(low / unit)
        ticks = [unit * number for number in range(first, math.floor(high / unit) + 1)]
        return lambda value: start + (end - start) * (value - low) / (high - low), ticks


def stacked(*charts: Chart) -> str:
    """Draw charts below each other, each with a scale of its own: what is measured in other units is no common axis.

    Example:
        >>> one = Chart(title="a", across="x", up="y", series=(Series(name="b", points=((1, 1), (2, 3))),))
        >>> stacked(one, one).count("<polyline")
        2

    """
    parts: list[str] = []
    top, curves = 0.0, 0
    for chart in charts:
        pieces, end = chart.drawn(top, curves)
        parts += pieces
        top, curves = end + _GAP, curves + len(chart.series)
    return document(_LEFT + _WIDTH + 30, top - _GAP, charts[0].title, parts)


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


def _curve(corners: Iterable[tuple[float, float]], color: str) -> str:
    joined = " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
    return f'<polyline points="{joined}" fill="none" stroke="{color}" stroke-width="2"/>'


def _dots(corners: Iterable[tuple[float, float]], color: str) -> str:
    return "".join(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{color}"/>' for x, y in corners)


def _marked(x: float | None, y: float | None, number: int, top: float) -> str:
    """Draw a mark as a diamond, or a dashed line across the frame."""
    if x is None and y is not None:
        return _dashed(_LEFT, y, _LEFT + _WIDTH, y, number)
    if y is None and x is not None:
        return _dashed(x, top, x, top + _HEIGHT, number)
    shape = f"M{x:.1f} {y:.1f}m-6 0l6 -6l6 6l-6 6z"
    return f'<path d="{shape}" fill="{_FILLS[number % len(_FILLS)]}" stroke="{INK}" stroke-width="1.5"/>'


_FILLS = (INK, PAPER, shade(3, 1.0), shade(2, 1.0), shade(5, 1.0))  # of diamonds
_DASHES = ("6 4", "2 3", "10 3 2 3", "12 6")  # of lines: marks of one chart are told apart


def _dashed(x1: float, y1: float, x2: float, y2: float, number: int) -> str:
    return line(x1, y1, x2, y2, stroke=INK, width=1.2, dash=_DASHES[number % len(_DASHES)])
