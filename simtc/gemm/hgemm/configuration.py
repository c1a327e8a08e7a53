"""Configuration: tile sizes and choices that a kernel can be made of."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.gemm.hgemm.fits import require
from simtc.gemm.hgemm.tiles import Tiles

__all__ = ["Configuration"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration(Tiles):
    """A GEMM kernel that fits its generation; the fields are those of Tiles.

    Raises:
        BadInputError: it does not fit; says why, and names the nearest that does.

    Example:
        >>> yan = Configuration(block=(256, 256, 32), warp=(128, 64, 8))
        >>> yan.threads, yan.shared_bytes, yan.interleave
        (256, 36864, 5)
        >>> Configuration(block=(256, 256, 64), warp=(128, 64, 8))  # doctest: +NORMALIZE_WHITESPACE
        Traceback (most recent call last):
        simtc.errors.BadInputError: block 256,256,64, warp 128,64,8: one stage takes 73728 bytes of shared memory
        (8192 of them padding), and sm_75 gives a block 65536; the nearest that fits: --block 256,256,32
        --warp 128,64,8

    """

    def __post_init__(self) -> None:
        require(self)
