"""A sweep as SVG: for each size the ranking, what the clock says of its best, and what constraints prune."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape
from textwrap import wrap

from simtc.layout.draw import FAINT, INK, PAPER, RULE, document, line, text
from simtc.results.sweep import Ranked, Ranking, SweepResult

__all__ = ["sweep_plot"]

_DOT, _BEST, _PRUNED = "#2f81d6", "#d2691e", "#8c959f"  # told from light and from dark paper
_WIDTH, _LEFT, _RIGHT = 900, 74, 24
_HEIGHT = 250  # of a ranking
_LINE_LENGTH = 110  # characters of the fastest configuration's options
_BAR = 20  # height of a row of the pruned space
_POINTS = 600  # of the line of closed forms, at most


def sweep_plot(result: SweepResult) -> str:
    """Draw a sweep: time over rank by closed forms, logarithmic, and the pruned space as bars."""
    parts: list[str] = []
    y = 10.0
    for ranking in result.rankings:
        drawn, height = _panel(result, ranking, y)
        parts += drawn
        y += height
    return document(_WIDTH, y, f"a sweep of {result.family} on {result.device}", parts)


def _panel(result: SweepResult, ranking: Ranking, top: float) -> tuple[list[str], float]:
    """Draw a size; returns the parts, and the height that they take."""
    size = " x ".join(map(str, ranking.size))
    best = ranking.best
    timed = "dots: in the clock (the fastest in orange)" if ranking.timed else "nothing was timed in the clock"
    parts = [
        text(
            _LEFT,
            top + 16,
            f"{result.family} {size} on {result.device}: {len(ranking.rows):,} of {ranking.space:,} configurations",
            size=15,
        )
    ]
    y = top + 34
    takes = f"{1e6 * best.seconds:,.1f} us, {best.tflops:.2f} TFLOPS ({best.best.fidelity})"
    for words in (*wrap(f"fastest: {best.options}", _LINE_LENGTH, break_on_hyphens=False), takes):
        parts.append(text(_LEFT, y, words, fill=_BEST))
        y += 16
    parts.append(text(_LEFT, y, f"line: closed forms; {timed}", fill=FAINT))
    parts += _ranking(ranking, y + 10)
    below = y + 10 + _HEIGHT + 62
    parts += _bars(ranking, below)
    return parts, below + _BAR * (len(ranking.refused) + 1) + 30 - top


def _ranking(ranking: Ranking, top: float) -> list[str]:
    """Draw time over rank: closed forms as a line, what was timed as dots at their ranks by closed forms."""
    rows = sorted(ranking.rows, key=lambda row: row.closed.seconds)
    times = [row.closed.seconds for row in rows] + [row.seconds for row in ranking.timed]
    low, high = math.log10(min(times)), math.log10(max(times))
    pad = 0.06 * (high - low) or 0.05
    low, high = low - pad, high + pad
    last = math.log10(max(len(rows), 2))
    side = _WIDTH - _LEFT - _RIGHT

    def x(rank: int) -> float:
        return _LEFT + side * math.log10(rank) / last

    def y(seconds: float) -> float:
        return top + _HEIGHT * (high - math.log10(seconds)) / (high - low)

    parts = [f'<rect x="{_LEFT}" y="{top}" width="{side}" height="{_HEIGHT}" fill="none" stroke="{FAINT}"/>']
    for value in _ticks(low + 6, high + 6):
        at = y(1e-6 * value)
        parts += [
            line(_LEFT, at, _LEFT + side, at, stroke=RULE),
            text(_LEFT - 8, at + 4, f"{value:,g}", anchor="end", fill=FAINT),
        ]
    for power in range(int(last) + 1):
        at = x(10**power)
        parts += [
            line(at, top, at, top + _HEIGHT, stroke=RULE),
            text(at, top + _HEIGHT + 18, f"{10**power:,}", anchor="middle", fill=FAINT),
        ]
    path = " ".join(f"{x(1 + place):.1f},{y(rows[place].closed.seconds):.1f}" for place in _places(len(rows)))
    parts.append(f'<polyline points="{path}" fill="none" stroke="{FAINT}" stroke-width="2"/>')
    for place, row in enumerate(rows):
        if row.timed:
            fill = _BEST if row.name == ranking.best.name else _DOT
            parts.append(_dot(x(1 + place), y(row.seconds), row, fill))
    turned = f'transform="translate(16 {top + _HEIGHT / 2}) rotate(-90)" text-anchor="middle" fill="{INK}"'
    parts += [
        text(_LEFT + side / 2, top + _HEIGHT + 36, "rank by closed forms", anchor="middle"),
        f'<text {turned} font-size="12">microseconds</text>',
    ]
    return parts


def _bars(ranking: Ranking, top: float) -> list[str]:
    """Draw how many configurations can be made, and how many each rule prunes."""
    counts = {"can be made": len(ranking.rows), **{f"pruned: {rule}": count for rule, count in ranking.refused.items()}}
    most, room = max(counts.values()), 240
    parts = []
    for place, (name, count) in enumerate(counts.items()):
        y, width = top + _BAR * place, room * count / most
        fill = _PRUNED if place else _DOT
        parts += [
            f'<rect x="{_LEFT}" y="{y:.1f}" width="{max(width, 1):.1f}" height="{_BAR - 6}" fill="{fill}"/>',
            text(_LEFT - 8, y + 11, f"{count:,}", anchor="end", fill=FAINT),
            text(_LEFT + room + 12, y + 11, name),
        ]
    return parts


def _places(count: int) -> Sequence[int]:
    """Return the ranks, from 0, that a line is drawn through: evenly on a logarithmic axis."""
    if count <= _POINTS:
        return range(count)
    steps = {round(count ** (one / (_POINTS - 1))) - 1 for one in range(_POINTS)}
    return sorted(min(step, count - 1) for step in steps)


def _ticks(low: float, high: float) -> list[float]:
    """Return 1, 2 and 5 times powers of ten between two exponents; only powers of ten where the range is wide."""
    steps = (1, 2, 5) if high - low < 2.5 else (1,)
    values = [step * 10.0**power for power in range(math.floor(low) - 1, math.ceil(high) + 1) for step in steps]
    found = [value for value in values if 10**low <= value <= 10**high]
    if len(found) > 1:
        return found
    step = 10.0 ** math.floor(math.log10(10**high - 10**low))  # a narrow range: round steps of its own
    return [one * step for one in range(math.ceil(10**low / step), math.floor(10**high / step) + 1)]


def _dot(x: float, y: float, row: Ranked, fill: str) -> str:
    title = escape(f"{row.options}: {1e6 * row.seconds:,.1f} us, closed forms {1e6 * row.closed.seconds:,.1f} us")
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5" fill="{fill}" stroke="{PAPER}"><title>{title}</title></circle>'
