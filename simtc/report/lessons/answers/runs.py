"""The runs that several questions ask about: one block of a GEMM on a T4, with L2 warm."""

from __future__ import annotations

from functools import cache

from simtc import arch
from simtc.gemm.shipped import shipped
from simtc.results import LaunchResult
from simtc.run.solve import operands

__all__ = ["one_block"]

_BOARD = "t4"
_SIZE = 128  # rows and columns of the block


@cache
def one_block(name: str, depth: int) -> LaunchResult:
    """Return a timed launch of a shipped kernel over 128 x 128 x depth."""
    one, board = shipped(name), arch.device(_BOARD)
    args = one.arguments(operands(one, _SIZE, _SIZE, depth), _SIZE, _SIZE, depth, 1.0, 0.0)
    kernel = one.kernel(board)
    result: LaunchResult = kernel[one.grid(_SIZE, _SIZE), one.threads](*args, device=board, timing=True, caches="warm")
    return result
