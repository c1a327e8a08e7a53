"""A bank map as text and as a picture: the wavefronts of an access, and the lanes that each bank serves in them."""

from __future__ import annotations

from collections.abc import Sequence

from simtc.layout.banks import BANKS, Access
from simtc.layout.draw import ALARM, EMPTY, FAINT, INK, ON, box, document, lane_color, text
from simtc.layout.tile import PATTERNS, Tile
from simtc.layout.views import align

__all__ = ["summary", "to_svg", "to_table", "to_text"]

_CELL, _LEFT, _TOP = 30, 160, 84


def summary(access: Access) -> str:
    """Return one line: the access, its wavefronts, the ideal and the excess.

    Example:
        >>> summary(Access(addresses=tuple(8 * lane for lane in range(32))))
        'LDS.32: 2 wavefronts, ideal 1, excess 1'

    """
    plural = "" if access.wavefronts == 1 else "s"
    return f"{access.name}: {access.wavefronts} wavefront{plural}, ideal {access.ideal}, excess {access.excess}"


def to_text(access: Access) -> str:
    """Return a picture in text: a line for every wavefront, a column for every bank, the lane served in the cell.

    A word that several lanes share shows the first of them with a plus sign.
    """
    lines = [summary(access), "bank" + " " * 14 + "".join(f"{bank:>4}" for bank in range(BANKS))]
    for number, phase in enumerate(access.phases):
        for turn, wavefront in enumerate(phase.wavefronts):
            served = {bank: _lanes(lanes) for bank, _, lanes in wavefront}
            head = f"phase {number}, wavefront {turn}"
            lines.append(f"{head:<18}" + "".join(f"{served.get(bank, '.'):>4}" for bank in range(BANKS)))
    for number, phase in enumerate(access.phases):
        together: dict[tuple[int, ...], list[str]] = {}
        for bank, lanes in phase.collisions:
            together.setdefault(lanes, []).append(str(bank))
        for lanes, banks in together.items():
            where = f"bank{'s' if len(banks) > 1 else ''} {', '.join(banks)}"
            lines.append(f"phase {number}: lanes {', '.join(map(str, lanes))} collide in {where}")
    return "\n".join(lines) + "\n"


def to_table(tiles: Sequence[Tile]) -> str:
    """Return the wavefronts (and the ideal) of every access a GEMM makes to a tile, a column for each layout of it."""
    rows = [["", *(tile.layout for tile in tiles)], ["offset", *(tile.formula for tile in tiles)]]
    rows.append(["bytes", *(str(tile.shared_bytes) for tile in tiles)])
    rows.append(["overlaps", *(str(tile.overlaps) for tile in tiles)])
    columns = [tile.accesses() for tile in tiles]
    for name in PATTERNS:
        cells = (column[name] for column in columns)
        rows.append([name, *(f"{cell.wavefronts} ({cell.ideal})" if cell else "-" for cell in cells)])
    head = f"{tiles[0].rows}x{tiles[0].cols} tile of 16-bit elements: wavefronts (ideal) of each access"
    return "\n".join([head, *align(rows), ""])


def to_svg(access: Access) -> str:
    """Draw the same picture; a cell has its lane's colour, as in the fragments."""
    rows = [
        (number, turn, wavefront)
        for number, phase in enumerate(access.phases)
        for turn, wavefront in enumerate(phase.wavefronts)
    ]
    note = "Each cell: the lane that a bank serves in a wavefront, with + where other lanes share its word."
    parts = [text(20, 28, summary(access), size=17, bold=True), text(20, 48, note, size=12, fill=FAINT)]
    parts.append(text(_LEFT - 10, _TOP - 8, "bank", size=12, fill=FAINT, anchor="end"))
    parts += [
        text(_LEFT + _CELL * (bank + 0.5), _TOP - 8, str(bank), size=12, fill=FAINT, anchor="middle")
        for bank in range(BANKS)
    ]
    for line, (number, turn, wavefront) in enumerate(rows):
        y = _TOP + _CELL * line
        # Every wavefront of a phase after its first is what a conflict costs.
        parts.append(text(20, y + 19, f"phase {number}, wavefront {turn}", size=12, fill=ALARM if turn else INK))
        parts.append(box(_LEFT, y, _CELL * BANKS, _CELL, fill=EMPTY))
        for bank, _, lanes in wavefront:
            x = _LEFT + _CELL * bank
            parts.append(box(x, y, _CELL, _CELL, fill=lane_color(lanes[0])))
            parts.append(text(x + _CELL / 2, y + 19, _lanes(lanes), size=12, fill=ON, anchor="middle"))
    return document(_LEFT + _CELL * BANKS + 20, _TOP + _CELL * len(rows) + 24, summary(access), parts)


def _lanes(lanes: tuple[int, ...]) -> str:
    return f"{lanes[0]}+" if len(lanes) > 1 else str(lanes[0])
