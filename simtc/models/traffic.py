"""Bytes that a blocked GEMM moves from L2 and from DRAM, with the reuse between the blocks of a wave."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import gcd

from simtc.models.quantization import Quantization

__all__ = ["Traffic", "strips", "traffic"]

_ELEMENT_BYTES = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Traffic:
    """Bytes of a whole GEMM."""

    l2_read: int  # every block reads its own strips of A and B
    dram_read: int  # blocks of one wave share strips through L2
    dram_write: int  # C, once
    resident: bool  # A and B fit L2 together, so that each byte comes from DRAM once


def strips(q: Quantization) -> tuple[int, int]:
    """Return the strips of A and of B that the waves read in all, each strip once a wave.

    Blocks are numbered along the rows of C: a wave is a run of them, which reaches over some rows and columns.

    Example:
        >>> strips(Quantization(m=2048, n=2048, tile_m=256, tile_n=256, wave=16))  # four waves of 2 x 8 tiles
        (8, 32)

    """
    rows = columns = 0
    full, rest = divmod(q.tiles, q.wave)
    period = q.columns // gcd(q.columns, q.wave)  # waves after which one starts at the same column again
    starts = Counter(number * q.wave % q.columns for number in range(min(full, period)))
    waves = [(start, q.wave, (full - place + period - 1) // period) for place, start in enumerate(starts)]
    if rest:
        waves.append((full * q.wave % q.columns, rest, 1))
    for start, count, times in waves:
        rows += times * ((start + count - 1) // q.columns + 1)
        columns += times * min(count, q.columns)
    return rows, columns


def traffic(q: Quantization, *, depth: int, l2_bytes: int) -> Traffic:
    """Return the traffic of a GEMM whose tiles each work through `depth` elements of k.

    The blocks of a wave walk through k in step, so that a strip which several of them need comes from DRAM once and
    stays in L2 until all have read it. Between waves nothing stays, unless A and B fit L2 together.

    Example:
        >>> q = Quantization(m=8192, n=8192, tile_m=256, tile_n=256, wave=40)
        >>> one = traffic(q, depth=8192, l2_bytes=4 << 20)
        >>> round(one.l2_read / one.dram_read, 1)
        7.4

    """
    rows, columns = q.rows * q.tile_m, q.columns * q.tile_n
    once = _ELEMENT_BYTES * depth * q.slices * (rows + columns)
    resident = once <= l2_bytes
    of_a, of_b = strips(q)
    read = _ELEMENT_BYTES * depth * (of_a * q.tile_m + of_b * q.tile_n)
    return Traffic(
        l2_read=q.tiles * _ELEMENT_BYTES * depth * (q.tile_m + q.tile_n),
        dram_read=once if resident else read,
        dram_write=_ELEMENT_BYTES * q.m * q.n,
        resident=resident,
    )
