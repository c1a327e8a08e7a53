"""Predictions against measurements as SVG: text, lines and dots, no script."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from statistics import mean

from simtc.layout.draw import ALARM, FAINT, INK, RULE, box, document, line, text
from simtc.validate.measured import Point

__all__ = ["error_plot", "scatter_plot"]

_DOT = "#0969da"
_NAMED = 3  # the worst cases, which a plot names


def _dot(x: float, y: float, title: str, *, fill: str = _DOT) -> str:
    return (
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}" fill-opacity="0.6"><title>{escape(title)}</title>'
        "</circle>"
    )


def _said(point: Point) -> str:
    return f"{point.case}: measured {point.measured:,.0f}, predicted {point.predicted:,.0f}, {100 * point.error:+.1f} %"


def scatter_plot(points: Sequence[Point], *, size: int = 560, unit: str = "cycles", measured: str = "measured") -> str:
    """Draw predicted over measured cycles, both logarithmic, with lines of 0 and 10 % error; the worst are named."""
    shown = [p for p in points if p.measured > 0 and p.predicted > 0]
    low = math.floor(10 * math.log10(min(min(p.measured, p.predicted) for p in shown))) / 10
    high = math.ceil(10 * math.log10(max(max(p.measured, p.predicted) for p in shown))) / 10
    left, top, side = 70, 16, size - 90

    def x(value: float) -> float:
        return left + side * (math.log10(value) - low) / max(high - low, 0.1)

    def y(value: float) -> float:
        return top + side - side * (math.log10(value) - low) / max(high - low, 0.1)

    parts = [box(left, top, side, side, fill="none", stroke=FAINT)]
    for value in _ticks(low, high):
        parts += [
            line(x(value), top, x(value), top + side, stroke=RULE),
            line(left, y(value), left + side, y(value), stroke=RULE),
            text(x(value), top + side + 18, f"{value:,}", anchor="middle", fill=FAINT),
            text(left - 8, y(value) + 4, f"{value:,}", anchor="end", fill=FAINT),
        ]
    ends = 10**low, 10**high
    for factor, dash in ((1.0, ""), (1.1, "4 4"), (1 / 1.1, "4 4")):
        first, last = max(ends[0], ends[0] / factor), min(ends[1], ends[1] / factor)
        parts.append(line(x(first), y(first * factor), x(last), y(last * factor), stroke=FAINT, dash=dash))
    worst = sorted(shown, key=lambda p: -abs(p.error))[:_NAMED]
    parts += [_dot(x(p.measured), y(p.predicted), _said(p), fill=ALARM if p in worst else _DOT) for p in shown]
    parts += [text(x(p.measured) + 7, y(p.predicted) + 13, str(1 + i), fill=ALARM) for i, p in enumerate(worst)]
    turned = f'transform="translate(14 {top + side / 2}) rotate(-90)" text-anchor="middle" font-size="12" fill="{INK}"'
    parts += [
        text(left + side / 2, top + side + 38, f"{measured} {unit}", anchor="middle"),
        f"<text {turned}>predicted {unit}</text>",
        text(left + 10, top + 18, "dashed: 10 % off", fill=FAINT),
    ]
    title = f"predicted over {measured} {unit}"
    height = top + side + 54 + 16 * len(worst)
    return document(left + side + 70, height, title, [*parts, *_legend(worst, top + side + 58)])


def _legend(worst: Sequence[Point], y: float) -> list[str]:
    return [text(12, y + 16 * i, f"{1 + i}  {_said(p)}", fill=ALARM) for i, p in enumerate(worst)]


def _ticks(low: float, high: float) -> list[int]:
    """Return 1, 2, 5 times powers of ten between two exponents, fewer where the range is wide."""
    steps = (1, 2, 5) if high - low < 2.5 else (1,)
    values = [step * 10**power for power in range(int(low) - 1, int(high) + 1) for step in steps if power >= 0]
    return [value for value in values if 10**low <= value <= 10**high]


def error_plot(points: Sequence[Point], *, width: int = 820) -> str:
    """Draw every case's error as a dot in its kernel's row; a bar marks the mean, and the worst cases are named."""
    by: dict[str, list[Point]] = {}
    for point in points:
        by.setdefault(point.group, []).append(point)
    reach = min(max(0.1, *(abs(p.error) for p in points)), 1.0)
    reach = math.ceil(20 * reach) / 20
    left, top, row = 230, 26, 22
    side, height = width - left - 120, row * len(by)

    def x(error: float) -> float:
        return left + side * (max(-reach, min(reach, error)) + reach) / (2 * reach)

    parts = []
    step = next(step for step in (0.05, 0.1, 0.2, 0.5) if reach / step <= 4 or step == 0.5)
    count = math.floor(reach / step)
    for mark in range(-count, count + 1):
        at = x(mark * step)
        parts.append(line(at, top, at, top + height, stroke=FAINT if mark == 0 else RULE))
        parts.append(text(at, top - 8, f"{100 * mark * step:+.0f} %" if mark else "0", anchor="middle", fill=FAINT))
    worst = sorted(points, key=lambda p: -abs(p.error))[:_NAMED]
    for place, (group, some) in enumerate(by.items()):
        y = top + row * place + row / 2
        parts.append(line(left, y + row / 2, left + side, y + row / 2, stroke=RULE))
        parts += [text(left - 10, y + 4, group, anchor="end")]
        parts += [_dot(x(p.error), y, _said(p), fill=ALARM if p in worst else _DOT) for p in some]
        middle = mean(p.error for p in some)
        parts.append(box(x(middle) - 1.5, y - 8, 3, 16, fill=INK, stroke="none"))
        parts.append(text(left + side + 30, y + 4, f"{100 * mean(abs(p.error) for p in some):.1f} %", fill=FAINT))
    parts.append(text(left + side + 30, top - 8, "mean |error|", fill=FAINT))
    parts += _legend(worst, top + height + 22)
    return document(width, top + height + 24 + 16 * len(worst), "error by kernel", parts)
