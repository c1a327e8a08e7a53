"""What the clock composes of the paper's measurements; V100's clock was compared with no chip: no error is bounded."""

from __future__ import annotations

from functools import cache
from typing import Any

from simtc.analytic.chart import Chart, Mark, Series
from simtc.arch import device
from simtc.gemm.hgemm_batched.closed_form import register_demand
from simtc.gemm.hgemm_batched.configuration import BatchedGemm
from simtc.gemm.hgemm_batched.shipped import by_warps
from simtc.reproduce.printed import printed
from simtc.results.comparison import Item
from simtc.results.prediction import Prediction
from simtc.run.simulate import Simulation, simulate

__all__ = ["figure7", "large", "planar", "tiny"]

_Made = tuple[list[Item], str | None]
_BOARD = "v100_pcie"
_RANK = (128, 128, 16)
_TINY_BATCH = 2000  # the paper has 10,000


@cache
def _run(family: str, size: tuple[int, int, int], batch: int, **choices: Any) -> Prediction:
    m, n, k = size
    return simulate(family, m=m, n=n, k=k, batch=(batch,), device=_BOARD, caches="warm", **choices)


def figure7() -> _Made:
    """Square 64 with tiles of 64 and one to 32 warps: how many do best."""
    table = printed("magma2020")["fig7"]
    found: dict[int, Prediction] = {}
    for warps in table["warps"]:
        made = BatchedGemm(tiling=by_warps(warps), sm=70)
        problem = made.problem({"m": 64, "n": 64, "k": 64, "batch": (500,)})
        found[warps] = Simulation(configuration=made, problem=problem, device=device(_BOARD), caches="warm").predict()
    items = [
        Item(name=f"{warps} warps, TFLOP/s", paper=None, simtc=round(one.tflops, 2), kind="simulation",
             note=f"{one.limit}; {register_demand(BatchedGemm(tiling=by_warps(warps), sm=70))} registers for tiles")
        for warps, one in found.items()
    ]  # fmt: skip
    rates = {warps: one.tflops for warps, one in found.items()}
    best = max(rates, key=lambda warps: rates[warps])
    idle = by_warps(32).idle_warps
    items += [
        Item(name="the slowest has warps", paper=1, simtc=min(rates, key=lambda w: rates[w]), kind="simulation"),
        Item(name="32 warps are below the best", paper=True, simtc=best != 32, kind="simulation"),
        Item(name="idle warps of 32", paper=table["idle_of_32"], simtc=idle, kind="exact"),
    ]
    series = (Series(name=f"DIM_X = 32, {_BOARD}", points=tuple((float(w), rate) for w, rate in rates.items())),)
    title = "Square 64, batches of 500"
    return items, Chart(title=title, across="warps", up="TFLOP/s", series=series, log=(True, False)).to_svg()


def large() -> _Made:
    """Square 2,000 in batches of 100."""
    one = _run("hgemm_batched", (2000, 2000, 2000), 100)
    return [
        Item(name="2,000 cubed, TFLOP/s", paper=printed("magma2020")["large"]["magma_tflops"],
             simtc=round(one.tflops, 2), kind="simulation", note=f"version {one.config['version']}; {one.limit}"),
    ], None  # fmt: skip


def planar() -> _Made:
    """A half-complex update of rank 16: interleaved, and as four real products."""
    whole = _run("hcgemm_batched", _RANK, 1000, version=4019)
    part = _run("hgemm_batched", _RANK, 1000, version=4019, beta=1.0)
    ratio = 4 * part.seconds / whole.seconds
    return [
        Item(name="interleaved over planar, times", paper=printed("magma2020")["fig9"]["interleaved_over_planar"],
             simtc=round(ratio, 2), kind="simulation",
             note=f"the paper's is the roofline's; {whole.limit}; each of the four: {part.limit}"),
    ], None  # fmt: skip


def tiny() -> _Made:
    """From which size on tensor cores beat a thread for each element."""
    items, crossing = [], 0
    rates: dict[str, list[tuple[float, float]]] = {"a thread for each element": [], "tensor cores": []}
    for size in range(2, 17, 2):
        small = _run("gemm_small", (size,) * 3, _TINY_BATCH)
        tensor = _run("hgemm_batched", (size,) * 3, _TINY_BATCH, version=4)
        items.append(
            Item(name=f"N = {size}: tensor cores over threads, times", paper=None,
                 simtc=round(small.seconds / tensor.seconds, 2), kind="simulation", note=small.limit)
        )  # fmt: skip
        for one, points in zip((small, tensor), rates.values(), strict=True):
            points.append((float(size), 1e3 * one.tflops))
        if not crossing and tensor.seconds < small.seconds:
            crossing = size
    paper = printed("magma2020")["tiny"]["crossing"]
    there = _run("hgemm_batched", (paper,) * 3, _TINY_BATCH, version=4)
    items.append(
        Item(name="first even N where tensor cores win", paper=paper, simtc=crossing or None, kind="simulation",
             note=f"about {paper}, the paper says; there the tensor cores' kernel is {there.limit}")
    )  # fmt: skip
    series = tuple(Series(name=name, points=tuple(points)) for name, points in rates.items())
    title = f"Square products of N, batches of {_TINY_BATCH:,}, {_BOARD}"
    marks = (Mark(name="the paper: tensor cores win from about", x=float(paper)),)
    return items, Chart(title=title, across="N", up="GFLOP/s", series=series, marks=marks).to_svg()
