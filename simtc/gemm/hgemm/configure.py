"""A configuration for a board and a problem, with what was not asked for filled in."""

from __future__ import annotations

from itertools import product
from typing import Any

from simtc.arch import Device
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.fits import objection, require_names
from simtc.gemm.hgemm.tiles import CHUNK, Shape, Tiles
from simtc.gemm.problem import Problem

__all__ = ["configure"]

# Of more and less reuse; Yan et al. have the first.
_BLOCKS = ((256, 256), (256, 128), (128, 256), (128, 128), (128, 64), (64, 128), (64, 64), (64, 32), (32, 64), (32, 32))
_WARPS = ((128, 64), (64, 64), (64, 32), (32, 64), (32, 32), (32, 16), (16, 32), (16, 16))
_PARTS = (1, 2, 3, 4, 6, 8)  # warps along a side of a block, where its size is none of these
_BLOCK_K = 32
_DOUBT = 0.1  # of closed forms: among configurations so near the fastest the one with the most reuse wins


def configure(
    device: Device,
    block: Shape | None = None,
    warp: Shape | None = None,
    *,
    problem: Problem | None = None,
    **choices: Any,
) -> Configuration:
    """Return a configuration; sizes that are not given are those that closed forms find fastest for the problem.

    Small problems get small blocks: fewer operations outside C, and more SMs at work. Every sub-core gets a warp, which
    closed forms take for granted. With no problem named, it is one that fills the chip many times over.

    Raises:
        BadInputError: what was asked for cannot be made or does not fit; names the nearest that does.

    Example:
        >>> from simtc import arch
        >>> for board in ("t4", "h200"):
        ...     one = configure(arch.device(board))
        ...     print(one.block, one.warp)
        (256, 256, 32) (128, 64, 8)
        (256, 128, 32) (64, 64, 16)
        >>> configure(arch.device("v100_sxm2"), problem=Problem(m=100, n=100, k=100)).block
        (32, 32, 32)
        >>> configure(arch.device("t4"), (512, 256, 32), (128, 64, 8))  # doctest: +NORMALIZE_WHITESPACE
        Traceback (most recent call last):
        simtc.errors.BadInputError: block 512,256,32, warp 128,64,8: its 512 threads take 114688 registers, and an SM
        has 65536; the nearest that fits: --block 256,256,32 --warp 128,64,8

    """
    name = device.sm.name
    k = max(CHUNK, Tiles(block=(1, 1, 1), warp=(1, 1, 1), arch=name).instruction.shape[2])
    blocks = [block] if block else [(*size, _BLOCK_K) for size in _BLOCKS]
    warps = [warp] if warp else [(*size, k) for size in _WARPS]
    asked = [{"block": one, "warp": other, "arch": name, **choices} for one, other in product(blocks, warps)]
    require_names(Tiles(**asked[0]))
    able = _able(asked)
    if not able and bool(block) != bool(warp):  # of sizes that no list above goes with
        others = [{**asked[0], "block": one, "warp": other} for one, other in _whole(block, warp, k)]
        able = _able(others)
    busy = [one for one in able if one.threads >= 32 * device.limits.sub_cores] or able
    if problem is None or len(busy) < 2:
        return busy[0] if busy else Configuration(**asked[0])
    cycles = [one.closed_form(problem, device).cycles for one in busy]
    return next(one for one, taken in zip(busy, cycles, strict=True) if taken <= (1 + _DOUBT) * min(cycles))


def _able(asked: list[dict[str, Any]]) -> list[Configuration]:
    return [Configuration(**one) for one in asked if objection(Tiles(**one)) is None]


def _whole(block: Shape | None, warp: Shape | None, k: int) -> list[tuple[Shape, Shape]]:
    """Return the block with every warp tile that divides it, or whole multiples of the warp tile: the large ones first.

    Example:
        >>> [warp for _, warp in _whole((96, 128, 32), None, 8)][:3]
        [(96, 128, 8), (96, 64, 8), (48, 128, 8)]

    """
    parts = list(product(_PARTS, _PARTS))
    if warp:
        found = [((warp[0] * i, warp[1] * j, max(_BLOCK_K, 2 * warp[2])), warp) for i, j in reversed(parts)]
    else:
        m, n, depth = block or (0, 0, 0)
        found = [
            ((m, n, depth), (m // i, n // j, k))
            for i, j in sorted(parts, key=lambda one: one[0] * one[1])
            if m % i == n % j == 0
        ]
    return found
