"""A tile of 16-bit elements in shared memory: where an offset formula puts them, and the accesses that kernels make."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from simtc.errors import BadInputError, unknown
from simtc.layout.banks import Access
from simtc.results.display import Columns, Display, by_column

__all__ = ["LAYOUTS", "PATTERNS", "Tile"]

LAYOUTS = ("none", "pad", "xor", "paper")
PATTERNS = ("sts.32", "sts.64", "sts.128", "lds.32", "lds.64", "lds.128", "ldsm.x1", "ldsm.x2", "ldsm.x4")
_CHUNK = 8  # elements in 16 bytes, what a 128-bit access or a row of an 8x8 matrix takes
_LINE = 64  # elements in the 128 bytes that the 32 banks hold side by side


@dataclass(frozen=True, slots=True, kw_only=True)
class Tile(Display):
    """A row-major tile (rows, cols) of 16-bit elements and the formula that places element (row, col).

    `none`: row * cols + col. `pad`: `pad_halves` more after every `pad_every` rows. `xor`: the 16-byte chunks of a
    row change places by exclusive or with the number of the row's 128-byte line. `paper`: the formula that Yan et al.
    print for their 256x32 tile (section VI.D), row * cols + row % pad_every * pad_halves + col.

    Raises:
        BadInputError: an unknown layout, a tile without elements, or columns that the layout cannot take.

    Example:
        >>> Tile(rows=256, cols=32, layout="pad").offset(3, 5)
        109
        >>> Tile(rows=256, cols=32, layout="pad").shared_bytes, Tile(rows=256, cols=32, layout="paper").overlaps
        (18432, 1016)

    """

    rows: int
    cols: int
    layout: str = "none"
    pad_every: int = 2
    pad_halves: int = 8

    def __post_init__(self) -> None:
        if self.layout not in LAYOUTS:
            raise unknown("shared-memory layout", self.layout, LAYOUTS)
        if self.rows < 1 or self.cols < 1:
            raise BadInputError(f"a tile of {self.rows}x{self.cols} has no elements")
        if self.pad_every < 1 or self.pad_halves < 0:
            raise BadInputError(
                f"padding adds 0 or more halves after every 1 or more rows, "
                f"not {self.pad_halves} after {self.pad_every}"
            )
        chunks = self.cols // _CHUNK
        if self.layout == "xor" and (self.cols % _CHUNK or chunks & (chunks - 1)):
            raise BadInputError(f"an xor swizzle needs rows of 8 times a power of two elements, not {self.cols}")

    @property
    def formula(self) -> str:
        """The offset formula, in elements, as a C expression."""
        straight = f"row*{self.cols}"
        return {
            "none": f"{straight} + col",
            "pad": f"{straight} + row/{self.pad_every}*{self.pad_halves} + col",
            "paper": f"{straight} + row%{self.pad_every}*{self.pad_halves} + col",
            "xor": f"{straight} + ((col/8 ^ {self._line}) * 8) + col%8",
        }[self.layout]

    @property
    def _line(self) -> str:
        lines = max(1, _LINE // self.cols)
        return f"{'row' if lines == 1 else f'row/{lines}'}%{self.turns}"

    @property
    def turns(self) -> int:
        """Chunks that change places with each other."""
        return min(8, self.cols // _CHUNK)

    def offset(self, row: int, col: int) -> int:
        """Return the offset of element (row, col) from the tile's start, in elements."""
        straight = row * self.cols
        if self.layout == "pad":
            return straight + row // self.pad_every * self.pad_halves + col
        if self.layout == "paper":
            return straight + row % self.pad_every * self.pad_halves + col
        if self.layout == "xor":
            line = row // max(1, _LINE // self.cols) % self.turns
            return straight + (col // _CHUNK ^ line) * _CHUNK + col % _CHUNK
        return straight + col

    @property
    def overlaps(self) -> int:
        """Elements that share their place with an earlier one: 0 for a layout that can be used."""
        return self.rows * self.cols - len(
            {self.offset(*place) for place in product(range(self.rows), range(self.cols))}
        )

    @property
    def shared_bytes(self) -> int:
        """Bytes that the tile takes, padding included."""
        groups = -(-self.rows // self.pad_every)
        padding = {"pad": groups, "paper": 1 if self.rows > 1 else 0}.get(self.layout, 0) * self.pad_halves
        return 2 * (self.rows * self.cols + padding)

    def access(
        self, places: Iterable[tuple[int, int]], *, width: int, store: bool = False, matrix: bool = False
    ) -> Access:
        """Return the access in which lane i touches `width` bits from the i-th (row, col) on.

        Raises:
            BadInputError: the access reaches outside the tile, or an address is not aligned to its width.

        """
        spots = tuple(places)
        for row, col in spots:
            if not (0 <= row < self.rows and col >= 0 and col + width // 16 <= self.cols):
                raise BadInputError(f"{width} bits at {row},{col} reach outside the {self.rows}x{self.cols} tile")
        addresses = tuple(2 * self.offset(*spot) for spot in spots)
        return Access(addresses=addresses, width=width, store=store, matrix=matrix)

    def store_rows(self, width: int = 128, *, row: int = 0) -> Access:
        """Return the STS by which a warp fills rows from `row` on, lane after lane, as global memory brought them."""
        each = width // 16
        in_row = max(1, self.cols // each)
        places = ((row + lane // in_row, lane % in_row * each) for lane in range(32))
        return self.access(places, width=width, store=True)

    def load_rows(self, width: int = 32, *, row: int = 0, col: int = 0) -> Access:
        """Return the LDS that reads eight elements of each row from (row, col) on, `width` bits a lane.

        Whatever the width, the lanes of a phase then read one 8x8 matrix; for 32 bits that is an MMA's register.
        """
        in_row = 128 // width
        places = ((row + lane // in_row, col + lane % in_row * (width // 16)) for lane in range(32))
        return self.access(places, width=width)

    def ldmatrix(self, count: int, *, row: int = 0, col: int = 0) -> Access:
        """Return the LDSM.x`count` that reads an MMA's A from (row, col) on: the matrices go down first, then right."""
        places = ((row + matrix % 2 * 8 + line, col + matrix // 2 * 8) for matrix in range(count) for line in range(8))
        return self.access(places, width=128, matrix=True)

    def named(self, pattern: str) -> Access:
        """Return one of the accesses above by name: sts.128, lds.32, ldsm.x4, ...

        Raises:
            BadInputError: no such pattern, or it reaches outside the tile.

        Example:
            >>> Tile(rows=256, cols=32).named("ldsm.x4").wavefronts
            16

        """
        if pattern not in PATTERNS:
            raise unknown("access pattern", pattern, PATTERNS)
        opcode, size = pattern.split(".")
        if opcode == "ldsm":
            return self.ldmatrix(int(size[1:]))
        return self.store_rows(int(size)) if opcode == "sts" else self.load_rows(int(size))

    def accesses(self) -> dict[str, Access | None]:
        """Return every such access by name; None where the tile is too small for it or its rows are not aligned."""
        found: dict[str, Access | None] = {}
        for pattern in PATTERNS:
            try:
                found[pattern] = self.named(pattern)
            except BadInputError:
                found[pattern] = None
        return found

    def headline(self) -> str:
        """Return the tile and its formula in one line."""
        return f"{self.rows}x{self.cols} tile of 16-bit elements at {self.formula}: {self.shared_bytes:,} bytes"

    def columns(self) -> Columns:
        """Return one row for each access that kernels make: pattern, ideal, wavefronts, excess."""
        names = ("ideal", "wavefronts", "excess")
        return by_column(
            [
                {"pattern": pattern} | {name: getattr(access, name) if access else None for name in names}
                for pattern, access in self.accesses().items()
            ]
        )

    def pictures(self) -> Sequence[str]:
        """Return the picture."""
        return (self.to_svg(),)

    def to_svg(self) -> str:
        """Draw the banks that the first rows lie in, as SVG."""
        from simtc.layout.tile_svg import to_svg  # noqa: PLC0415 - which draws what this module defines

        return to_svg(self)

    def to_json(self) -> dict[str, Any]:
        """Return the layout and the wavefronts of each access as JSON values; null for one that cannot be made."""
        return {
            "rows": self.rows,
            "cols": self.cols,
            "layout": self.layout,
            "formula": self.formula,
            "shared_bytes": self.shared_bytes,
            "overlaps": self.overlaps,
            "patterns": {
                name: access and {"ideal": access.ideal, "wavefronts": access.wavefronts, "excess": access.excess}
                for name, access in self.accesses().items()
            },
        }
