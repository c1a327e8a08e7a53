"""What a board says before a fit: which constants may move, what they are, and in which steps."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from simtc.arch import Device, device, device_names
from simtc.arch.altered import altered
from simtc.errors import BadInputError

__all__ = ["MOVABLE", "begun_board", "movable", "shared", "step_of", "value_of"]

MOVABLE = ("fitted", "assumed")  # other statuses say that something better than a fit stands behind a value


def movable(board: Device, constant: str) -> bool:
    """Tell whether nothing better than a fit on this board stands behind a constant."""
    known = board.provenance(constant)
    elsewhere = shared(board, constant) and any(_names(other, known.citation) for other in _siblings(board))
    return known.status == "assumed" or (known.status in MOVABLE and (_names(board, known.citation) or not elsewhere))


def shared(board: Device, constant: str) -> bool:
    """Tell whether a constant is the generation's, and not the board's own."""
    return board.sm.constants.get(constant) is board.provenance(constant)


def _siblings(board: Device) -> list[Device]:
    """Return the other boards of the generation."""
    every = [device(name) for name in device_names() if name != board.name]
    return [other for other in every if other.sm_name == board.sm_name]


def _names(board: Device, citation: str) -> bool:
    """Tell whether evidence is of a board, such as an H200."""
    return re.search(rf"\b{re.escape(board.product.split()[0])}\b", citation) is not None


def begun_board(board: Device, constants: Sequence[str]) -> Device:
    """Turn on what the board takes for absent, as another board of the generation was measured to have it."""
    begun = board
    for constant in constants:
        others = [other for other in _siblings(board) if constant in other.constants]
        found = [other for other in others if other.provenance(constant).status != "assumed"]
        if not value_of(board, constant) and found:
            begun = altered(begun, constant, value_of(found[0], constant))
    return begun


def value_of(board: Device, constant: str) -> float:
    """Return a constant as the board has it now: the provenance keeps the file's."""
    parts = constant.split(".")
    held: object = board if parts[0] in Device.__dataclass_fields__ else board.sm
    while parts:
        if isinstance(held, Mapping):
            length = next(n for n in range(len(parts), 0, -1) if ".".join(parts[:n]) in held)
            held, parts = held[".".join(parts[:length])], parts[length:]
        else:
            held, parts = getattr(held, parts[0]), parts[1:]
    if not isinstance(held, (int, float)):
        raise BadInputError(f"{constant} is {held!r}: only single numbers can be fitted")
    return held


def step_of(board: Device, constant: str) -> float:
    """Return the finest step: of whole numbers 1, or a two-thousandth; else half a percent, as a person would write."""
    value = value_of(board, constant)
    if isinstance(value, int):
        return max(1, int(float(f"{abs(value) / 2000:.0e}")))
    return float(f"{max(abs(value), 1e-3) / 200:.0e}")
