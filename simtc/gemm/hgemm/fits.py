"""What a configuration must keep to, and the nearest that does where one does not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, fields
from itertools import product
from math import log2
from typing import Any

from simtc.analytic.occupancy import block_registers
from simtc.arch.generation import ALIASES, sm_names
from simtc.errors import BadInputError, unknown
from simtc.gemm.hgemm.pieces import copy_rows
from simtc.gemm.hgemm.registers import allocate
from simtc.gemm.hgemm.tiles import CHUNK, ELEMENT_BYTES, Shape, Tiles

__all__ = ["COPIES", "LAYOUTS", "LOADS", "TRANSPOSES", "TYPES", "Objection", "objection", "require", "require_names"]

LAYOUTS = ("none", "pad", "xor")
LOADS = ("lds", "ldsm")
COPIES = ("ldg", "ldgsts")
TYPES = ("f16", "bf16")
EPILOGUES = ("none", "alpha", "beta")
_LEAST_STEPS = 2
_THROUGH_REGISTERS = 2  # stages that LDG and STS serve
_MOST_STAGES = 5  # that are worth a search
_COSTLY = ("stages", "copy", "loads", "sts_interleave", "layout", "types", "accumulator")  # to change, among equals
TRANSPOSES = ("tn", "nn", "nt", "tt")


@dataclass(frozen=True, slots=True)
class Objection:
    """What stands against a configuration."""

    rule: str  # without numbers: the same for all that it prunes
    why: str  # of this configuration


def require(tiles: Tiles) -> None:
    """Refuse what cannot be made.

    Raises:
        BadInputError: says why, and names the nearest that can be made.

    """
    require_names(tiles)
    found = objection(tiles)
    if found is None:
        return
    near = _nearest(tiles)
    hint = f"; the nearest that fits: {near}" if near else ""
    raise BadInputError(f"block {_text(tiles.block)}, warp {_text(tiles.warp)}: {found.why}{hint}")


def require_names(tiles: Tiles) -> None:
    """Refuse names and numbers that mean nothing.

    Raises:
        BadInputError: says what is known.

    """
    checks: tuple[tuple[str, str, Iterable[str]], ...] = (
        ("layout", tiles.layout, LAYOUTS),
        ("accumulator", tiles.accumulator, ELEMENT_BYTES),
        ("epilogue", tiles.epilogue, EPILOGUES),
        ("transpose", tiles.transpose, TRANSPOSES),
        ("architecture", tiles.arch, (*ALIASES, *sm_names())),
        ("fragment load", tiles.loads or LOADS[0], LOADS),
        ("copy", tiles.copies_by, COPIES),
        ("types", tiles.types, TYPES),
    )
    for what, got, allowed in checks:
        if got not in allowed:
            raise unknown(what, got, allowed, then="simtc arch" if what == "architecture" else "")
    for name, sizes in (("block", tiles.block), ("warp", tiles.warp)):
        _require_sizes(name, sizes)
    if tiles.stages < 1:
        raise BadInputError(f"stages {tiles.stages}: shared memory holds at least one tile of A and B")
    if tiles.split_k < 1:
        raise BadInputError(f"split_k {tiles.split_k}: k is worked through in at least one slice")
    if tiles.sts_interleave is not None and tiles.sts_interleave < 0:
        raise BadInputError(
            f"sts_interleave {tiles.sts_interleave}: the HMMAs between two STS.128 cannot be fewer than 0"
        )


def _require_sizes(name: str, sizes: Sequence[int]) -> None:
    if len(sizes) != 3 or min(sizes) < 1:
        raise BadInputError(f"{name} {tuple(sizes)}: three sizes m, n and k, such as 256,256,32")


def objection(tiles: Tiles) -> Objection | None:
    """Return what stands against a configuration of known names, or None where it can be made."""
    return next(_objections(tiles), None)


def _objections(tiles: Tiles) -> Iterator[Objection]:
    """Yield what stands against a configuration; each test presumes that the earlier ones found nothing."""
    yield from _absent(tiles)
    unit, limits = tiles.instruction.shape, tiles.sm.limits
    k_unit = max(unit[2], CHUNK)
    if any(size % part for size, part in zip(tiles.block, tiles.warp, strict=True)):
        yield Objection("the warp tile divides the block tile", "the warp tile must divide the block tile")
    if any(size % part for size, part in zip(tiles.warp, (*unit[:2], k_unit), strict=True)):
        shape = f"{unit[0]}x{unit[1]}x{k_unit}, the shape of {tiles.instruction.opcode}"
        yield Objection(
            "the warp tile is a multiple of the instruction's shape", f"the warp tile must be a multiple of {shape}"
        )
    yield from _uneven(tiles)
    if tiles.k_steps < _LEAST_STEPS:
        two = "two warp tiles along k at least: one is multiplied while the next is loaded"
        yield Objection(f"a block holds {two}", f"the block must hold {two}")
    if tiles.threads > limits.block_threads:
        why = f"it takes {tiles.threads} threads, and a block has at most {limits.block_threads}"
        yield Objection("a block's threads", why)
    if tiles.shared_bytes > limits.block_shared_optin_bytes:
        stages = "one stage takes" if tiles.stages == 1 else f"{tiles.stages} stages take"
        padding = tiles.shared_bytes - tiles.stages * tiles.copy_bytes
        of_them = f" ({padding} of them padding)" if padding else ""
        most = f"{tiles.sm.name} gives a block {limits.block_shared_optin_bytes}"
        why = f"{stages} {tiles.shared_bytes} bytes of shared memory{of_them}, and {most}"
        yield Objection("a block's shared memory", why)
    used = allocate(tiles).total
    if used > limits.thread_registers:
        shares = ", ".join(f"{count} for {use}" for use, count in allocate(tiles).shares.items())
        why = f"it takes {used} registers a thread ({shares}), and a thread has {limits.thread_registers}"
        yield Objection("a thread's registers", why)
    warps = -(-tiles.threads // 32 // limits.warp_unit) * limits.warp_unit  # a launch counts whole rounds of sub-cores
    of_block = block_registers(limits, warps=warps, registers=used)
    if of_block > limits.registers:
        why = f"its {tiles.threads} threads take {of_block} registers, and an SM has {limits.registers}"
        yield Objection("an SM's registers", why)
    yield from _copies(tiles)


def _absent(tiles: Tiles) -> Iterator[Objection]:
    """Yield which instruction is asked for that the generation does not have."""
    rule = "an instruction of the generation"
    if tiles.fragment_loads == "ldsm" and tiles.sm_number < 75:
        yield Objection(rule, f"{tiles.sm.name} has no LDSM: its fragments come by lds")
    if tiles.types == "bf16" and tiles.sm_number < 80:
        yield Objection(
            rule, f"{tiles.sm.name} has no HMMA of bf16, which came with sm_80: --types f16 is what it takes"
        )
    if tiles.types == "bf16" and tiles.accumulator != "f32":
        yield Objection(rule, "products of bf16 are summed in f32: --accumulator f32")
    if tiles.asynchronous and "LDGSTS.128" not in tiles.sm.memory:
        what = "more than two stages need" if tiles.copy is None else "came with sm_80"
        yield Objection(rule, f"{tiles.sm.name} has no LDGSTS, which {what}")
    yield from _buffers(tiles)


def _buffers(tiles: Tiles) -> Iterator[Objection]:
    """Yield why tiles cannot be copied to so many buffers in the way that was asked for."""
    if tiles.asynchronous and tiles.stages == 1:
        yield Objection("ldgsts has two stages", "ldgsts writes a tile while another is read: two stages at least")
    if tiles.asynchronous and tiles.sts_interleave is not None:
        yield Objection("ldgsts has no STS to interleave", "ldgsts leaves no STS for sts_interleave to set apart")
    if not tiles.asynchronous and tiles.stages > _THROUGH_REGISTERS:
        why = "registers hold one tile on its way, so ldg serves two stages at most"
        yield Objection("ldg serves two stages", why)


def _uneven(tiles: Tiles) -> Iterator[Objection]:
    """Yield which layout a row of a tile in shared memory does not fit."""
    for name, which in (("A", 0), ("B", 1)):
        _, columns = tiles.extent(which)
        if tiles.layout == "xor" and columns & columns - 1:
            why = f"the xor layout takes rows of a power of two, and those of {name}'s tile have {columns} elements"
            yield Objection("the xor layout takes rows of a power of two", why)


def _copies(tiles: Tiles) -> Iterator[Objection]:
    """Yield what stands against filling the tiles run of rows by run of rows, each as the one before."""
    for which, tile in enumerate(tiles.tiles):
        rows = copy_rows(tiles, which)
        period = {"none": 1, "pad": tile.pad_every, "xor": 16 if which and tiles.deals else 8}[tiles.layout]
        if rows < 1 or (tiles.copies[which] > 1 and rows % period):
            why = (
                f"{tiles.threads} threads fill {rows} rows at a time, and the {tiles.layout} layout repeats only after"
            )
            yield Objection("the rows that the threads fill at a time are a period of the layout", f"{why} {period}")
    spread = (tiles.sts_interleave or 0) * (sum(tiles.copies) - 1)
    if spread and spread > tiles.sts_room:
        most = max(tiles.sts_room, 0) // (sum(tiles.copies) - 1)
        room = f"{sum(tiles.copies)} STS.128 have room for at most {most} HMMAs between two of them"
        yield Objection(
            "the HMMAs of a step have room for the interleaved STS.128", f"{room}, not {tiles.sts_interleave}"
        )


def _nearest(tiles: Tiles) -> str | None:
    """Search everything that could fit by its distance: a choice changed or a size doubled or halved each count one.

    Among equals the largest block wins, then the largest warp, then the least different from a square.
    """
    free: dict[str, list[Any]] = {
        "loads": [tiles.loads, *(("lds",) if tiles.loads == "ldsm" else ())],
        "sts_interleave": [tiles.sts_interleave, *((None,) if tiles.sts_interleave else ())],
        "layout": [tiles.layout, *{"pad": ("xor", "none"), "xor": ("pad",), "none": ()}[tiles.layout]],
        "stages": list(dict.fromkeys([tiles.stages, *range(min(tiles.stages, _MOST_STAGES), 0, -1)])),
        "copy": [tiles.copy, *(one for one in COPIES if tiles.copy not in (None, one))],
        "types": [tiles.types, *(("f16",) if tiles.types != "f16" else ())],
        "accumulator": [tiles.accumulator, *(("f32",) if tiles.types != "f16" and tiles.accumulator != "f32" else ())],
    }
    candidates = []
    for block, warp in _sizes(tiles):
        away = sum(abs(log2(new / old)) for new, old in zip((*block, *warp), (*tiles.block, *tiles.warp), strict=True))
        size = _size(block, warp)
        for values in product(*free.values()):
            choices = dict(zip(free, values, strict=True))
            changed = tuple(value != getattr(tiles, name) for name, value in choices.items())
            order = tuple(changed[list(free).index(name)] for name in _COSTLY)
            candidates.append(((away + sum(changed), away, order, size), choices | {"block": block, "warp": warp}))
    for _, choices in sorted(candidates, key=lambda one: one[0]):
        found = _changed(tiles, **choices)
        if objection(found) is None:
            if found.sts_interleave is None and tiles.sts_interleave is not None and not found.asynchronous:
                found = _changed(found, sts_interleave=found.interleave)
            return _named(found, tiles)
    return None


def _sizes(tiles: Tiles) -> Iterator[tuple[Shape, Shape]]:
    """Yield block and warp tiles that are multiples of what they must be, up to what could ever fit.

    Threes count where a size that was asked for is no power of two.
    """
    m, n, k = tiles.instruction.shape
    even = not any(size & size - 1 for size in (*tiles.block, *tiles.warp))
    few, many = ((1, 2, 4, 8), (1, 2, 4, 8, 16)) if even else ((1, 2, 3, 4, 6, 8), (1, 2, 3, 4, 6, 8, 12, 16))
    deep = (1, 2) if even else (1, 2, 3)
    for warp in product((m * i for i in few), (n * i for i in many), (max(k, CHUNK) * i for i in deep)):
        for along_m, along_n, along_k in product(few, few, (2, 4, 8)):
            yield (warp[0] * along_m, warp[1] * along_n, warp[2] * along_k), warp


def _size(block: Sequence[int], warp: Sequence[int]) -> tuple[int, ...]:
    """Order what is equally far: large before small, square before long, more rows before more columns."""
    return (
        -block[0] * block[1], -block[2], -warp[0] * warp[1],
        abs(block[0] - block[1]), -block[0], abs(warp[0] - warp[1]), -warp[0], warp[2],
    )  # fmt: skip


def _changed(tiles: Tiles, **changes: object) -> Tiles:
    """Replace choices, whatever comes of it."""
    values = {field.name: getattr(tiles, field.name) for field in fields(Tiles)}
    return Tiles(**values | changes)


def _named(found: Tiles, asked: Tiles) -> str:
    """Write the tile sizes, and what else differs from what was asked for."""
    kept = ["block", "warp", *(f.name for f in fields(Tiles) if f.name not in ("block", "warp"))]
    shown = [name for name in kept if name in kept[:2] or getattr(found, name) != getattr(asked, name)]
    left = [f", without --{name.replace('_', '-')}" for name in shown if getattr(found, name) is None]
    flags = {name: getattr(found, name) for name in shown if getattr(found, name) is not None}
    return " ".join(f"--{name.replace('_', '-')} {_text(value)}" for name, value in flags.items()) + "".join(left)


def _text(value: object) -> str:
    return ",".join(map(str, value)) if isinstance(value, tuple) else str(value)
