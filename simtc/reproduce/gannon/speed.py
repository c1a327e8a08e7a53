"""What the document measured on an Orin, and every type pair on every board."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache

from simtc import arch
from simtc.analytic.spans import Span, Spans
from simtc.errors import BadInputError
from simtc.gemm.registry import family
from simtc.gemm.wmma_gemm.pairs import PAIRS
from simtc.reproduce.printed import printed
from simtc.results.comparison import Item
from simtc.results.prediction import Prediction
from simtc.run.simulate import simulate

__all__ = ["boards_with", "pairs", "transpose"]

_Made = tuple[list[Item], str | None]
_SIZE = 10000  # the document's constants; its figures name none
_TABLE_SIZE = 4096


@cache
def _run(types: str, transpose: str, board: str, size: int = _SIZE) -> Prediction:
    return simulate("wmma_gemm", m=size, n=size, k=size, device=board, types=types, transpose=transpose)


def transpose() -> _Made:
    """Transposing B in s8, and tf32, on the document's board: no clock is said, so no error is bounded."""
    table = printed("gannon")["measured"]
    board = table["board"]
    unknown = "clock, power mode and size unknown"
    straight, turned, tf32 = (_run(*one, board) for one in (("s8", "nn"), ("s8", "nt"), ("tf32", "nn")))
    gain = straight.seconds / turned.seconds
    return [
        Item(
            name="s8, TRANSPOSE_B: times as fast", paper=table["s8_transpose_b_gain"], simtc=round(gain, 2),
            kind="simulation", note=f"{unknown}; nn: {straight.limit}; nt: {turned.limit}",
        ),
        Item(
            name="tf32, eTOPS", paper=table["tf32_etops"], simtc=round(tf32.tflops, 2), kind="simulation",
            note=f"{unknown}; at {tf32.clock_mhz} MHz: {tf32.limit}",
        ),
        Item(
            name="SGEMM of cuBLAS, TFLOPS", paper=table["sgemm_etops"],
            simtc=round(arch.device(board).scalar_peak_tflops("f32"), 2), kind="closed form",
            note="simtc: the peak of the f32 units; another type and other units than tf32's",
        ),
        *(
            Item(name=f"{name}, eTOPS", paper=None, simtc=round(one.tflops, 2), kind="simulation", note=one.limit)
            for name, one in (("s8 nn", straight), ("s8 nt", turned))
        ),
        Item(
            name="tf32, share of the peak", paper=None, simtc=round(tf32.peak_share, 3), kind="simulation",
            note=f"of {tf32.peak_tflops:.1f} TFLOPS",
        ),
    ], None  # fmt: skip


@cache
def boards_with(types: str) -> tuple[str, ...]:
    """Return the boards that a pair's kernels run on."""
    wmma, choices, found = family("wmma_gemm"), {"types": types}, []
    problem = wmma.problem({"m": 64, "n": 64, "k": 64}, choices)
    for name in arch.device_names():
        with suppress(BadInputError):
            wmma.configure(problem, arch.device(name), choices)
            found.append(name)
    return tuple(found)


def pairs(boards: Sequence[str] | None = None, size: int = _TABLE_SIZE) -> _Made:
    """Every type pair on every board: the peak, what this kernel reaches by the clock, and what limits it."""
    items: list[Item] = []
    spans: list[Span] = []
    names = list(boards or arch.device_names())
    for types in PAIRS:
        for board in (one for one in names if one in boards_with(types)):
            one = _run(types, "nn", board, size)
            peak = f"{100 * one.peak_share:.1f} % of {one.peak_tflops:.1f}"
            items.append(
                Item(name=f"{types} on {board}, TOPS", paper=None, simtc=round(one.tflops, 2), kind="simulation",
                     note=f"{peak}; {one.limit}")
            )  # fmt: skip
            spans.append(Span(row=board, kind=types, reached=one.tflops, limit=one.peak_tflops))
    picture = Spans(
        title=f"wmma_gemm at {size} cubed: reached by the clock, and the board's peak", across="TOPS",
        spans=tuple(sorted(spans, key=lambda one: names.index(one.row))),
    )  # fmt: skip
    return items, picture.to_svg()
