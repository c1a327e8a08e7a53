"""Bytes that a blocked GEMM moves from L2 and from DRAM, with the reuse between the blocks of a wave."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from simtc.analytic.quantization import Quantization

__all__ = ["WaveTraffic", "is_resident", "wave_traffic"]

_ELEMENT_BYTES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class WaveTraffic:
    """What one wave reads. Waves that do the same are counted once."""

    times: int
    blocks: int
    l2_bytes: int  # every block reads its own strips of A and B
    dram_bytes: float  # blocks of the wave share strips through L2


def is_resident(q: Quantization, *, depth: int, l2_bytes: int) -> bool:
    """Tell whether A and B, padded, fit L2 together: then each byte comes from DRAM once."""
    return _operand_bytes(q, depth) <= l2_bytes


def wave_traffic(q: Quantization, *, depth: int, l2_bytes: int) -> list[WaveTraffic]:
    """Return the traffic of the waves of a GEMM whose tiles each work through `depth` elements of k.

    Blocks are numbered along the rows of C, so that a wave is a run of them over some rows and columns. They walk
    through k in step: a strip of A or B that several of them need comes from DRAM once and stays in L2 until all have
    read it. Between waves nothing stays, unless A and B fit L2 together.

    Example:
        >>> q = Quantization(m=8192, n=8192, tile_m=256, tile_n=256, wave=40)
        >>> waves = wave_traffic(q, depth=8192, l2_bytes=4 << 20)
        >>> sum(one.times for one in waves) == q.waves, sum(one.times * one.blocks for one in waves) == q.tiles
        (True, True)
        >>> round(waves[0].l2_bytes / waves[0].dram_bytes, 1)  # 40 blocks of two strips over 2 rows and 32 columns
        2.4

    """
    full, rest = divmod(q.tiles, q.wave)
    once = q.columns if q.slices == 1 else q.rows * q.columns
    period = once // gcd(once, q.wave)  # waves after which one starts at the same column, or place of its grid, again
    runs = [(number, q.wave, -(-(full - number) // period)) for number in range(min(full, period))]
    runs += [(full, rest, 1)] if rest else []
    resident = is_resident(q, depth=depth, l2_bytes=l2_bytes)
    share = _operand_bytes(q, depth) / q.tiles
    return [
        WaveTraffic(
            times=times,
            blocks=blocks,
            l2_bytes=blocks * _ELEMENT_BYTES * depth * (q.tile_m + q.tile_n),
            dram_bytes=blocks * share if resident else _ELEMENT_BYTES * depth * _strips(q, number * q.wave, blocks),
        )
        for number, blocks, times in runs
    ]


def _strips(q: Quantization, first: int, blocks: int) -> int:
    """Return the rows of A and columns of B, in elements, that a run of blocks covers; each slice has its own."""
    down = (first % q.columns + blocks - 1) // q.columns + 1
    grid = q.rows * q.columns
    start, end = first % grid, first % grid + blocks
    if end <= grid:
        across = min(blocks, q.columns)
    else:
        across = min(grid - start, q.columns) + (end // grid - 1) * q.columns + min(end % grid, q.columns)
    return down * q.tile_m + across * q.tile_n


def _operand_bytes(q: Quantization, depth: int) -> int:
    return _ELEMENT_BYTES * depth * q.slices * (q.rows * q.tile_m + q.columns * q.tile_n)
