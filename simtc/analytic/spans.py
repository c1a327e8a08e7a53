"""Values under their limits as SVG: rows of spans, from what was reached to what could be, on a logarithmic axis."""

from __future__ import annotations

import math
from dataclasses import dataclass

from simtc.errors import BadInputError
from simtc.layout.draw import FAINT, box, document, shade, text

__all__ = ["Span", "Spans"]

_LEFT, _TOP, _WIDTH = 110, 74, 600  # of the plot's frame, in pixels
_SPAN, _GAP, _KEY = 9, 10, 84  # height of a span, room between rows, width of an entry of the legend


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """What one kind reached in one row, and its limit there."""

    row: str
    kind: str
    reached: float
    limit: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Spans:
    """A picture of spans: a dot is what was reached, the end of its line the limit.

    Raises:
        BadInputError: nothing to draw, or a value at or below 0.

    Example:
        >>> Spans(title="t", across="TOPS", spans=(Span(row="t4", kind="s8", reached=8, limit=130),)).to_svg()[:4]
        '<svg'

    """

    title: str
    across: str
    spans: tuple[Span, ...]

    def __post_init__(self) -> None:
        if not self.spans or any(min(one.reached, one.limit) <= 0 for one in self.spans):
            raise BadInputError(f"picture {self.title!r} needs spans of values above 0")

    def to_svg(self) -> str:
        """Draw the picture."""
        rows = list(dict.fromkeys(one.row for one in self.spans))
        kinds = list(dict.fromkeys(one.kind for one in self.spans))
        low, high = min(one.reached for one in self.spans), max(one.limit for one in self.spans)
        first, last = math.floor(math.log10(low)), math.ceil(math.log10(high))

        def place(value: float) -> float:
            return _LEFT + _WIDTH * (math.log10(value) - first) / max(last - first, 1)

        parts = [text(_LEFT, 26, self.title, size=16, bold=True)]
        for number, kind in enumerate(kinds):
            at = _LEFT + _KEY * number
            parts += [box(at, 44, 12, 4, fill=shade(number, 1.0)), text(at + 17, 50, kind, size=12)]
        down: float = _TOP
        for row in rows:
            here = [one for one in self.spans if one.row == row]
            middle = down + _SPAN * len(here) / 2
            parts.append(text(_LEFT - 10, middle + 4, row, size=12, anchor="end"))
            for one in here:
                color, y = shade(kinds.index(one.kind), 1.0), down + _SPAN / 2
                parts.append(_line(place(one.reached), y, place(one.limit), y, color, width=1.5))
                parts.append(_line(place(one.limit), y - 3, place(one.limit), y + 3, color, width=1.5))
                parts.append(f'<circle cx="{place(one.reached):.1f}" cy="{y:.1f}" r="3.5" fill="{color}"/>')
                down += _SPAN
            down += _GAP
        for power in range(first, last + 1):
            parts.append(_line(place(10.0**power), _TOP - 8, place(10.0**power), down, FAINT, width=0.5))
            parts.append(text(place(10.0**power), down + 16, f"{10.0**power:g}", size=11, fill=FAINT, anchor="middle"))
        parts.append(text(_LEFT + _WIDTH / 2, down + 36, self.across, size=12, anchor="middle"))
        return document(_LEFT + _WIDTH + 30, math.ceil(down) + 48, self.title, parts)


def _line(x1: float, y1: float, x2: float, y2: float, color: str, *, width: float) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{color}" stroke-width="{width:g}"/>'
