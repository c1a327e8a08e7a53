"""A fragment as a picture: one cell an element, its lanes and register in the cell, colour by lane or by register."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from simtc.errors import unknown
from simtc.layout.draw import FAINT, INK, ON, box, document, lane_color, shade, text
from simtc.layout.views import cell, slot, title

if TYPE_CHECKING:
    from simtc.layout.fragment import Fragment

__all__ = ["to_svg"]

_LEFT, _TOP, _HEIGHT, _FOOT = 44, 92, 34, 74


class _Cell(NamedTuple):
    """What is drawn as one: an element, or the whole register's worth of elements narrower than a byte."""

    row: int
    col: int
    down: int
    right: int
    lanes: str
    slots: str


class _Grid(NamedTuple):
    """The size of one element in the picture."""

    width: int
    height: int


def to_svg(fragment: Fragment, *, color: str = "lane") -> str:
    """Draw a fragment, colouring each cell by the lowest `lane` or `register` that holds its element.

    Raises:
        BadInputError: `color` is neither lane nor register.

    """
    if color not in ("lane", "register"):
        raise unknown("colour", color, ("lane", "register"))
    cells = list(_cells(fragment))
    longest = max(max(8.6 * len(item.lanes), 6.2 * len(item.slots)) for item in cells) + 8
    first = cells[0]
    grid = _Grid(max(40, round(longest)) // first.right + (first.right > 1), max(1, _HEIGHT // first.down))
    height = _TOP + grid.height * fragment.rows + _FOOT
    parts = [
        *_heading(fragment),
        *_numbers(fragment, grid, first),
        *(_draw(item, grid, _fill(fragment, item, color)) for item in cells),
        *_blocks(fragment, grid),
        *_legend(fragment, color, height - _FOOT + 20),
    ]
    return document(max(_LEFT + grid.width * fragment.cols + 20, 740), height, title(fragment), parts)


def _cells(fragment: Fragment) -> Iterator[_Cell]:
    run = fragment.per_register if fragment.width < 8 else 1
    down, right = (run, 1) if fragment.operand == "b" else (1, run)
    for row in range(0, fragment.rows, down):
        for col in range(0, fragment.cols, right):
            lanes, slots = cell(fragment, row, col)
            yield _Cell(row, col, down, right, lanes, slots.split(".")[0] if run > 1 else slots)


def _draw(item: _Cell, grid: _Grid, fill: str) -> str:
    width, height = grid.width * item.right, grid.height * item.down
    x, y = _LEFT + grid.width * item.col, _TOP + grid.height * item.row
    middle, baseline = x + width / 2, y + height / 2 - 2
    lanes = text(middle, baseline, item.lanes, size=12.5, fill=ON, anchor="middle", bold=True)
    slots = text(middle, baseline + 12, item.slots, size=9.5, fill=ON, anchor="middle")
    return box(x, y, width, height, fill=fill) + lanes + slots


def _heading(fragment: Fragment) -> list[str]:
    name, what = title(fragment).split(": ", 1)
    place = "its register" + {16: " and half (H0 low, H1 high)", 8: " and byte (B0 lowest)"}.get(fragment.width, "")
    if fragment.view == "api":
        place = "its element x[i] of the wmma::fragment"
    copies = "" if fragment.copies == 1 else f" Each element has {fragment.copies} holders."
    return [
        text(_LEFT, 26, name, size=17, bold=True),
        text(_LEFT, 46, what, size=13),
        text(_LEFT, 63, f"Each cell: lane T, below it {place}.{copies}", size=11, fill=FAINT),
    ]


def _numbers(fragment: Fragment, grid: _Grid, first: _Cell) -> list[str]:
    cols, rows = range(0, fragment.cols, first.right), range(0, fragment.rows, first.down)
    middles = {col: _LEFT + grid.width * (col + first.right / 2) for col in cols}
    lines = {row: _TOP + grid.height * (row + first.down / 2) + 4 for row in rows}
    return [
        *(text(x, _TOP - 8, str(col), size=10.5, fill=FAINT, anchor="middle") for col, x in middles.items()),
        *(text(_LEFT - 9, y, str(row), size=10.5, fill=FAINT, anchor="end") for row, y in lines.items()),
    ]


def _fill(fragment: Fragment, item: _Cell, color: str) -> str:
    lane, register, half = fragment.holders(item.row, item.col)[0]
    if color == "lane":
        return lane_color(lane)
    return shade(fragment.index(register, half) if fragment.view == "api" else register, 0.45)


def _blocks(fragment: Fragment, grid: _Grid) -> list[str]:
    """Outline what one register of the warp holds: 8 lines of 128 bits (of C and D, 8x8 elements)."""
    length = 8 if fragment.operand in "cd" or fragment.arch == "volta" else max(4, 128 // fragment.width)
    down, right = (length, 8) if fragment.operand == "b" else (8, length)
    down, right = min(down, fragment.rows), min(right, fragment.cols)
    width, height = grid.width * right, grid.height * down
    return [
        box(_LEFT + grid.width * col, _TOP + grid.height * row, width, height, fill="none", stroke=INK, line=1.5)
        for row in range(0, fragment.rows, down)
        for col in range(0, fragment.cols, right)
    ]


def _legend(fragment: Fragment, color: str, top: int) -> list[str]:
    if color == "lane":
        words = "Colour: quad of lanes, darker with the lane."
        words += " Volta's quad pair q is the quads q and q + 4." if fragment.arch == "volta" else ""
        held = enumerate(sorted({lane & 31 for lane in fragment.lane_numbers}))
        swatches = [(str(lane), lane_color(lane), 20, 20 * place + place // 4 * 4) for place, lane in held]
    else:
        api = fragment.view == "api"
        words = "Colour: element x[i]." if api else "Colour: register."
        places = sorted({(element.register, element.half if api else 0) for element in fragment.elements()})
        names = [
            (slot(fragment, *place).split(".")[0], fragment.index(*place) if api else place[0]) for place in places
        ]
        swatches = [(name, shade(hue, 0.45), 34, 36 * number) for number, (name, hue) in enumerate(names[:18])]
    return [
        text(_LEFT, top + 4, words, size=11, fill=FAINT),
        *(
            box(_LEFT + x, top + 13, wide - 1, 20, fill=fill)
            + text(_LEFT + x + wide / 2 - 0.5, top + 27, name, size=10, fill=ON, anchor="middle")
            for name, fill, wide, x in swatches
        ),
    ]
