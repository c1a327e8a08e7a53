"""The space of configurations: what the paper's words allow, what the released table leaves of it, and in which order.

The order is MAGMA's: by shape, tile, threads and DIM_X. A configuration's version number is its place, from 1, among
those that the released table has, which was made for boards with 96 KB of shared memory.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.gemm.hgemm_batched.tiling import SHAPES, Tiling

__all__ = ["broken_rule", "limit_bytes", "tiling_of", "tilings", "version_of", "versions"]

_LARGEST = 128  # of a tile's sides
_RELEASED_BYTES = 98304
_UNIT = 16  # of the released tiles
_THREADS = 256
_COLUMNS = (8, 16, 32, 64)  # DIM_X


@cache
def tilings() -> tuple[Tiling, ...]:
    """Return every configuration that the paper's words allow, whatever shared memory it needs.

    The instruction's shape divides the tile, DIM_X and DIM_Y divide each of its sides, and the threads are whole warps,
    at most 1,024 of them.

    Example:
        >>> len(tilings())
        14792

    """
    return tuple(
        Tiling(block=block, shape=shape, dim=dim) for shape in SHAPES for block in _tiles(shape) for dim in _dims(block)
    )


def _tiles(shape: tuple[int, int, int]) -> Iterator[tuple[int, int, int]]:
    m, n, k = (range(unit, _LARGEST + 1, unit) for unit in shape)
    return ((i, j, depth) for i in m for j in n for depth in k)


@cache
def _dims(block: tuple[int, int, int]) -> tuple[tuple[int, int], ...]:
    sides = [side for side in range(1, _LARGEST + 1) if not any(size % side for size in block)]
    pairs = [(x, y) for x in sides for y in sides if x * y <= 1024 and x * y % 32 == 0]
    return tuple(sorted(pairs, key=lambda dim: (dim[0] * dim[1], dim[0])))


def limit_bytes(device: Device) -> int:
    """Return the most shared memory that a block may have; of boards with 96 KB, as released, less than all of it."""
    limit = device.limits.block_shared_optin_bytes
    return limit - 1 if limit == _RELEASED_BYTES else limit


def broken_rule(one: Tiling, shared_bytes: int, limit: int) -> str | None:
    """Return the first rule that prunes a configuration, in words; None where it stays."""
    if any(size % _UNIT for size in one.block):
        return f"BLK_M, BLK_N and BLK_K are multiples of {_UNIT}"
    if one.threads > _THREADS:
        return f"DIM_X x DIM_Y is at most {_THREADS} threads"
    if one.dim[0] not in _COLUMNS:
        return f"DIM_X is {', '.join(map(str, _COLUMNS[:-1]))} or {_COLUMNS[-1]}"
    if shared_bytes > limit:
        return f"C, A and B side by side take at most {limit:,} bytes of shared memory"
    return None


@cache
def versions() -> tuple[Tiling, ...]:
    """Return the released configurations: version v is at v - 1.

    Example:
        >>> len(versions()), versions()[4019 - 1].name
        (8229, '16x4_32x32x32_m32n8k16')

    """
    return tuple(one for one in tilings() if broken_rule(one, one.shared_bytes(), _RELEASED_BYTES - 1) is None)


@cache
def _numbers() -> dict[Tiling, int]:
    return {one: number for number, one in enumerate(versions(), 1)}


def version_of(one: Tiling) -> int | None:
    """Return MAGMA's number of a configuration; None where the released table has none."""
    return _numbers().get(one)


def tiling_of(version: int) -> Tiling:
    """Return the configuration of a version number.

    Raises:
        BadInputError: there is no such version.

    """
    if not 1 <= version <= len(versions()):
        raise BadInputError(
            f"version {version}: 1 to {len(versions())}. Try: simtc simulate hgemm_batched --version 4019 ..."
        )
    return versions()[version - 1]
