"""How a kernel's knobs are drawn at random from its name."""

from __future__ import annotations

import hashlib
import random
from dataclasses import replace
from functools import cache

from simtc.numerics import Instruction, instructions
from simtc.validate.corpus.knobs import Epilogue, Knobs, Tile, registers

__all__ = ["EXAM_SEED", "SEED", "draw", "half_of", "names"]

SEED = "corpus-1"  # of the names' halves, and of what the development half draws
EXAM_SEED = "corpus-43"  # of what the exam half draws: another one after each change that follows a look
COUNT = 640
_L1, _L2, _MEMORY = 64 << 10, 12 << 20, 90 << 20  # what the tiles that differ span
_SHARED = 200 << 10
_KINDS = {"tensor": 35, "copy": 20, "simt": 18, "attention": 11, "direct": 9, "stream": 7}
_MIX = ("ffma", "hfma2", "imad", "mufu", "shfl", "lop")
# Matrix instructions by the type of A and B, and how often each type is drawn.
_TYPES = {"f16": 8, "bf16": 4, "tf32": 3, "f64": 2, "s8": 3, "u8": 1, "e4m3": 1, "e5m2": 1, "s4": 1, "b1": 1}


def names() -> list[str]:
    """Return the names of the corpus.

    Example:
        >>> len(names()), names()[0]
        (640, 'loop_000')

    """
    return [f"loop_{number:03d}" for number in range(COUNT)]


def half_of(name: str) -> str:
    """Return "development" or "exam", by a hash of the name.

    Example:
        >>> half_of("loop_000"), sum(half_of(name) == "exam" for name in names())
        ('development', 300)

    """
    return ("development", "exam")[hashlib.sha256(f"{SEED} half {name}".encode()).digest()[0] & 1]


@cache
def draw(name: str, exam_seed: str = EXAM_SEED) -> Knobs:
    """Draw a kernel's knobs from its name, and where it is one of the exam half from that half's seed too.

    Example:
        >>> half_of("loop_017"), draw("loop_017") == draw("loop_017"), draw("loop_017") == draw("loop_017", SEED)
        ('exam', True, False)

    """
    seed = exam_seed if half_of(name) == "exam" else SEED
    chance = random.Random(f"{seed} {name}")  # noqa: S311 - the same kernel everywhere, no secret
    kind = chance.choices(list(_KINDS), list(_KINDS.values()))[0]
    group, groups = _warps(chance, kind)
    form = _form(chance, kind)
    stages = chance.randint(1, 5)
    tiles = _tiles(chance, kind, group)
    mix = _mix(chance, kind)
    accumulators = chance.choice((1, 2, 4, 8, 16)) if form else 0
    knobs = Knobs(
        name=name, kind=kind, group=group, groups=groups, blocks=1, iterations=2, stages=stages,
        unroll=chance.choice((1, 1, 1, 2, 4)), idle_shared=chance.choice((0, 0, 0, 0, 8, 24, 48, 100)) << 10,
        tiles=tiles, mma=form, mmas=accumulators * chance.choice((1, 1, 2, 4)) if form else 0,
        accumulators=accumulators, mix=mix, chains=chance.choice((1, 2, 4, 8)),
        guard=chance.choice(("none", "none", "predicate", "diverge", "loop", "warp")) if mix else "none",
        called=chance.choice(("none",) * 12 + ("div", "mod64", "ddiv", "noinline")) if mix else "none",
        atomics=chance.choice(("none",) * 12 + ("shared", "global", "global_return")),
        spread=chance.choice((1, 8, 32, 256, 1024)), epilogue=_epilogue(chance),
    )  # fmt: skip
    return _sized(chance, _lean(knobs))


def _warps(chance: random.Random, kind: str) -> tuple[int, int]:
    """Return the warps of a group, and the groups of a block."""
    if kind == "direct" and chance.random() < 0.6:
        return 1, 1
    group = chance.choice((1, 1, 2, 4, 4, 8, 8, 16, 32 if kind != "attention" else 8))
    if group == 32:
        return 32, 1
    groups = chance.choice((1, 1, 1, 1, 2, 3, 4, 6))
    return group, max(1, min(groups, (16 if kind == "attention" else 32) // group, 14))


def _form(chance: random.Random, kind: str) -> str:
    """Return a matrix instruction."""
    if kind == "attention":
        return "m16n8k16.f32.f16.f16.f32"
    if kind not in ("tensor", "direct"):
        return ""
    element = chance.choices(list(_TYPES), list(_TYPES.values()))[0]
    able = [x.name for x in instructions("hopper").values() if _plain(x) and x.a == x.b == element]
    return chance.choice(sorted(able))


def _plain(found: Instruction) -> bool:
    """Tell whether it is an mma.sync that no other one stands for."""
    return not found.name.startswith(("w", "m8n8k4.f16")) and "satfinite" not in found.name


def _tiles(chance: random.Random, kind: str, group: int) -> tuple[Tile, ...]:
    if kind == "attention":
        one = _tile(chance, kind, group)
        one = replace(one, read="ldsm4", fragments=chance.choice((4, 8)))
        return one, replace(one, read="ldsmt4", fragments=chance.choice((4, 8)))
    count = {"tensor": chance.choice((1, 2, 2)), "simt": chance.choice((0, 1, 1)), "direct": chance.choice((1, 2))}
    return tuple(_tile(chance, kind, group) for _ in range(count.get(kind, 1)))


def _tile(chance: random.Random, kind: str, group: int) -> Tile:
    copy = "direct" if kind in ("direct", "stream") else chance.choice(("ldg", "ldgsts", "ldgsts"))
    width = chance.choice((4, 8, 16, 16, 16))
    cache = "ca" if width < 16 and copy == "ldgsts" else chance.choice(("ca", "cg") + (("nc",) * (copy != "ldgsts")))
    row = chance.choice((32, 64, 128, 256) if kind == "attention" else (16, 32, 64, 64, 128, 128, 256, 512))
    row = max(row, width)
    pieces = chance.choice((1, 2, 4, 8))
    while pieces * 32 * group * width < row:
        pieces *= 2
    layout = chance.choice(("plain", "padded", "xor") if row >= 32 else ("plain", "padded"))
    kinds = ("lds4", "lds8", "lds16") if copy == "direct" else (
        "lds4", "lds8", "lds16", "ldsm1", "ldsm2", "ldsm4", "ldsm4", "ldsmt2", "ldsmt4")  # fmt: skip
    return Tile(
        copy=copy, width=width, cache=cache, hint=chance.choice((0, 0, 64, 128, 256)), row=row,
        stride=row + chance.choice((0, 0, 16, 64, 128, row, 3 * row, 1024, 2048)),
        pitch=row + (chance.choice((16, 16, 32, 64)) if layout == "padded" else 0), xor=layout == "xor",
        along=chance.random() < 0.6, pieces=pieces, share=chance.choice((_L1, _L2, _L2, _MEMORY)),
        read=chance.choice(kinds), pattern=chance.choice(("fragment", "fragment", "linear", "column", "broadcast")),
        fragments=chance.choice((1, 2, 4, 8)) if kind != "copy" else chance.choice((0, 0, 1, 2, 4, 8)),
    )  # fmt: skip


def _mix(chance: random.Random, kind: str) -> tuple[str, ...]:
    length = {"simt": chance.choice((4, 8, 16, 32, 64)), "stream": chance.choice((0, 2, 8))}
    count = length.get(kind, chance.choice((0, 0, 0, 4, 16)))
    weights = [chance.random() ** 3 for _ in _MIX]  # few kinds dominate
    return tuple(chance.choices(_MIX, weights, k=count))


def _epilogue(chance: random.Random) -> Epilogue:
    piece = chance.choice((16, 32, 64, 128))
    return Epilogue(
        piece=piece, width=chance.choice((4, 8, 16)), gap=piece * chance.choice((1, 1, 2, 8)),
        stores=chance.choice((1, 1, 2, 4, 8)), reads=chance.random() < 0.3,
    )  # fmt: skip


def _lean(knobs: Knobs) -> Knobs:
    """Take away what a thread's registers and a block's shared memory cannot hold."""
    room = min(65536 // knobs.threads, 255) // 2 - 4
    while knobs.mma and knobs.kind != "attention" and _held(knobs) > room and knobs.accumulators > 1:
        most = knobs.accumulators // 2
        knobs = replace(knobs, accumulators=most, mmas=max(1, knobs.mmas // 2))
    while _held(knobs) > room and any(tile.fragments > 1 for tile in knobs.tiles) and knobs.kind != "attention":
        knobs = replace(knobs, tiles=tuple(replace(x, fragments=max(1, x.fragments // 2)) for x in knobs.tiles))
    if knobs.kind == "attention":
        knobs = replace(knobs, accumulators=0, mmas=0)
    while knobs.shared_bytes > _SHARED:
        if knobs.idle_shared:
            knobs = replace(knobs, idle_shared=0)
        elif knobs.stages > 1:
            knobs = replace(knobs, stages=knobs.stages - 1)
        elif any(_halves(x, knobs.group) for x in knobs.tiles):
            knobs = replace(
                knobs, tiles=tuple(replace(x, pieces=x.pieces // 2) if _halves(x, knobs.group) else x
                                   for x in knobs.tiles)
            )  # fmt: skip
        else:
            knobs = replace(knobs, groups=max(1, knobs.groups // 2))
    return knobs


def _halves(tile: Tile, group: int) -> bool:
    return tile.pieces > 1 and tile.pieces // 2 * 32 * group * tile.width >= tile.row


def _held(knobs: Knobs) -> int:
    """Return the registers of fragments, sums, and copies under way."""
    sums = knobs.accumulators * registers(knobs.mma, "c") if knobs.mma else 0
    under_way = sum(tile.pieces * tile.width // 4 for tile in knobs.tiles if tile.copy == "ldg")
    return sums + sum(tile.words for tile in knobs.tiles) + under_way


def _sized(chance: random.Random, knobs: Knobs) -> Knobs:
    """Choose blocks and iterations so that the launch can be executed, then how far its operands spread."""
    per = sum(4 * x.pieces * (x.copy != "direct") + 2 * x.fragments + x.words / 2 for x in knobs.tiles)
    per += (
        16 + 1.5 * len(knobs.mix) + 2 * knobs.mmas + 60 * (knobs.called != "none") + 120 * (knobs.kind == "attention")
    )
    budget = 10 ** chance.uniform(4.5, 6.45)
    blocks, iterations = round(10 ** chance.uniform(0, 3.6)), round(10 ** chance.uniform(0.5, 2.2))
    once = 60 + 20 * knobs.epilogue.stores
    least = 3 if chance.random() < 0.6 else iterations  # many blocks rather than many iterations
    blocks = max(1, min(blocks, round(budget / knobs.warps / (once + least * per))))
    iterations = max(2, min(iterations, round((budget / blocks / knobs.warps - once) / per)))
    knobs = replace(knobs, blocks=blocks, iterations=iterations)
    return replace(knobs, tiles=tuple(_spread(tile, knobs) for tile in knobs.tiles))


def _spread(tile: Tile, knobs: Knobs) -> Tile:
    """Make rows as long as the iterations along them, and as many tiles differ as the drawn size holds."""
    threads, most = 32 * knobs.group, tile.share
    if tile.along:
        whole = tile.row * knobs.iterations
        tile = replace(tile, stride=whole + tile.stride - tile.row)
    each = replace(tile, share=1).span(threads, knobs.iterations) - 512
    if each > _MEMORY:
        tile = replace(tile, along=False, stride=tile.row)
        each = replace(tile, share=1).span(threads, knobs.iterations) - 512
    return replace(tile, share=max(1, min(most // each, knobs.blocks * knobs.groups)))
