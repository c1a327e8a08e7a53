"""The neighbourhood of a configuration: whatever differs in one choice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.fits import COPIES, LAYOUTS, LOADS, objection
from simtc.gemm.hgemm.tiles import Tiles

__all__ = ["neighbours"]


def neighbours(tiles: Tiles) -> Iterator[tuple[str, Configuration | str]]:
    """Yield a size doubled or halved, another layout, load or number of stages: what is made of it, or why nothing is.

    Example:
        >>> yan = Configuration(block=(256, 256, 32), warp=(128, 64, 8))
        >>> [change for change, _ in neighbours(yan)][:3]
        ['--block 512,256,32', '--block 128,256,32', '--block 256,512,32']

    """
    for name in ("block", "warp"):
        sizes = getattr(tiles, name)
        for axis in range(3):
            for size in (2 * sizes[axis], sizes[axis] // 2):
                yield _changed(tiles, name, (*sizes[:axis], size, *sizes[axis + 1 :]))
    others: dict[str, list[Any]] = {
        "layout": [one for one in LAYOUTS if one != tiles.layout],
        "stages": [one for one in (tiles.stages - 1, tiles.stages + 1) if one > 0],
        "copy": [one for one in COPIES if one != tiles.copies_by],
        "loads": [one for one in LOADS if one != tiles.fragment_loads],
        "sts_interleave": [
            one for one in (tiles.interleave - 1, tiles.interleave + 1) if one >= 0 and not tiles.asynchronous
        ],
    }
    for name, values in others.items():
        for value in values:
            yield _changed(tiles, name, value)


def _changed(tiles: Tiles, name: str, value: Any) -> tuple[str, Configuration | str]:
    shown = ",".join(map(str, value)) if isinstance(value, tuple) else value
    choices = {field.name: getattr(tiles, field.name) for field in fields(Tiles)} | {name: value}
    found = objection(Tiles(**choices))
    return f"--{name.replace('_', '-')} {shown}", found.why if found else Configuration(**choices)
