"""The clock of GPCs that have no work: what the slower ones' cycles are by it."""

from __future__ import annotations

from simtc.arch import Device
from simtc.results import LaunchResult

__all__ = ["by_fastest_clock"]

_EACH = 2  # blocks of a GPC: 16 give work to each of an H200's 8 GPCs, 8 do not


def by_fastest_clock(run: LaunchResult, board: Device) -> float:
    """Return the cycles of a launch by the fastest clock of the chip, as gpc__cycles_elapsed.max counts them.

    Tensor instructions slow the clock of the GPCs that have work, and stop it for a moment when it falls
    (`tensor_fall_ns`), which is much of a launch as short as this one; what has no work keeps its own clock.

    Example:
        >>> from simtc.arch import device
        >>> from simtc.gemm.shipped import shipped
        >>> from simtc.run.solve import operands, solve
        >>> kernel, board, size = shipped("wmma_naive"), device("h200"), {"m": 16, "n": 16, "k": 16}
        >>> run = solve(kernel, board, operands(kernel, **size), **size, timing=True).launch
        >>> round(by_fastest_clock(run, board) / run.cycles, 2)
        1.28

    """
    x, y, z = run.grid
    if run.timing is None or x * y * z >= _EACH * board.gpcs:
        return float(run.cycles)
    return run.cycles * board.clock_mhz / run.timing.clock_mhz
