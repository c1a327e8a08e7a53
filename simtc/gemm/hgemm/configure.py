"""A configuration for a board, with what was not asked for filled in."""

from __future__ import annotations

from itertools import product
from typing import Any

from simtc.arch import Device
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.fits import objection, require_names
from simtc.gemm.hgemm.tiles import CHUNK, Shape, Tiles

__all__ = ["configure"]

_BLOCKS = ((256, 256), (256, 128), (128, 128), (128, 64), (64, 64))  # of more and less reuse; Yan et al. have the first
_WARPS = ((128, 64), (64, 64), (64, 32), (32, 32))
_BLOCK_K = 32


def configure(device: Device, block: Shape | None = None, warp: Shape | None = None, **choices: Any) -> Configuration:
    """Return a configuration; sizes that are not given are the largest that the generation has room for.

    Raises:
        BadInputError: what was asked for cannot be made or does not fit; names the nearest that does.

    Example:
        >>> from simtc import arch
        >>> for board in ("t4", "h200"):
        ...     one = configure(arch.device(board))
        ...     print(one.block, one.warp)
        (256, 256, 32) (128, 64, 8)
        (256, 128, 32) (64, 64, 16)
        >>> configure(arch.device("t4"), (512, 256, 32), (128, 64, 8))  # doctest: +NORMALIZE_WHITESPACE
        Traceback (most recent call last):
        simtc.errors.BadInputError: block 512,256,32, warp 128,64,8: its 512 threads take 114688 registers, and an SM
        has 65536; the nearest that fits: --block 256,256,32 --warp 128,64,8

    """
    name = device.sm.name
    k = max(CHUNK, Tiles(block=(1, 1, 1), warp=(1, 1, 1), arch=name).family.shape[2])
    blocks = [block] if block else [(*size, _BLOCK_K) for size in _BLOCKS]
    warps = [warp] if warp else [(*size, k) for size in _WARPS]
    asked = [{"block": one, "warp": other, "arch": name, **choices} for one, other in product(blocks, warps)]
    require_names(Tiles(**asked[0]))
    return Configuration(**next((one for one in asked if objection(Tiles(**one)) is None), asked[0]))
