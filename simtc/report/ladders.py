"""Published ladders beside simtc: one row a ladder, the pairs whose order is wrong, the figures furthest off."""

from __future__ import annotations

from collections.abc import Sequence

from simtc.layout.views import align
from simtc.validate.ladders import NEAR, Standing, total_order

__all__ = ["figure_rows", "ladder_rows", "ladders_text"]

_HEAD = ("ladder", "board", "figures", "order of pairs", "mean error", "level", "left of it")


def ladder_rows(standings: Sequence[Standing]) -> list[tuple[str, ...]]:
    """Return one row a ladder, the head first and the sum last; times only where the publication says enough."""
    rows: list[tuple[str, ...]] = [_HEAD]
    for one in standings:
        times = ("", "", "")
        if one.ladder.level and one.points:
            times = (f"{100 * one.error:.0f} %", f"{100 * one.level:+.0f} %", f"{100 * one.spread:.0f} %")
        rows.append((
            one.ladder.name, one.ladder.board, str(len(one.points)), f"{one.right} of {one.pairs}", *times,
        ))  # fmt: skip
    right, pairs = total_order(standings)
    return [*rows, ("all", "", str(sum(len(one.points) for one in standings)), f"{right} of {pairs}", "", "", "")]


def figure_rows(one: Standing) -> list[tuple[str, ...]]:
    """Return one row a figure: published and predicted microseconds, and the error."""
    rows: list[tuple[str, ...]] = [("figure", "published us", "simtc us", "error")]
    for point in one.points:
        name = point.case.removeprefix(f"{one.ladder.name}/")
        rows.append((name, f"{point.measured:,.1f}", f"{point.predicted:,.1f}", f"{100 * point.error:+.0f} %"))
    return rows


def ladders_text(standings: Sequence[Standing], *, figures: bool = False) -> str:
    """Return the report for a terminal; with `figures` every figure too."""
    right, pairs = total_order(standings)
    lines = [
        *align(ladder_rows(standings)),
        "",
        f"Order: {right} of {pairs} pairs of a group that differ by {100 * NEAR:.0f} % or more as published.",
    ]
    for one in standings:
        lines += [f"wrong order in {one.ladder.name}: {quick} before {slow} ({ratio:.2f} times as long)"
                  for quick, slow, ratio in one.wrong]  # fmt: skip
        lines += [f"refused in {one.ladder.name}: {name}: {why}" for name, why in one.refused]
    for one in standings if figures else ():
        lines += ["", one.ladder.name, *align(figure_rows(one))]
    return "\n".join(lines) + "\n"
