"""What a chip's file says nothing of: mechanisms that are off."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from typing import Any, get_type_hints

from simtc.arch.constant import Constant
from simtc.arch.device import Device
from simtc.arch.generation import Sm

__all__ = ["unsaid"]

_OF_ITS_GENERATION = ("launch_cycles",)  # a board that is silent has its generation's launch.chip_cycles


def unsaid(chip: Device | Sm) -> tuple[str, ...]:
    """Return the paths of the constants that a chip's file may leave out, and does: their defaults turn them off.

    What units of the clock declare themselves is apart: `simtc.timing.declared` knows it.

    Example:
        >>> from simtc.arch import device
        >>> unsaid(device("gtx280"))[:4]
        ('tensor_fall_ns', 'l2_dirty_bytes', 'l2_fill_bytes', 'l2_turn_bytes')
        >>> unsaid(device("h200"))
        ()

    """
    found = [*_left_out(type(chip), "", chip.constants)]
    generation = chip.cycle_level if isinstance(chip, Device) else chip
    for name, hint in get_type_hints(Sm).items() if generation else ():
        if is_dataclass(hint):
            found += _left_out(hint, f"{name}.", chip.constants)
    return tuple(found)


def _left_out(section: Any, prefix: str, constants: Mapping[str, Constant]) -> Iterator[str]:
    for one in fields(section):
        path = f"{prefix}{one.name}"
        if one.default not in (MISSING, None) and path not in (*constants, *_OF_ITS_GENERATION):
            yield path
