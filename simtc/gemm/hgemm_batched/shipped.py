"""Which kernels have listings: MAGMA's selected versions, and some in every transposition, padded and complex."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from simtc.gemm.hgemm_batched.configuration import TRANSPOSES, BatchedGemm
from simtc.gemm.hgemm_batched.selection import selected_versions
from simtc.gemm.hgemm_batched.space import tiling_of
from simtc.gemm.hgemm_batched.tiling import Tiling

__all__ = ["COMPLEX_VERSIONS", "by_warps", "shipped"]

_TURNED = (4019,)  # versions in every transposition
COMPLEX_VERSIONS = (4, 4019)
_FIGURE_SM = 70  # of the paper's board
_VARIED = 4019  # with padding, and with f32 sums


def shipped(sm: int, planes: int) -> Iterator[BatchedGemm]:
    """Yield the kernels of a generation that have listings.

    Example:
        >>> len(list(shipped(90, 1))), len(list(shipped(90, 2)))
        (29, 5)

    """
    versions = COMPLEX_VERSIONS if planes == 2 else selected_versions()
    for version in versions:
        made = BatchedGemm(tiling=tiling_of(version), sm=sm, planes=planes)
        turned = version in _TURNED if planes == 1 else version == _VARIED
        yield from (replace(made, transpose=transpose) for transpose in (TRANSPOSES if turned else TRANSPOSES[:1]))
        if version == _VARIED and planes == 1:
            yield replace(made, layout="pad")
            yield replace(made, accumulator="f32")
    if sm == _FIGURE_SM and planes == 1:
        yield from (BatchedGemm(tiling=by_warps(warps), sm=sm) for warps in (1, 2, 4, 8, 16, 32))


def by_warps(warps: int) -> Tiling:
    """Return the configuration of the paper's figure 7 with so many warps.

    Example:
        >>> by_warps(32).name
        '32x32_64x64x64_m16n16k16'

    """
    return Tiling(block=(64, 64, 64), shape=(16, 16, 16), dim=(32, warps))
