"""The guide's tile and wave quantization: figures 6, 7 and 8."""

from __future__ import annotations

from simtc import arch
from simtc.analytic.chart import Mark, Series
from simtc.analytic.quantization import Quantization
from simtc.reproduce.nvidia.tiles import BOARD, TILE, Made, configured, drawn, predicted, table_of
from simtc.results.comparison import Item
from simtc.results.prediction import Prediction

__all__ = ["figure7", "figure8", "tile_quantization", "wave_quantization"]


def tile_quantization() -> Made:
    """Figure 6: one row more than two tiles."""
    table = table_of("tile_quantization")
    full, part = (
        Quantization(m=m, n=n, tile_m=table["tile"], tile_n=table["tile"], wave=1)
        for m, n in (table["full"], table["part"])
    )
    needed = 100 * (part.m * part.n / (full.m * full.n) - 1)
    items = [
        Item(name="tiles", paper=table["tiles"], simtc=[full.tiles, part.tiles], kind="exact"),
        Item(name="operations executed", paper=table["executed"], simtc=part.tiles / full.tiles, kind="exact"),
        Item(name="operations needed, % more", paper=table["needed_percent"], simtc=round(needed, 2), kind="exact"),
        Item(name="share of the work that is wasted", paper=None, simtc=part.tile_waste, kind="closed form"),
    ]
    return items, None


def wave_quantization() -> Made:
    """Figure 8's text: 108 tiles fill the chip, and one column of tiles more takes a second wave."""
    table = table_of("wave_quantization")
    board = arch.device(BOARD)
    room = configured().occupancy(board)
    wave = board.sm_count * room.blocks
    note = f"{room.blocks} block of 256x128 an SM, limited by {room.limit}"
    items = [Item(name="tiles of a wave", paper=table["sms"], simtc=wave, kind="exact", note=note)]
    grids = {n: Quantization(m=table["m"], n=n, tile_m=256, tile_n=128, wave=wave) for n in (1536, 1544)}
    for n, grid in grids.items():
        items.append(Item(name=f"tiles at N = {n}", paper=table["tiles"][str(n)], simtc=grid.tiles, kind="exact"))
    tail = grids[1544].tail
    items += [
        Item(name="tiles of the tail wave at N = 1544", paper=table["tail"], simtc=tail, kind="exact"),
        Item(
            name="SMs that the tail uses, %",
            paper=table["tail_percent"],
            simtc=round(100 * tail / wave, 2),
            kind="exact",
        ),
    ]
    short, long = predicted([(table["m"], n, table["k"]) for n in grids])
    items.append(
        Item(
            name="duration at N = 1544 over 1536", paper=table["duration_1544_over_1536"],
            simtc=long.cycles / short.cycles, kind="closed form", note='the guide: "roughly doubles"',
        )
    )  # fmt: skip
    jumps = _jumps(table["m"], wave, max(table["jumps_after"]))
    items.append(Item(name="N after which the duration jumps", paper=table["jumps_after"], simtc=jumps, kind="exact"))
    return items, figure8()[1]


def _jumps(m: int, wave: int, last: int) -> list[int]:
    """Return each N, in steps of 8, after which one wave more is needed."""
    sizes = range(8, last + 9, 8)
    waves = [Quantization(m=m, n=n, tile_m=TILE[0], tile_n=TILE[1], wave=wave).waves for n in sizes]
    return [n for n, before, after in zip(sizes, waves, waves[1:], strict=False) if after > before]


def figure7() -> Made:
    """Throughput, duration and tiles along N within and across the edge of a tile."""
    table = table_of("tile_curve")
    first, last = table["two_tiles_n"]
    sizes = range(table["one_tile_n"] - 64, last + 8, 8)
    found = dict(zip(sizes, predicted((table["m"], n, table["k"]) for n in sizes), strict=True))
    two = [found[n] for n in range(first, last + 1, 8)]
    useful = 100 * (first - TILE[1]) / TILE[1]
    columns = sorted({-(-one.n // TILE[1]) for one in two})
    spread = max(one.seconds for one in two) / min(one.seconds for one in two) - 1
    items = [
        Item(name="useful share of tile two at N = 136, %", paper=table["useful_percent"], simtc=useful, kind="exact"),
        Item(name="tiles along N from 136 to 256", paper=[2], simtc=columns, kind="exact"),
        Item(
            name="duration constant from N = 136 to 256 (3 %)", paper=True, simtc=spread < 0.03, kind="closed form",
            note=f"{100 * spread:.1f} % more at 256: more of C is written",
        ),
        Item(
            name="throughput falls from N = 128 to 136", paper=True, kind="closed form",
            simtc=found[first].tflops < found[table["one_tile_n"]].tflops,
        ),
    ]  # fmt: skip
    edge = Mark(name="the guide: one tile ends", x=table["one_tile_n"])
    return items, _quantized(f"M = {table['m']}, K = {table['k']}", found, [edge])


def figure8() -> Made:
    """Throughput, duration and tiles along N across waves."""
    table = table_of("wave_quantization")
    sizes = range(1024, 6657, 64)
    found = dict(zip(sizes, predicted((table["m"], n, table["k"]) for n in sizes), strict=True))
    best = sorted(sorted(found, key=lambda n: found[n].tflops)[-3:])
    items = [
        Item(
            name="N of the highest throughput", paper=None, simtc=best, kind="closed form",
            note="multiples of 108 tiles, as the guide has it",
        )
    ]  # fmt: skip
    jumps = [Mark(name="the guide: the duration jumps", x=n) for n in table["jumps_after"]]
    return items, _quantized(f"M = {table['m']}, K = {table['k']}", found, jumps)


def _quantized(title: str, found: dict[int, Prediction], marks: list[Mark]) -> str:
    """Draw throughput, duration and tiles over the same N, each with its own scale."""
    throughput = Series(name="throughput", points=tuple((float(n), one.tflops) for n, one in found.items()))
    duration = Series(name="duration", points=tuple((float(n), one.seconds * 1e6) for n, one in found.items()))
    tiles = Series(name="tiles", points=tuple((float(n), float(one.blocks)) for n, one in found.items()), step=True)
    return drawn(title, "N", {"TFLOPS": throughput, "us": duration, "tiles": tiles}, marks)
