"""The chip as the clock has it: a box for each unit, where it is, in the order in which the units work in a cycle."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import import_module
from textwrap import wrap

from simtc.layout.draw import FAINT, INK, box, shade, text
from simtc.report.diagrams.paper import arrow, page
from simtc.timing.pipeline import UNITS
from simtc.timing.unit import Unit

__all__ = ["sm_svg"]

_WIDE, _HIGH, _GAP = 216, 92, 18
_LEFT, _TOP, _FOOT = 40, 92, 16
_COLUMNS = 4
_LETTERS = 36  # of a line in a box
_CAUSE = "#d9480f"
# Where each unit is: column and row. The units themselves, their words and their causes come from the clock.
_PLACES = {
    "dvfs": (0, 0), "blocks": (1, 0), "events": (2, 0), "barrier": (3, 0),
    "fetch": (0, 1), "scoreboards": (1, 1), "lsu": (2, 1), "shared_memory": (3, 1),
    "dispatch": (0, 2), "operands": (1, 2), "l1": (2, 2), "ldgsts": (3, 2),
    "pipes": (0, 3), "tensor": (1, 3), "waiting": (2, 3), "write_combining": (3, 3),
    "fence": (0, 4), "merging": (2, 4), "special": (3, 4),
    "dram": (0, 5), "l2_tags": (1, 5), "l2": (2, 5), "crossbar": (3, 5), "atomics": (2, 6),
    "ways": (3, 6),
}  # fmt: skip
# What holds which boxes: first and last column and row, and its name.
_FRAMES = (
    ((0, 0), (3, 0), "around them"), ((0, 1), (1, 4), "a sub-core: an SM has four"),
    ((2, 1), (3, 4), "what the sub-cores of an SM share"), ((0, 5), (3, 6), "what the SMs share"),
)  # fmt: skip
_WAYS = (
    ("fetch", "dispatch"), ("scoreboards", "operands"), ("dispatch", "operands"), ("dispatch", "pipes"),
    ("operands", "tensor"), ("lsu", "shared_memory"), ("lsu", "l1"), ("l1", "waiting"), ("l1", "ldgsts"),
    ("ldgsts", "shared_memory"), ("waiting", "merging"), ("merging", "crossbar"), ("write_combining", "crossbar"),
    ("crossbar", "l2"), ("crossbar", "ways"), ("ways", "atomics"), ("l2", "l2_tags"), ("l2_tags", "dram"),
)  # fmt: skip


def sm_svg() -> str:
    """Draw the units of the clock as SVG, numbered in the order in which they work in a cycle.

    Raises:
        ValueError: the picture has a place for what is no unit.

    Source:
        UNITS of simtc.timing.pipeline; the words are the first of each unit's file, the causes its own.

    Example:
        >>> sm_svg().count("<polygon")  # arrows
        18

    """
    if gone := _PLACES.keys() - {unit.name for unit in UNITS}:
        raise ValueError(f"the clock has no unit {', '.join(sorted(gone))}")
    rows = 1 + max(row for _, row in _places().values())
    width = 2 * _LEFT + _COLUMNS * _WIDE + (_COLUMNS - 1) * 2 * _GAP
    height = _TOP + rows * (_HIGH + 2 * _GAP) + _FOOT
    title = "The SM as simtc models it"
    parts = [
        text(_LEFT - 14, 30, title, size=17, bold=True),
        text(
            _LEFT - 14,
            50,
            "Numbers: the order of work in a cycle. Red: what a unit makes warps wait for, as Nsight Compute names it.",
            size=12,
        ),
        *(part for first, last, name in _FRAMES for part in _frame(first, last, name)),
        *(_way(one, two) for one, two in _WAYS),
        *(part for number, unit in enumerate(UNITS, 1) for part in _unit(number, unit)),
    ]
    return page(width, height, title, parts)


@cache
def _places() -> dict[str, tuple[int, int]]:
    """Return where each unit is: one that nobody has placed goes below the others."""
    below = 1 + max(row for _, row in _PLACES.values())
    new = [unit.name for unit in UNITS if unit.name not in _PLACES]
    return {**_PLACES, **{name: (n % _COLUMNS, below + n // _COLUMNS) for n, name in enumerate(new)}}


def _corner(name: str) -> tuple[int, int]:
    column, row = _places()[name]
    return _at(column, row)


def _at(column: int, row: int) -> tuple[int, int]:
    return _LEFT + column * (_WIDE + 2 * _GAP), _TOP + row * (_HIGH + 2 * _GAP)


def _unit(number: int, unit: Unit) -> Iterator[str]:
    x, y = _corner(unit.name)
    yield box(x, y, _WIDE, _HIGH, fill=shade(_frame_of(unit.name), 0.5) + "66", stroke=FAINT)
    yield text(x + 10, y + 20, f"{number}  {unit.name}", size=14, bold=True)
    sentence = str(import_module(f"simtc.timing.units.{unit.name}").__doc__).partition("\n")[0]
    causes = wrap(", ".join(stall.name for stall in unit.stalls), _LETTERS)
    words = wrap(sentence.partition(": ")[2] or sentence, _LETTERS, max_lines=4 - len(causes), placeholder=" ...")
    for place, line in enumerate(words + causes):
        fill = INK if place < len(words) else _CAUSE
        yield text(x + 10, y + 38 + 14 * place, line, size=11, fill=fill)


def _frame(first: tuple[int, int], last: tuple[int, int], name: str) -> Iterator[str]:
    (x, y), (right, low) = _at(*first), _at(*last)
    margin = 12
    size = (right - x + _WIDE + 2 * margin, low - y + _HIGH + 2 * margin)
    yield box(x - margin, y - margin, *size, fill="none", stroke=FAINT)
    yield text(x - margin + 2, y - margin - 2, name, size=10, fill=FAINT)


def _frame_of(name: str) -> int:
    """Return which frame a unit is in."""
    column, row = _places()[name]
    inside = (first <= (column, row) <= last and first[1] <= row <= last[1] for first, last, _ in _FRAMES)
    return next((number for number, is_inside in enumerate(inside) if is_inside), len(_FRAMES))


def _way(one: str, two: str) -> str:
    """Draw what goes from one unit to a neighbour, between the sides that face each other."""
    (x, y), (u, v) = _corner(one), _corner(two)
    if y == v:
        start, end = (x + _WIDE, u) if u > x else (x, u + _WIDE)
        return arrow([(start, y + _HIGH / 2), (end, v + _HIGH / 2)])
    start, end = (y + _HIGH, v) if v > y else (y, v + _HIGH)
    if x == u:
        return arrow([(x + _WIDE / 2, start), (u + _WIDE / 2, end)])
    middle = (start + end) / 2
    return arrow([(x + _WIDE / 2, start), (x + _WIDE / 2, middle), (u + _WIDE / 2, middle), (u + _WIDE / 2, end)])
