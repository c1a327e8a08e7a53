"""Yan, Wang, Chu (IPDPS 2020): Figures 4 to 9, from generated kernels in the clock.

The paper prints these curves as pictures: the items hold what its text says of them. Its kernel is generated from its
tile sizes, padding and interleaving; cuBLAS 10.1 is represented by its tiles and its 32 KB of shared memory (Table
VII), with the xor layout, which takes no room. That is not cuBLAS' code. L2 is warm: each time is an average of ten.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from simtc import arch
from simtc.analytic.chart import Chart, Mark, Series, stacked
from simtc.gemm.hgemm.configuration import Configuration
from simtc.reproduce.printed import printed
from simtc.results.comparison import Item, Value
from simtc.results.prediction import Prediction
from simtc.run.simulate import Simulation

__all__ = ["figure4", "figure5", "figure6", "figure7", "figure8", "figure9"]

OURS = Configuration(block=(256, 256, 32), warp=(128, 64, 8))
CUBLAS = Configuration(block=(128, 128, 64), warp=(64, 64, 8), layout="xor")
_SIZES = (1024, 2048, 3072, 4096, 6144, 8192, 12288, 16384)
_LARGE = 8192
_SHAPES = ((2, 1, 1), (1, 2, 1), (1, 1, 2), (4, 1, 1), (1, 4, 1), (1, 1, 4))
_RECTANGULAR = (2048, 8192)
_Made = tuple[list[Item], str]
_Sizes = tuple[int, int, int]


def _print(key: str) -> Any:
    return printed("yan2020")[key]


@cache
def _run(tiles: Configuration, board: str, sizes: _Sizes) -> Prediction:
    problem = tiles.problem(dict(zip("mnk", sizes, strict=True)))
    return Simulation(configuration=tiles, problem=problem, device=arch.device(board), caches="warm").predict()


def _curve(tiles: Configuration, board: str, widths: Iterable[int] | None = None) -> list[Prediction]:
    return [_run(tiles, board, (w, w, w)) for w in (_SIZES if widths is None else widths)]


def _item(name: str, paper: Value, value: Value, note: str = "") -> Item:
    shown = round(value, 3) if isinstance(value, float) else value
    return Item(name=name, paper=paper, simtc=shown, kind="simulation", note=note)


def _why(one: Prediction) -> str:
    """Return the clock's own reason."""
    return f"at {one.m} x {one.n} x {one.k} and {one.clock_mhz} MHz: {one.limit}"


def _chart(title: str, curves: dict[str, Sequence[Prediction]], printed_tflops: dict[str, float]) -> Chart:
    series = tuple(
        Series(name=name, points=tuple((float(one.m), one.tflops) for one in curve)) for name, curve in curves.items()
    )
    marks = tuple(Mark(name=name, y=value) for name, value in printed_tflops.items())
    return Chart(title=f"{title}, clock", across="W", up="TFLOPS", series=series, marks=marks)


def _speedup(name: str, points: Sequence[tuple[int, float]], paper: dict[str, float], *, dots: bool = False) -> Chart:
    """Draw how many times as fast, and what the paper prints of it; it prints no coordinates."""
    series = Series(name=name, points=tuple((float(w), gain) for w, gain in points), dots=dots)
    marks = tuple(Mark(name=f"the paper's {what}", y=value) for what, value in paper.items())
    return Chart(title="", across="W", up="times as fast", series=(series,), marks=marks)


def _ratios(fast: Sequence[Prediction], slow: Sequence[Prediction]) -> list[float]:
    return [one.tflops / other.tflops for one, other in zip(fast, slow, strict=True)]


def _gain(
    title: str, slower: Configuration, names: tuple[str, str], paper: dict[str, float]
) -> tuple[list[Prediction], list[Prediction], str]:
    fast, slow = (_curve(tiles, "rtx2070") for tiles in (OURS, slower))
    above = _chart(f"{title}, W x W x W, rtx2070", {names[0]: fast, names[1]: slow}, {})
    gains = list(zip(_SIZES, _ratios(fast, slow), strict=True))
    return fast, slow, stacked(above, _speedup(f"{names[0]} over {names[1]}", gains, paper))


def figure4() -> _Made:
    """Interleaving: five HMMAs between two STS.128, or two."""
    table = _print("fig4")
    slower = replace(OURS, sts_interleave=2)
    five, two, svg = _gain("interleaving", slower, ("5 HMMA an STS.128", "2"), table)
    gains = _ratios(five, two)
    cause, more = _dearest(five[_SIZES.index(4096)], two[_SIZES.index(4096)])
    note = (
        f"with 2, at W = 4096, {cause} takes {more:.1f} % more of the warps' cycles; "
        "only the last of four steps of an iteration differs (sass_notes/errata.md)"
    )
    items = [
        _item("speedup of 5 over 2, average", table["average"], sum(gains) / len(gains), note),
        _item("speedup of 5 over 2, highest", table["highest"], max(gains), _why(two[gains.index(max(gains))])),
        _item("5 is never slower than 2", True, min(gains) >= 1, f"at its least {min(gains):.3f} times as fast"),
    ]
    return items, svg


def _dearest(fast: Prediction, slow: Prediction) -> tuple[str, float]:
    """Return the cause whose cycles grow most between two predictions, and by how much of all of them, in %."""
    whole = sum(fast.stalls.values())
    more = {cause: 100 * (slow.stalls[cause] - fast.stalls[cause]) / whole for cause in fast.stalls}
    cause = max(more, key=lambda one: more[one])
    return cause, more[cause]


def figure5() -> _Made:
    """Padding, or bank conflicts."""
    padded, plain, svg = _gain("padding", replace(OURS, layout="none"), ("padded", "not padded"), _print("fig5"))
    gains = _ratios(padded, plain)
    items = [
        _item("speedup of padding, average", _print("fig5")["speedup"], sum(gains) / len(gains), _why(plain[-1])),
        _item("padding is always faster", True, min(gains) > 1, f"from {min(gains):.2f} to {max(gains):.2f} times"),
    ]
    return items, svg


def _square(board: str, table: dict[str, Any]) -> _Made:
    ours, cublas = (_curve(tiles, board) for tiles in (OURS, CUBLAS))
    best, best_of_cublas = (max(curve, key=lambda one: one.tflops) for curve in (ours, cublas))
    large = [gain for gain, one in zip(_ratios(ours, cublas), ours, strict=True) if one.m >= _LARGE]
    items = [
        _item("256x256x32, highest TFLOPS", table["highest_tflops"], best.tflops, _why(best)),
        _item("256x256x32, share of the peak at its highest", table["peak_share"], best.peak_share),
        _item(
            "128x128x64, highest TFLOPS", table["cublas_highest_tflops"], best_of_cublas.tflops,
            f"the paper: cuBLAS 10.1; {_why(best_of_cublas)}",
        ),
        _item(
            f"256x256 is ahead of 128x128 from W = {_LARGE} on", True, min(large) > 1,
            f"{min(large):.2f} to {max(large):.2f} times as fast; {_why(cublas[-1])}",
        ),
        _item(
            "highest speedup of 256x256 over 128x128", table["highest_speedup"], max(_ratios(ours, cublas)),
            "the paper: over cuBLAS, whose order of blocks its authors think fails at such sizes",
        ),
    ]  # fmt: skip
    paper = {
        "the paper's highest, 256x256x32": table["highest_tflops"],
        "the paper's highest, cuBLAS 10.1": table["cublas_highest_tflops"],
    }
    above = _chart(f"W x W x W, {board}", {"256x256x32": ours, "128x128x64": cublas}, paper)
    gains = list(zip(_SIZES, _ratios(ours, cublas), strict=True))
    return items, stacked(
        above, _speedup("256x256x32 over 128x128x64", gains, {"highest over cuBLAS 10.1": table["highest_speedup"]})
    )


def figure6() -> _Made:
    """Square matrices on the RTX 2070."""
    return _square("rtx2070", _print("fig6"))


def figure7() -> _Made:
    """Square matrices on T4."""
    items, svg = _square("t4", _print("fig7"))
    t4, geforce = (_curve(OURS, board) for board in ("t4", "rtx2070"))
    shares = [max(one.peak_share for one in curve) for curve in (t4, geforce)]
    last, before = t4[-1], max(t4, key=lambda one: one.tflops)
    items += [
        _item(
            "T4's share of its peak is below the RTX 2070's", True, shares[0] < shares[1],
            f"{100 * shares[0]:.0f} % and {100 * shares[1]:.0f} % at their highest",
        ),
        _item(
            "its throughput falls at large sizes", True, last.tflops < 0.95 * before.tflops,
            f"from {before.tflops:.1f} at W = {before.m} to {last.tflops:.1f} at {last.m}; the paper: beyond 12800. "
            f"{_why(last)}",
        ),
    ]  # fmt: skip
    return items, svg


def _rectangular(board: str, table: dict[str, Any]) -> _Made:
    cases = [(shape, w) for shape in _SHAPES for w in _RECTANGULAR]
    problems = [(a * w, b * w, c * w) for (a, b, c), w in cases]
    ours, cublas = ([_run(tiles, board, sizes) for sizes in problems] for tiles in (OURS, CUBLAS))
    gains = _ratios(ours, cublas)
    items = [
        _item(
            f"{_name(shape)} TFLOPS of 256x256x32 at W = {w}", None, one.tflops,
            f"{gain:.2f} times as fast as 128x128x64; {one.limit}",
        )
        for (shape, w), one, gain in zip(cases, ours, gains, strict=True)
    ]  # fmt: skip
    large = [gain for gain, (_, w) in zip(gains, cases, strict=True) if w == _RECTANGULAR[-1]]
    best = gains.index(max(gains))
    items += [
        _item(
            "speedup of 256x256 over 128x128, average", table["average_speedup"], sum(gains) / len(gains),
            f"the paper: over cuBLAS 10.1, at W to 16384; here at W = {', '.join(map(str, _RECTANGULAR))}",
        ),
        _item("the same, highest", table["highest_speedup"], gains[best], _why(cublas[best])),
        _item(
            f"256x256 is ahead in every shape at W = {_RECTANGULAR[-1]}", True, min(large) > 1,
            f"{min(large):.2f} to {max(large):.2f} times as fast",
        ),
    ]  # fmt: skip
    series = tuple(
        Series(
            name=_name(shape),
            points=tuple((float(w), one.tflops) for (at, w), one in zip(cases, ours, strict=True) if at == shape),
        )
        for shape in _SHAPES
    )
    chart = Chart(title=f"rectangular matrices, 256x256x32, {board}, clock", across="W", up="TFLOPS", series=series)
    paper = {"average over cuBLAS 10.1": table["average_speedup"], "highest": table["highest_speedup"]}
    faster = [(w, gain) for (_, w), gain in zip(cases, gains, strict=True)]
    return items, stacked(chart, _speedup("256x256x32 over 128x128x64, each shape", faster, paper, dots=True))


def _name(shape: _Sizes) -> str:
    return " x ".join(f"{factor}W" if factor > 1 else "W" for factor in shape)


def figure8() -> _Made:
    """Rectangular matrices on the RTX 2070."""
    return _rectangular("rtx2070", _print("fig8"))


def figure9() -> _Made:
    """Rectangular matrices on T4."""
    return _rectangular("t4", _print("fig9"))
