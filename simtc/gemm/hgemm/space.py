"""Every configuration that a sweep of the family walks: tile sizes, and the choices beside them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from itertools import product
from typing import Any

from simtc.arch import Device
from simtc.gemm.family import Refused
from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.fits import LAYOUTS, LOADS, Objection, objection, require_names
from simtc.gemm.hgemm.tiles import CHUNK, Shape, Tiles

__all__ = ["space"]

_SIDES = (256, 128, 64, 32)  # of a block along m and n
_DEPTHS = (32, 64, 16)  # of a block along k
_IDLE = Objection("a block has a warp for every sub-core, which closed forms take for granted", "it has fewer")
_WARPS = (1, 2, 4, 8, 3, 6)  # of a block along m and n; threes where they divide it
_MORE_STAGES = (3, 4, 5)  # which LDGSTS alone fills


def space(device: Device, choices: Mapping[str, Any]) -> Iterator[Configuration | Refused]:
    """Yield every configuration for a board, those of the family's own defaults first, and what constraints prune.

    Closed forms give many of them one time: they know no order of instructions. So all tile sizes come with one choice
    of layout, loads and stages before they come with the next, and the first of those that tie differ in their tiles.
    Of interleaving closed forms see nothing at all: it stays as chosen, and `neighbours` has others.

    Args:
        device: the board.
        choices: what all of them have.

    Raises:
        BadInputError: a name or a number that means nothing.

    Example:
        >>> from simtc import arch
        >>> every = list(space(arch.device("t4"), {"layout": "pad", "block": (256, 256, 32)}))
        >>> [one.warp for one in every if not isinstance(one, Refused)][:2]
        [(256, 32, 8), (128, 64, 8)]
        >>> sorted({one.rule for one in every if isinstance(one, Refused)})[:2]
        ["a block's shared memory", "a block's threads"]

    """
    first: dict[str, Any] = {"block": (256, 256, 32), "warp": (64, 64, 16), "arch": device.sm.name}
    require_names(Tiles(**first | dict(choices)))
    is_free = not {"block", "warp"} <= choices.keys()
    for made in _variants(Tiles(**first), choices):
        for block, warp in _sizes(Tiles(**first | made), choices):
            yield _one(is_free, Tiles(**made | {"arch": first["arch"], "block": block, "warp": warp}))


def _variants(any_tiles: Tiles, choices: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the choices beside tile sizes, the defaults first."""
    fixed = {name: value for name, value in choices.items() if name not in ("block", "warp")}
    loads = sorted(LOADS, key=lambda one: one != any_tiles.fragment_loads)
    layouts = sorted(LAYOUTS, key=("pad", "xor", "none").index)
    free = {
        # a generation without LDSM has no choice
        "loads": [{"loads": one} for one in loads] if "loads" not in fixed and any_tiles.sm_number >= 75 else [{}],
        "copies": _copies(any_tiles, fixed),
        "layout": [{"layout": one} for one in layouts] if "layout" not in fixed else [{}],
    }
    for values in product(*free.values()):
        yield fixed | {name: value for one in values for name, value in one.items()}


def _copies(any_tiles: Tiles, fixed: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the numbers of stages, and how each is filled; what is fixed alone, where it is none of them."""
    found: list[dict[str, Any]] = [{"stages": 1}, {"stages": 2}]
    if "LDGSTS.128" in any_tiles.sm.memory:
        found += [{"stages": 2, "copy": "ldgsts"}, *({"stages": stages} for stages in _MORE_STAGES)]
    asked = {name: fixed[name] for name in ("stages", "copy") if name in fixed}
    able = [one for one in found if all(_copied(any_tiles, one)[name] == value for name, value in asked.items())]
    return able or [{}]


def _copied(any_tiles: Tiles, choices: Mapping[str, Any]) -> dict[str, Any]:
    """Return the stages and the copy that choices come to."""
    made = Tiles(block=any_tiles.block, warp=any_tiles.warp, **choices)
    return {"stages": made.stages, "copy": made.copies_by}


def _sizes(any_tiles: Tiles, choices: Mapping[str, Any]) -> Iterator[tuple[Shape, Shape]]:
    """Yield the tiles of blocks, the large ones first, and of warps: whole instructions, and two steps along k."""
    m, n, depth = any_tiles.instruction.shape
    k = max(CHUNK, depth)
    blocks = [choices["block"]] if "block" in choices else product(_SIDES, _SIDES, _DEPTHS)
    for block in blocks:
        if "warp" in choices:
            yield block, choices["warp"]
            continue
        for along_m, along_n in product(_WARPS, _WARPS):
            warp = block[0] // along_m, block[1] // along_n, k
            if block[0] % along_m or block[1] % along_n:
                continue
            if warp[0] >= m and warp[1] >= n and (block[2] >= 2 * k or "block" in choices):
                yield block, warp


def _one(is_free: bool, tiles: Tiles) -> Configuration | Refused:  # noqa: FBT001 - a flag of its caller
    found = objection(tiles)
    if found is None and is_free and tiles.threads < 32 * tiles.sm.limits.sub_cores:
        found = _IDLE
    if found is not None:
        return Refused(name=_name(tiles), rule=found.rule)
    return Configuration(**{field.name: getattr(tiles, field.name) for field in fields(Tiles)})


def _name(tiles: Tiles) -> str:
    """Write the choices: a kernel that cannot be made has no name."""
    block, warp = ("x".join(map(str, sizes)) for sizes in (tiles.block, tiles.warp))
    return f"{block} {warp} {tiles.layout} {tiles.fragment_loads} {tiles.stages}buf {tiles.copies_by}"
