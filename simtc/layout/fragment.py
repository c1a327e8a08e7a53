"""Fragment: which lane, register and half holds each element of a matrix operand, and back.

Every layout NVIDIA has shipped permutes index bits: each bit of an element's row and column is one bit of the lane's
number or of the element's index among the lane's own elements. A fragment is therefore two short tuples of bit names,
`l0`, `l1`, ... of the lane and `x0`, `x1`, ... of the index; both directions and every view follow from them. A bit
that neither tuple names tells copies of one element apart.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from simtc.errors import BadInputError
from simtc.layout.lanes import quad_pair_lanes
from simtc.layout.svg import to_svg
from simtc.layout.views import title, to_json
from simtc.results.display import Columns, Display

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Element", "Fragment", "Gather", "Holder"]


class Holder(NamedTuple):
    """One place of an element: the lane, its 32-bit register, and the element's place in that register.

    `register` counts from the operand's first; a 64-bit element takes two registers, of which it is the lower.
    `half` counts elements within the register: halves, bytes, nibbles or bits; it is 0 for 32 and 64 bits.
    """

    lane: int
    register: int
    half: int


class Element(NamedTuple):
    """One holder of one element, as the views list them."""

    row: int
    col: int
    lane: int
    register: int
    half: int


class Gather(NamedTuple):
    """Index arrays (rows * cols,) int64, row-major: where the first holder of each element keeps it.

    `register` counts from the operand's first register; `shift` is the element's lowest bit in that register.
    """

    register: NDArray[np.int64]
    lane: NDArray[np.int64]
    shift: NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Fragment(Display):
    """One operand's layout over a warp (over a warpgroup's 128 lanes for wgmma, over a quad pair for Volta's m8n8k4).

    Made by `simtc.layout.fragment`.

    Example:
        >>> from simtc.layout import fragment
        >>> a = fragment("m16n8k8.f32.f16.f16.f32", operand="a", arch="turing")
        >>> a.holders(8, 3)
        (Holder(lane=1, register=1, half=1),)
        >>> a.element(1, 1, 1)
        (8, 3)

    """

    instr: str
    operand: str
    arch: str
    major: str | None = None  # how memory holds A or B: as given, or the only way there is
    view: str = "registers"  # "registers": the instruction's; "api": a WMMA fragment's x[0], x[1], ...
    quad_pair: int | None = None  # the quad pair of lanes that holds it, where not the whole warp does
    rows: int
    cols: int
    width: int  # bits of one element
    row: tuple[str, ...]  # the index bit behind each bit of the row, lowest first
    col: tuple[str, ...]
    count: int  # elements that each lane holds
    lanes: int = 32
    status: str  # published, derived or measured
    source: str

    def __post_init__(self) -> None:
        place = f"{self.instr} {self.operand}"
        known = {f"l{bit}" for bit in range(7)} | {f"x{bit}" for bit in range(8)}
        named = self.row + self.col
        if len(set(named)) != len(named) or not known.issuperset(named):
            raise ValueError(f"{place}: {named} are not distinct index bits")
        if not _is_even(self.rows, self.cols, *self._rule):
            raise ValueError(f"{place}: {named} do not give every element of {self.rows}x{self.cols} the same holders")

    def __repr__(self) -> str:
        names = ("operand", "arch", "major", "view", "quad_pair")
        given = [f"{name}={getattr(self, name)!r}" for name in names if getattr(self, name) is not None]
        return f"fragment({', '.join([repr(self.instr), *given])})"

    @property
    def lane_numbers(self) -> tuple[int, ...]:
        """The lanes that hold the operand."""
        return tuple(range(self.lanes)) if self.quad_pair is None else quad_pair_lanes(self.quad_pair)

    @property
    def per_register(self) -> int:
        """Elements in one 32-bit register; 1 for 32 and 64 bits."""
        return max(1, 32 // self.width)

    @property
    def registers(self) -> int:
        """32-bit registers of each lane that hold the operand."""
        return -(-self.count * self.width // 32)

    @property
    def copies(self) -> int:
        """Holders that each element has."""
        return len(self.holders(0, 0))

    @property
    def part(self) -> str:
        """What `half` counts at this width: half, byte, nibble or bit."""
        return {8: "byte", 4: "nibble", 1: "bit"}.get(self.width, "half")

    def holders(self, row: int, col: int) -> tuple[Holder, ...]:
        """Return every place of element (row, col), by lane, then register.

        Raises:
            BadInputError: the element lies outside the operand.

        Example:
            >>> from simtc.layout import fragment
            >>> fragment("wmma.m16n16k16.f32.f16.f16.f32", operand="a", arch="volta", major="row").holders(0, 5)
            (Holder(lane=0, register=2, half=1), Holder(lane=8, register=2, half=1))

        """
        if not (0 <= row < self.rows and 0 <= col < self.cols):
            raise BadInputError(
                f"element {row},{col} lies outside operand {self.operand} of {self.instr}: "
                f"rows are 0..{self.rows - 1}, columns 0..{self.cols - 1}"
            )
        return _holders(self)[row, col]

    def element(self, lane: int, register: int, half: int = 0) -> tuple[int, int]:
        """Return the (row, column) that a place holds; `register` may be either of a 64-bit element's two.

        Raises:
            BadInputError: the operand does not use that lane, register or half.

        """
        if lane in self.lane_numbers and 0 <= register < self.registers and 0 <= half < self.per_register:
            return _element(self.row, self.col, lane, self.index(register, half))
        which = f"0..{self.lanes - 1}" if self.quad_pair is None else ", ".join(map(str, self.lane_numbers))
        raise BadInputError(
            f"operand {self.operand} of {self.instr} has no lane {lane}, register {register}, {self.part} {half}: "
            f"lanes are {which}, registers 0..{self.registers - 1}, {self.part} 0..{self.per_register - 1}"
        )

    def index(self, register: int, half: int = 0) -> int:
        """Return the number i of a place among its lane's elements: a_i in the PTX ISA, x[i] in the WMMA API."""
        return register // self._words * self.per_register + half

    def elements(self) -> Iterator[Element]:
        """Yield one entry for every holder, row-major, then by lane and register."""
        for place, holders in sorted(_holders(self).items()):
            for holder in holders:
                yield Element(*place, *holder)

    def gather(self) -> Gather:
        """Return where to read each element: one holder, the one of the lowest lane and register.

        Example:
            >>> from simtc.layout import fragment
            >>> b = fragment("m16n8k8.f32.f16.f16.f32", operand="b", arch="turing").gather()
            >>> b.register[9], b.lane[9], b.shift[9]   # element (1, 1): upper half of register 0 of lane 4
            (np.int64(0), np.int64(4), np.int64(16))

        """
        import numpy as np  # noqa: PLC0415 - nothing else here needs it, and it is half of the command's start-up time

        first = [holders[0] for _, holders in sorted(_holders(self).items())]
        lane, register, half = np.array(first, dtype=np.int64).T
        return Gather(register=register.copy(), lane=lane.copy(), shift=half * self.width)

    def to_json(self) -> dict[str, Any]:
        """Return the fragment as JSON values, schema `simtc.layout/1`."""
        return to_json(self)

    def to_svg(self, *, color: str = "lane") -> str:
        """Draw the fragment as SVG, coloured by `lane` or by `register`.

        Raises:
            BadInputError: `color` is neither.

        """
        return to_svg(self, color=color)

    def headline(self) -> str:
        """Return what the fragment is in one line."""
        return title(self)

    def columns(self) -> Columns:
        """Return one row for every holder: row, col, lane, register and half (or byte, nibble, bit)."""
        names = ("row", "col", "lane", "register", self.part)
        return dict(zip(names, map(list, zip(*self.elements(), strict=True)), strict=True))

    def _repr_svg_(self) -> str:
        return to_svg(self)

    def _repr_html_(self) -> str:
        return f'<div style="overflow-x:auto">{to_svg(self)}</div>'

    @property
    def _words(self) -> int:
        return max(1, self.width // 32)

    @property
    def _rule(self) -> _Rule:
        return self.row, self.col, self.count, self.width, self.lane_numbers


_Bits = tuple[str, ...]
_Rule = tuple[_Bits, _Bits, int, int, tuple[int, ...]]  # row, col, count, width, lanes: all that a place depends on


def _element(row: _Bits, col: _Bits, lane: int, index: int) -> tuple[int, int]:
    bits = {"l": lane, "x": index}

    def number(names: _Bits) -> int:
        return sum((bits[name[0]] >> int(name[1:]) & 1) << place for place, name in enumerate(names))

    return number(row), number(col)


def _holders(fragment: Fragment) -> dict[tuple[int, int], tuple[Holder, ...]]:
    """Return the holders of every element."""
    return _holders_by(*fragment._rule)  # noqa: SLF001 - of this module


@cache
def _holders_by(
    row: _Bits, col: _Bits, count: int, width: int, lanes: tuple[int, ...]
) -> dict[tuple[int, int], tuple[Holder, ...]]:
    """Return the holders of every element: thousands of instructions share a hundred and some rules."""
    found: dict[tuple[int, int], list[Holder]] = {}
    words, per_register = max(1, width // 32), max(1, 32 // width)
    slots = [(_element(row, col, 0, index), *divmod(index, per_register)) for index in range(count)]
    for lane in lanes:
        down, right = _element(row, col, lane, 0)  # bits of the lane and of the index add up: no two are the same bit
        for (i, j), register, half in slots:
            found.setdefault((down + i, right + j), []).append(Holder(lane, register * words, half))
    return {place: tuple(holders) for place, holders in found.items()}


@cache
def _is_even(rows: int, cols: int, row: _Bits, col: _Bits, count: int, width: int, lanes: tuple[int, ...]) -> bool:
    """Tell whether every element of a matrix has a holder, and each as many as the others."""
    holders = _holders_by(row, col, count, width, lanes)
    elements = set(product(range(rows), range(cols)))
    return holders.keys() == elements and len(set(map(len, holders.values()))) == 1
