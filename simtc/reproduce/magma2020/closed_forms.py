"""What arithmetic and closed forms give: the space, the selection, traffic, rooflines, utilisation."""

from __future__ import annotations

from collections import Counter
from typing import Any

from simtc.analytic.chart import Chart, Mark, Series
from simtc.arch import device
from simtc.gemm.hgemm_batched.models import crossover, intensity, traffic_gain, utilisation
from simtc.gemm.hgemm_batched.selection import selected_versions
from simtc.gemm.hgemm_batched.space import tiling_of, versions
from simtc.gemm.hgemm_batched.tiling import SHAPES
from simtc.reproduce.printed import printed
from simtc.results.comparison import Item

__all__ = ["figure5", "figure8", "figure9", "figure17", "selection", "space"]

_Made = tuple[list[Item], str | None]
_BOARD = "v100_pcie"


def _print(key: str) -> Any:
    return printed("magma2020")[key]


def _words(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def space() -> _Made:
    """How many instances the released rules leave, by shape."""
    table = _print("space")
    found = Counter(_words(one.shape) for one in versions())
    return [
        Item(name="instances", paper=table["total"], simtc=found.total(), kind="exact"),
        *(Item(name=f"with {name}", paper=paper, simtc=found[name], kind="exact")
          for name, paper in table["by_shape"].items()),
    ], None  # fmt: skip


def selection() -> _Made:
    """The parameters of every version that MAGMA selects: simtc knows the order, not the table."""
    rows = _print("selection")
    items = [Item(name="selected versions", paper=len(rows), simtc=len(selected_versions()), kind="exact")]
    for version, paper in rows.items():
        one = tiling_of(int(version))
        parameters = [*one.dim, *one.block, *one.shape]
        items.append(Item(name=f"version {version}", paper=paper, simtc=parameters, kind="exact"))
    return items, None


def figure5() -> _Made:
    """Traffic of A and B against tiles of single instructions."""
    items, series, marks = [], [], []
    for shape in SHAPES[:2]:
        sizes = [size for size in range(16, 129, 16) if size % shape[0] == size % shape[1] == 0]
        gains = {size: traffic_gain((size, size), shape) for size in sizes}
        name = _words(shape[:2])
        paper = _print("fig5")[name]
        items += [
            Item(name=f"TC {name}, BLK {size}", paper=paper.get(str(size)), simtc=round(gain, 4),
                 kind="exact" if str(size) in paper else "closed form")
            for size, gain in gains.items()
        ]  # fmt: skip
        series.append(Series(name=f"TC {name}", points=tuple((float(size), gain) for size, gain in gains.items())))
        marks += [Mark(name=f"the paper, {name}", x=float(size), y=float(gain)) for size, gain in paper.items()]
    title = "Fewer bytes of A and B read, times"
    chart = Chart(title=title, across="BLK_M = BLK_N", up="times", series=tuple(series), marks=tuple(marks))
    return items, chart.to_svg()


def _peak() -> float:
    """Return the tensor cores' peak at the clock that the paper says."""
    table = _print("fig8")
    board = device(_BOARD)
    return board.tensor_peak_tflops("f16", "f16", clock_mhz=1e3 * table["clock_ghz"])


def figure8() -> _Made:
    """Where square half-complex products meet the roof: at the paper's clock, and at the peak that it takes."""
    table = _print("fig8")
    gb, own = table["bandwidth_gb_per_s"], _peak()
    items = [
        Item(name="peak, TFLOP/s", paper=table["peak_tflops"], simtc=round(own, 2), kind="closed form",
             note=f"{table['sms']} SMs at {table['clock_ghz']} GHz; 125 is the SXM2 board's"),
        Item(name="bandwidth, GB/s", paper=gb, simtc=device(_BOARD).dram_measured_gb_per_s, kind="input",
             note="the paper's is STREAM's, which writes as well; simtc's is of reads alone"),
    ]  # fmt: skip
    for planar, word, paper in (
        (False, "interleaved", table["interleaved_is_bound_by_compute_at"]),
        (True, "planar", table["planar_reaches_the_peak_beyond"]),
    ):
        items += [
            Item(name=f"{word} meets {peak:.4g} TFLOP/s at", paper=paper, kind="closed form",
                 simtc=round(crossover(peak, gb, planar=planar)), note="the paper's is read off, or a bound")
            for peak in (own, table["peak_tflops"])
        ]  # fmt: skip
    marks = (
        Mark(name="the paper: interleaved is bound by compute", x=float(table["interleaved_is_bound_by_compute_at"])),
        Mark(name="the paper: planar reaches the peak", x=float(table["planar_reaches_the_peak_beyond"])),
        Mark(name="the paper's peak", y=float(table["peak_tflops"])),
    )
    return items, _roofs("square", lambda n: (n, n, n), gb, own, 800, marks)


def figure9() -> _Made:
    """Updates of rank 16: what bandwidth leaves them, at most and at 128."""
    gb = _print("fig8")["bandwidth_gb_per_s"]
    items = []
    for planar, word in ((False, "interleaved"), (True, "planar")):
        for size, where in ((10**9, "at most"), (128, "at 128")):
            value = intensity((size, size, 16), planar=planar) * gb * 1e-3
            items.append(Item(name=f"{word} {where}, TFLOP/s", paper=None, simtc=round(value, 2), kind="closed form"))
    ratio = intensity((64, 64, 16), planar=False) / intensity((64, 64, 16), planar=True)
    paper = _print("fig9")["interleaved_over_planar"]
    items.append(Item(name="interleaved over planar, times", paper=paper, simtc=ratio, kind="exact"))
    return items, _roofs("rank 16", lambda n: (n, n, 16), gb, _peak(), 1000)


def _roofs(what: str, size: Any, gb: float, peak: float, last: int, marks: tuple[Mark, ...] = ()) -> str:
    series = tuple(
        Series(name=word, points=tuple(
            (float(n), min(peak, intensity(size(n), planar=planar) * gb * 1e-3)) for n in range(10, last + 1, 10)
        ))
        for planar, word in ((False, "interleaved"), (True, "planar"))
    )  # fmt: skip
    return Chart(title=f"HCGEMM, {what}: bound", across="N", up="TFLOP/s", series=series, marks=marks).to_svg()


def figure17() -> _Made:
    """The share of the tensor cores that square products of 1 to 16 can use, and where the FP16 units offer more."""
    table = _print("fig17")
    shares = {size: 100 * utilisation(size) for size in range(1, 17)}
    below = max(size for size, share in shares.items() if share < table["threshold_percent"])
    items = [
        Item(name=f"N = {size}, %", paper=None, simtc=round(share, 2), kind="closed form")
        for size, share in shares.items()
    ]
    items += [
        Item(name="operations of a product", paper=table["flops"], simtc=2 * 16**3, kind="exact"),
        Item(name="largest N below the threshold", paper=table["small_wins_up_to"], simtc=below, kind="exact"),
        Item(name="one product of 4 x 4 x 4, %", paper=table["four_percent_below"], simtc=100 * 2 * 4**3 / 8192,
             kind="closed form", note="the text says less than 1.5"),
    ]  # fmt: skip
    points = tuple((float(size), share) for size, share in shares.items())
    threshold = tuple((float(size), float(table["threshold_percent"])) for size in (1, 16))
    series = (Series(name="tensor cores", points=points), Series(name="FP16 units", points=threshold))
    marks = (Mark(name="the paper: a thread for each element wins up to", x=float(table["small_wins_up_to"])),)
    title = "Usable share of the tensor cores' peak"
    return items, Chart(title=title, across="N", up="%", series=series, marks=marks).to_svg()
