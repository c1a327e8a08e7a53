"""The chip in motion: the state of all units, as arrays by name."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from simtc.bundle import Bundle
from simtc.jit import Array, Arrays
from simtc.timing.pipeline import CELLS, CLOCK
from simtc.timing.unit import Sizes

__all__ = ["Clock", "new_clock_of"]

_LINE = 64  # bytes: no two arrays share a line of the host's cache


class Clock:
    """The state of all units (see `pipeline.CELLS`): an attribute for each array.

    Example:
        >>> sizes = Sizes(sms=2, slots=1, warps=4, sub_cores=4, instructions=9, blocks=2, l1_lines=16, l2_lines=16)
        >>> clock = new_clock_of(sizes)
        >>> clock.warps["resident"].tolist(), clock.l1_tags.shape
        ([0, 0, 0, 0, 0, 0, 0, 0], (2, 16))

    """

    __slots__ = ("_arrays",)

    def __init__(self, arrays: Mapping[str, np.ndarray]) -> None:
        self._arrays = {**arrays, "chip_values": arrays["chip"].view(np.float64)}

    def __getattr__(self, name: str) -> Array:
        try:
            return self._arrays[name]
        except KeyError:
            raise AttributeError(f"no unit of the clock keeps {name}") from None

    def replaced(self, **arrays: np.ndarray) -> Clock:
        """Return a clock with other arrays of these names."""
        return Clock({**self._arrays, **arrays})

    @property
    def bundled(self) -> Arrays:
        """The arrays as compiled code takes them."""
        packed: Any = Bundle(CLOCK, self._arrays)
        return packed


def new_clock_of(sizes: Sizes) -> Clock:
    """Return state of these sizes, as it is before a launch.

    It lies in one piece of memory, for which the system takes large pages, and which costs time only where it is used.
    """
    shapes = {name: one.shape_of(sizes) for name, one in CELLS.items()}
    room = {name: -(-math.prod(shape) * CELLS[name].of.itemsize // _LINE) * _LINE for name, shape in shapes.items()}
    memory, begin, arrays = np.zeros(sum(room.values()), np.uint8), 0, {}
    for name, one in CELLS.items():
        arrays[name] = np.ndarray(shapes[name], one.of, memory, begin)
        begin += room[name]
        if one.fill:
            arrays[name].fill(one.fill)
    return Clock(arrays)
