"""A page for diagrams that is light or dark as the reader's screen is."""

from __future__ import annotations

from collections.abc import Iterable

from simtc.layout.draw import document

__all__ = ["arrow", "page"]

# Text and lines change with the screen; fills are half transparent, so they suit both.
_STYLE = """<style>
.line{stroke:#5d6b7a;fill:none;stroke-width:1.5} .tip{fill:#5d6b7a}
@media (prefers-color-scheme: dark) {
svg>rect:first-of-type{fill:#0d1117;stroke:#0d1117} rect[fill="#1b1f24"]{fill:#e6edf3}
text[fill="#1d2733"]{fill:#e6edf3} text[fill="#5d6b7a"]{fill:#9aa7b4}
text[fill="#d9480f"]{fill:#ffb070} rect[fill="#d9dee3"]{fill:#57606a}
.line{stroke:#9aa7b4} .tip{fill:#9aa7b4}
}
</style>"""


def page(width: int, height: int, title: str, parts: Iterable[str]) -> str:
    """Return a whole picture as SVG."""
    return document(width, height, title, [_STYLE, *parts])


def arrow(points: Iterable[tuple[float, float]]) -> str:
    """Return a line through points that ends in a tip."""
    way = list(points)
    (x0, y0), (x, y) = way[-2:]
    far = max(abs(x - x0), abs(y - y0))
    dx, dy = (x - x0) / far, (y - y0) / far
    tip = [(x, y), (x - 7 * dx + 4 * dy, y - 7 * dy + 4 * dx), (x - 7 * dx - 4 * dy, y - 7 * dy - 4 * dx)]
    line = " ".join(f"{a:g},{b:g}" for a, b in way)
    head = " ".join(f"{a:g},{b:g}" for a, b in tip)
    return f'<polyline class="line" points="{line}"/><polygon class="tip" points="{head}"/>'
