"""LU on such products: the share of the updates, and where the time goes by size."""

from __future__ import annotations

from simtc.analytic.chart import Chart, Series
from simtc.linalg import LuTime, Step, lu_flops, lu_time
from simtc.results.comparison import Item

__all__ = ["lu", "shares"]

_BOARD, _PANEL = "a100_sxm", 128
_SIZES = (512, 1024, 2048, 4096, 8192)


def shares(times: list[LuTime]) -> str:
    """Draw the share of the time that each kind of work takes, by size."""
    series = tuple(
        Series(name=name, points=tuple((one.n, 100 * one.parts[name] / sum(one.parts.values())) for one in times))
        for name in Step.__slots__
    )
    title = f"LU on {times[0].device}, panels of {times[0].nb}: where the time goes ({times[0].fidelity})"
    return Chart(title=title, across="n", up="share of the time, %", series=series, log=(True, False)).to_svg()


def lu() -> tuple[list[Item], str | None]:
    """The operations of the updates, and times by closed forms: the paper's LU has no numbers but 65 % over CULA."""
    flops = lu_flops(1024, 64)
    items = [
        Item(name="n = 1024, nb = 64: operations", paper=None, simtc=flops["all"], kind="closed form"),
        Item(name="n = 1024, nb = 64: of the updates", paper=None, simtc=flops["update"], kind="closed form",
             note=f"{100 * flops['update'] / flops['all']:.1f} %"),
    ]  # fmt: skip
    times = [lu_time(n, nb=_PANEL, device=_BOARD, fidelity="analytic") for n in _SIZES]
    for one in times:
        ahead = lu_time(one.n, nb=_PANEL, device=_BOARD, fidelity="analytic", look_ahead=True)
        most = max(one.parts, key=lambda name: one.parts[name])
        note = f"mostly {most}; with look-ahead {1e3 * ahead.seconds:.2f}; host and transfers are assumed"
        items.append(
            Item(name=f"n = {one.n} on {_BOARD}, not Fermi, ms", paper=None, simtc=round(1e3 * one.seconds, 2),
                 kind="closed form", note=note)
        )  # fmt: skip
    return items, shares(times)
