"""Quantization: a matrix is cut into whole tiles, and tiles run in whole waves."""

from __future__ import annotations

from dataclasses import dataclass

from simtc.errors import BadInputError

__all__ = ["Quantization"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantization:
    """How an m x n result fills tiles, and the tiles waves of `wave` blocks.

    Raises:
        BadInputError: a size below 1.

    Source: NVIDIA, Matrix Multiplication Background User's Guide, section 3.

    Example:
        >>> full = Quantization(m=2304, n=1536, tile_m=256, tile_n=128, wave=108)
        >>> more = Quantization(m=2304, n=1544, tile_m=256, tile_n=128, wave=108)
        >>> (full.tiles, full.waves, full.wave_waste), (more.tiles, more.waves, more.tail)
        ((108, 1, 0.0), (117, 2, 9))
        >>> Quantization(m=257, n=256, tile_m=128, tile_n=128, wave=108).tiles  # instead of 4
        6

    """

    m: int
    n: int
    tile_m: int
    tile_n: int
    wave: int  # blocks that run at once: SMs x blocks an SM
    slices: int = 1  # of k, or products of a batch: each is a grid of tiles of its own

    def __post_init__(self) -> None:
        for name in ("m", "n", "tile_m", "tile_n", "wave", "slices"):
            if getattr(self, name) < 1:
                raise BadInputError(f"{name} is {getattr(self, name)}: at least 1")

    @property
    def rows(self) -> int:
        """Tiles down a column of C."""
        return -(-self.m // self.tile_m)

    @property
    def columns(self) -> int:
        """Tiles along a row of C."""
        return -(-self.n // self.tile_n)

    @property
    def tiles(self) -> int:
        """Tiles in all; each does the work of a full one."""
        return self.rows * self.columns * self.slices

    @property
    def tile_waste(self) -> float:
        """Share of the executed operations that fall outside C."""
        return 1 - self.m * self.n / (self.rows * self.tile_m * self.columns * self.tile_n)

    @property
    def waves(self) -> int:
        """Waves, the last one perhaps not full."""
        return -(-self.tiles // self.wave)

    @property
    def tail(self) -> int:
        """Tiles of the last wave."""
        return self.tiles - (self.waves - 1) * self.wave

    @property
    def wave_waste(self) -> float:
        """Share of the places in all waves that stay empty."""
        return 1 - self.tiles / (self.waves * self.wave)
