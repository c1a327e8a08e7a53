"""Which knobs of the corpus predict the clock's error: a table, and a plot."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from simtc.report.errors import percent
from simtc.validate.measured import Point

__all__ = ["knob_plot", "knob_rows"]

_SHOWN = 24


def knob_rows(points: Sequence[Point]) -> list[tuple[str, ...]]:
    """Return the knobs whose effect on the cycles' error is surest, the head first."""
    from simtc.validate.corpus.features import effects  # noqa: PLC0415 - only where the corpus is reported

    head = ("knob", "launches", "predicted changes by", "standard error")
    found = effects([point for point in points if point.quantity == "active_cycles"])[:_SHOWN]
    rows = [(one.knob, str(one.launches), percent(one.change), percent(one.uncertainty, signed=False)) for one in found]
    return [head, *rows]


def knob_plot(points: Sequence[Point]) -> str:
    """Draw them as SVG: a dot for each effect, a line of two standard errors on either side."""
    from simtc.validate.corpus.features import effects  # noqa: PLC0415 - only where the corpus is reported

    found = effects([point for point in points if point.quantity == "active_cycles"])[:_SHOWN]
    reach = max([0.05, *(abs(one.change) + 2 * one.uncertainty for one in found)])
    left, width, pitch = 220, 420, 18
    height = pitch * (len(found) + 2)

    def x(share: float) -> float:
        return left + width * (share / reach + 1) / 2

    parts = [f'<line x1="{x(0):.1f}" x2="{x(0):.1f}" y1="4" y2="{height - pitch}" stroke="#8c959f"/>']
    for number, one in enumerate(found):
        y = pitch * (number + 1)
        low, high = x(one.change - 2 * one.uncertainty), x(one.change + 2 * one.uncertainty)
        parts += [
            f'<text x="{left - 8}" y="{y + 4}" text-anchor="end">{escape(one.knob)}</text>',
            f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" stroke="#57606a"/>',
            f'<circle cx="{x(one.change):.1f}" cy="{y}" r="4" fill="#0969da"/>',
        ]
    for share in (-reach, 0.0, reach):
        parts.append(f'<text x="{x(share):.1f}" y="{height - 4}" text-anchor="middle">{percent(share)}</text>')
    size = f'viewBox="0 0 {left + width + 40} {height}" width="{left + width + 40}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, sans-serif" font-size="12">'
    return "\n".join([head, '<rect width="100%" height="100%" fill="#ffffff"/>', *parts, "</svg>"])
