"""The few SVG pieces that all pictures share: colours for light and dark paper, text, boxes, lines, the document."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

__all__ = [
    "ALARM",
    "EMPTY",
    "FAINT",
    "INK",
    "ON",
    "PAPER",
    "RULE",
    "box",
    "document",
    "lane_color",
    "line",
    "shade",
    "text",
]

INK, FAINT, PAPER, EMPTY, RULE, ALARM = "#1d2733", "#5d6b7a", "#ffffff", "#f1f3f6", "#d8dee4", "#b3261e"
ON = "#1b2430"  # letters on a colour of the palette, which is the same on light and on dark paper
_DARK = {INK: "#e9eef4", FAINT: "#a3b0bd", PAPER: "#12171e", EMPTY: "#1d252f", RULE: "#3a4653", ALARM: "#ff9a8f"}
# Eight hues told apart at a glance; a lane's quad picks the hue and its place in the quad the strength.
_HUES = ("4e79a7", "f28e2b", "59a14f", "d8565b", "2fa3a0", "d9b526", "a06bb0", "9a6a4f")
_STRENGTHS = (0.22, 0.36, 0.50, 0.64)


def shade(hue: int, strength: float) -> str:
    """Return a colour of the palette mixed with white, strength 0 to 1.

    Example:
        >>> shade(0, 0.5)
        '#a6bcd3'

    """
    base = (int(_HUES[hue % 8][place : place + 2], 16) for place in (0, 2, 4))
    return "#" + "".join(f"{round(255 - (255 - part) * strength):02x}" for part in base)


def lane_color(lane: int) -> str:
    """Return the colour of a lane; lanes 32 apart (of a warpgroup) share it."""
    return shade(lane >> 2, _STRENGTHS[lane & 3])


def text(
    x: float, y: float, words: str, *, size: float = 12, fill: str = INK, anchor: str = "start", bold: bool = False
) -> str:
    """Return a line of text whose baseline starts (or is centred, or ends) at (x, y)."""
    weight = ' font-weight="600"' if bold else ""
    where = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}"'
    return f'<text {where} font-size="{size:g}" fill="{fill}"{weight}>{escape(words)}</text>'


def box(x: float, y: float, width: float, height: float, *, fill: str, stroke: str = PAPER, line: float = 1) -> str:
    """Return a rectangle."""
    size = f'x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}"'
    return f'<rect {size} fill="{fill}" stroke="{stroke}" stroke-width="{line:g}"/>'


def line(x1: float, y1: float, x2: float, y2: float, *, stroke: str = FAINT, width: float = 1, dash: str = "") -> str:
    """Return a straight line; `dash` is as SVG's stroke-dasharray."""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    ends = f'x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}"'
    return f'<line {ends} stroke="{stroke}" stroke-width="{width:g}"{dashes}/>'


def document(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Return a whole picture, on light or dark paper as its reader's system prefers."""
    size = f'width="{width:g}" height="{height:g}" viewBox="0 0 {width:g} {height:g}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" class="simtc" {size} '
    head += 'font-family="Inter, Helvetica, Arial, sans-serif">'
    paper = box(0, 0, width, height, fill=PAPER)
    return "\n".join([head, f"<title>{escape(title)}</title>", _dark(), paper, *parts, "</svg>\n"])


def _dark() -> str:
    """Return the style that takes the place of the colours of paper and ink where dark is preferred."""
    rules = "".join(
        f'.simtc [{kind}="{light}"]{{{kind}:{dark}}}' for light, dark in _DARK.items() for kind in ("fill", "stroke")
    )
    return f"<style>@media (prefers-color-scheme:dark){{{rules}}}</style>"
