"""What the guide's items share: its board, its tiles, and what closed forms say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from simtc import arch
from simtc.analytic.chart import Chart, Mark, Series, stacked
from simtc.gemm.hgemm.closed_form import predict
from simtc.gemm.hgemm.configuration import Configuration
from simtc.reproduce.printed import printed
from simtc.results.comparison import Item
from simtc.results.prediction import Prediction

__all__ = ["BOARD", "TILE", "Made", "configured", "drawn", "predicted", "table_of"]

Made = tuple[list[Item], str | None]
BOARD = "a100_sxm"
_STAGES = 3
TILE = (256, 128)


def table_of(key: str) -> Any:
    """Return what the guide prints of an item."""
    return printed("nvidia")[key]


def configured(tile: tuple[int, int] = TILE) -> Configuration:
    """Return a tile with warps of 64x64, or of a quarter of it where that is less, and f32 accumulators."""
    warp = (min(64, tile[0] // 2), min(64, tile[1] // 2), 16)
    return Configuration(block=(*tile, 32), warp=warp, stages=_STAGES, accumulator="f32", arch="ampere")


def predicted(sizes: Iterable[tuple[int, int, int]], tile: tuple[int, int] = TILE) -> list[Prediction]:
    """Return what the closed form says of some problems, (m, n, k) each."""
    tiles, board = configured(tile), arch.device(BOARD)
    return [predict(tiles, board, m=m, n=n, k=k) for m, n, k in sizes]


def drawn(title: str, across: str, curves: Mapping[str, Series], marks: Sequence[Mark] = ()) -> str:
    """Draw curves as SVG, the board in the title: one chart below the other, each with the unit that its key names."""
    return stacked(
        *(
            Chart(
                title="" if place else f"{title}, {BOARD}, closed form", across=across, up=up, series=(one,),
                marks=tuple(marks),
            )
            for place, (up, one) in enumerate(curves.items())
        )
    )  # fmt: skip
