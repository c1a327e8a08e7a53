"""NVIDIA's Matrix Multiplication Background User's Guide: its numbers, and its curves as closed forms draw them.

The guide measured an A100-SXM4-80GB; simtc has the 40 GB board, whose DRAM is slower. The guide prints no coordinates
of its curves, so the items hold what its text says of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

from simtc import arch
from simtc.analytic.chart import Chart, Series
from simtc.analytic.eligibility import eligibility
from simtc.analytic.intensity import arithmetic_intensity, is_math_bound, ridge_flops_per_byte
from simtc.analytic.menu import MENU
from simtc.gemm.hgemm.closed_form import predict
from simtc.gemm.hgemm.configuration import Configuration
from simtc.reproduce.nvidia.tiles import BOARD, Made, drawn, predicted, table_of
from simtc.results.comparison import Item
from simtc.results.prediction import Prediction

__all__ = [
    "figure2",
    "figure3",
    "figure4",
    "figure5",
    "intensity",
]

_SIZES = (256, 512, 1024, 1536, 2048, 3072, 4096, 6144, 8192)


def intensity() -> Made:
    """The guide's two GEMMs, GEMV, and the V100's own ratio."""
    table, v100 = table_of("intensity"), arch.device("v100_sxm2")
    items = []
    for key in ("memory_limited", "math_limited"):
        row = table[key]
        m, n, k, paper = row["m"], row["n"], row["k"], row["flops_per_byte"]
        value = arithmetic_intensity(m, n, k)
        shown = round(value, 1) if isinstance(paper, float) else int(value)
        items.append(
            Item(name=f"FLOPS/B of {m} x {n} x {k}", paper=paper, simtc=shown, kind="exact", note=f"{value:.3f}")
        )
        limit = "math" if is_math_bound(v100, m, n, k) else "memory"
        items.append(Item(name=f"limit of {m} x {n} x {k}", paper=key.split("_")[0], simtc=limit, kind="closed form"))
    below = all(arithmetic_intensity(m, 1, k) < 1 for m in (1, 8192) for k in (1, 8192))
    items.append(Item(name="GEMV stays below 1 FLOP/byte", paper=True, simtc=below, kind="exact"))
    rounded = round(table["v100_tensor_tflops"] * 1e3 / v100.dram_gb_per_s, 1)
    peak = v100.tensor_peak_tflops("f16", "f32")
    items += [
        Item(
            name="V100 FLOPS:B, from the data sheet's TFLOPS", paper=table["v100_flops_per_byte"], simtc=rounded,
            kind="rederived", note=f"{table['v100_tensor_tflops']} TFLOPS over {v100.dram_gb_per_s:g} GB/s",
        ),
        Item(
            name="V100 FLOPS:B, from SMs, rate and clock", paper=table["v100_flops_per_byte"],
            simtc=ridge_flops_per_byte(v100), kind="closed form", note=f"{peak:.1f} TFLOPS at {v100.clock_mhz} MHz",
        ),
    ]  # fmt: skip
    return items, None


def figure2() -> Made:
    """Who may use tensor cores for f16, by K's alignment and the library's version, on V100."""
    table, v100 = table_of("fig2"), arch.device("v100_sxm2")
    depths = range(1025, 1057)  # as many iterations each, so that alignment alone differs
    old, new = (
        [eligibility(2048, 2048, k, inputs="f16", device=v100, version=version) for k in depths]
        for version in ((10, 1), (11, 0))
    )
    eights = {one.tensor_cores for k, one in zip(depths, old, strict=True) if k % 8 == 0}
    others = {one.tensor_cores for k, one in zip(depths, old, strict=True) if k % 8}
    items = [
        Item(name="cuBLAS 10.1, K by eights", paper=[table["old_multiple_of_8"]], simtc=list(eights), kind="exact"),
        Item(name="cuBLAS 10.1, any other K", paper=[table["old_other"]], simtc=list(others), kind="exact"),
        Item(
            name="cuBLAS 11.0, any other K", paper=[table["new_other"]],
            simtc=list({one.tensor_cores for one in new}), kind="exact",
        ),
        Item(
            name="cuBLAS 11.0, widest load at K = 1025, 1026, 1028, 1032", paper=None,
            simtc=[new[depths.index(k)].access_bytes for k in (1025, 1026, 1028, 1032)],
            kind="closed form", note="why even K beat odd ones",
        ),
    ]  # fmt: skip
    tiles = Configuration(block=(128, 128, 32), warp=(64, 32, 8), accumulator="f32", arch="volta")
    found = [predict(tiles, v100, m=2048, n=2048, k=k) for k in depths]
    ordered = _mean(found, depths, 8) < _mean(found, depths, 2) < _mean(found, depths, 1)
    items.append(
        Item(
            name="durations: multiple of 8 < even < odd", paper=True, simtc=ordered, kind="closed form",
            note="the closed form knows the loads' width alone, which the tensor pipe hides here: it cannot show this",
        )
    )  # fmt: skip
    points = tuple((float(k), one.seconds * 1e6) for k, one in zip(depths, found, strict=True))
    chart = Chart(
        title="2048 x 2048 x K, v100_sxm2, closed form", across="K", up="us",
        series=(Series(name="f16, loads as wide as K's alignment lets them be", points=points),),
    )  # fmt: skip
    return items, chart.to_svg()


def _mean(found: list[Prediction], depths: Iterable[int], alignment: int) -> float:
    """Return the mean duration of those K whose alignment is 8, 2 (not 4 or 8) or 1."""
    chosen = [one.cycles for one, k in zip(found, depths, strict=True) if min(8, k & -k) == alignment]
    return sum(chosen) / len(chosen)


def figure3() -> Made:
    """Throughput and duration as M = N grow; the guide's K is not in its text, 4096 stands for it."""
    found = predicted((size, size, 4096) for size in _SIZES)
    slower = all(
        after.seconds / before.seconds < (after.m * after.n) / (before.m * before.n)
        for before, after in pairwise(found)
        if after.waves <= before.waves
    )
    items = _trend("M = N", found[0].tflops, found[-1].tflops)
    items.append(
        Item(name="within one wave, duration grows less than M x N", paper=True, simtc=slower, kind="closed form")
    )
    points = tuple((float(one.m), one.tflops) for one in found)
    return items, drawn("M = N, K = 4096", "M = N", {"TFLOPS": Series(name="256x128 tiles", points=points)})


def figure4() -> Made:
    """Throughput as K grows, over a large footprint (6912 x 2048, figure 5's)."""
    shape = table_of("fig5")
    found = predicted((shape["m"], shape["n"], size) for size in _SIZES)
    points = tuple((float(one.k), one.tflops) for one in found)
    svg = drawn("6912 x 2048 x K", "K", {"TFLOPS": Series(name="256x128 tiles", points=points)})
    return _trend("K", found[0].tflops, found[-1].tflops), svg


def _trend(name: str, first: float, last: float) -> list[Item]:
    note = f"from {first:.0f} to {last:.0f} TFLOPS between {_SIZES[0]} and {_SIZES[-1]}"
    return [
        Item(name=f"throughput rises with {name}", paper=True, simtc=last > first, kind="closed form", note=note),
    ]


def figure5() -> Made:
    """One GEMM over the menu of tiles."""
    shape = table_of("fig5")
    size = (shape["m"], shape["n"], shape["k"])
    found = {tile: predicted([size], tile)[0] for tile in MENU}
    largest, smallest = found[256, 128], found[64, 64]
    sms = arch.device(BOARD).sm_count
    items = [
        Item(
            name="parallelism of 64x64 over 256x128", paper=shape["parallelism_64_over_256x128"],
            simtc=smallest.blocks / largest.blocks, kind="exact",
        ),
        Item(
            name="tiles of 256x128 for each SM", paper=shape["tiles_per_sm_256x128"], simtc=largest.blocks / sms,
            kind="closed form", note=f"{largest.blocks} tiles on {sms} SMs: see sass_notes/errata.md",
        ),
        Item(
            name="larger tiles run more efficiently", paper=True, kind="closed form",
            simtc=largest.tflops > found[128, 128].tflops > smallest.tflops,
        ),
    ]  # fmt: skip
    items += [
        Item(
            name=f"TFLOPS of {tile[0]}x{tile[1]}", paper=None, simtc=one.tflops, kind="closed form",
            note=f"{one.waves} waves, limited by {one.bound}",
        )
        for tile, one in found.items()
    ]  # fmt: skip
    points = tuple(
        (float(tile[0] * tile[1]), one.tflops) for tile, one in sorted(found.items(), key=lambda x: x[0][0] * x[0][1])
    )
    tiles = Series(name="tiles of the menu", points=points, dots=True)
    return items, drawn("6912 x 2048 x 4096 by tile", "elements of a tile", {"TFLOPS": tiles})
