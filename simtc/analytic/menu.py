"""The menu of thread block tiles that cuBLAS offers, by efficiency."""

from __future__ import annotations

from simtc.analytic.intensity import blocking_intensity

__all__ = ["MENU", "by_efficiency"]

# Source: NVIDIA, Matrix Multiplication Background User's Guide, section 2.3.
MENU = ((256, 128), (128, 256), (128, 128), (256, 64), (64, 256), (128, 64), (64, 128), (64, 64))


def by_efficiency() -> list[tuple[float, tuple[tuple[int, int], ...]]]:
    """Group the menu by computation intensity in FLOP/byte of f16, the most efficient first.

    The guide lists its tiles from the most to the least efficient: that is the order of their data reuse.

    Example:
        >>> for intensity, tiles in by_efficiency():
        ...     print(f"{intensity:5.1f}", *("{}x{}".format(*tile) for tile in tiles))
         85.3 256x128 128x256
         64.0 128x128
         51.2 256x64 64x256
         42.7 128x64 64x128
         32.0 64x64

    """
    groups: dict[float, list[tuple[int, int]]] = {}
    for tile in MENU:
        groups.setdefault(blocking_intensity(*tile), []).append(tile)
    return [(intensity, tuple(tiles)) for intensity, tiles in sorted(groups.items(), reverse=True)]
