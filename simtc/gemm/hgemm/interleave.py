"""How far apart memory instructions must stand among HMMAs, and how long a load may take."""

from __future__ import annotations

import math

from simtc.gemm.hgemm.pipes import SUB_CORES
from simtc.gemm.hgemm.tiles import Shape

__all__ = ["hmmas_between", "load_hiding_cycles"]


def hmmas_between(cpi_memory: float, cpi_hmma: float) -> int:
    """Return the least number of HMMAs between two memory instructions of a warp.

    Every sub-core runs the same code, and all share one memory I/O pipe, so computing must not take less time than
    one instruction of each of them takes there.

    Source: Yan et al. 2020, equation 6.

    Example:
        >>> hmmas_between(10.0, 8.06), hmmas_between(2.11, 8.06)
        (5, 2)

    """
    return math.ceil(SUB_CORES * cpi_memory / cpi_hmma - 1e-9)


def load_hiding_cycles(warp: Shape, cpi_hmma: float, *, steps: float = 1.5) -> float:
    """Return the cycles of HMMA that one warp issues in `steps` steps of its tile: what can hide a global load.

    The paper prints (64 + 32) * 8 = 768 and does not derive it: 64 HMMA.1688 are one step of its 128x64x8 warp tile,
    so we read it as a step and a half.

    Source: Yan et al. 2020, section VI.B.

    Example:
        >>> load_hiding_cycles((128, 64, 8), 8)
        768.0

    """
    m, n, k = warp
    return steps * (m // 16) * (n // 8) * (k // 8) * cpi_hmma
