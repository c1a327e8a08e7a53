"""What blocks take that leave at once, because the grid is larger than the matrices."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simtc.timing.request import Request
from simtc.timing.sampling.portion import Grid
from simtc.timing.simulate import time_launch

__all__ = ["cycles_of_leaving"]

_WAVES = 2, 6  # of such blocks alone on an SM: the difference is free of what a launch takes


def cycles_of_leaving(request: Request, grid: Grid) -> float:
    """Return the cycles for which blocks that leave at once keep places from others, on the whole chip."""
    if grid.working is None:
        return 0.0
    leaving = np.setdiff1d(np.arange(request.blocks), grid.working, assume_unique=True)
    alone = replace(request, progress=None, observe=None, slices=0)
    few, more = (
        time_launch(alone, order=np.resize(leaving, waves * grid.slots), sms=1).cycles for waves in _WAVES
    )  # fmt: skip
    each = (more - few) / (_WAVES[1] - _WAVES[0]) / grid.slots
    return len(leaving) * max(each / grid.sms, request.device.sm.launch.block_cycles)
