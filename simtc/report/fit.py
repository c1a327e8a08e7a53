"""A fit as a table."""

from __future__ import annotations

from collections.abc import Sequence

from simtc.calibrate.fit import Fitted
from simtc.layout.views import align
from simtc.report.errors import percent

__all__ = ["fit_text"]


def fit_text(fitted: Sequence[Fitted]) -> str:
    """Return what the fit found: each constant, its range, and its cases' error before and after."""
    rows: list[tuple[str, ...]] = [("constant", "was", "status", "fits", "range", "error before", "after", "cases", "")]
    rows += [_row(one) for one in fitted]
    changed = sum(one.changes for one in fitted)
    undetermined = sum(not one.determined for one in fitted)
    verdict = f"{changed} of {len(fitted)} constants change"
    if undetermined:
        verdict += f"; {undetermined} are not determined by their cases and stay"
    return "\n".join([*align(rows), "", verdict])


def _row(one: Fitted) -> tuple[str, ...]:
    low = "..." if one.low is None else f"{one.low:g}"
    high = "..." if one.high is None else f"{one.high:g}"
    stays = "stays" if one.moves or one.keeps else f"stays: {one.status}, not fitted"
    outcome = "changes" if one.changes else "not determined" if not one.determined else stays
    before, after = (percent(x, signed=False) for x in (one.error_before, one.error_after))
    return (
        one.constant, f"{one.old:g}", one.status, f"{one.value:g}", f"{low} to {high}", before, after,
        str(len(one.cases)), outcome,
    )  # fmt: skip
