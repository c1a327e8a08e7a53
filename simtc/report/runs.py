"""Two runs side by side, as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simtc.layout.views import align
from simtc.run.compare import Pair, Runs

__all__ = ["runs_text"]

_SHOWN = 12  # instructions


def runs_text(found: Runs) -> str:
    """Return the comparison for a terminal."""
    lines = [f"first    {_head(found.first)}", f"second   {_head(found.second)}"]
    if "digest" in found.first and "digest" in found.second:
        lines.append("results  the same bits" if found.same else "results  they differ")
    for title, pairs in (
        ("totals", found.totals),
        ("if only one resource limited it (cycles)", found.resources),
        ("where the warps' cycles went", found.stalls),
    ):
        lines += _table(title, pairs)
    moved = sorted(found.instructions, key=lambda pair: -abs(pair.second - pair.first))
    kept = [pair for pair in moved if pair.first != pair.second]
    lines += _table("warp-cycles by instruction, those that changed most", kept[:_SHOWN])
    if len(kept) > _SHOWN:
        lines.append(f"  and {len(kept) - _SHOWN} more: --json has them all")
    return "\n".join(lines)


def _head(run: Mapping[str, Any]) -> str:
    size = " x ".join(str(run[x]) for x in "mnk") if all(x in run for x in "mnk") else ""
    grid, block = (" x ".join(map(str, run[key])) for key in ("grid", "block"))
    return f"{run['kernel']}{' ' + size if size else ''} on {run['device']}: grid {grid}, block {block}"


def _table(title: str, pairs: Sequence[Pair]) -> list[str]:
    if not pairs:
        return []
    rows = [("", "first", "second", "second - first", "")]
    rows += [(p.name, _value(p.first), _value(p.second), _value(p.second - p.first), _ratio(p)) for p in pairs]
    return ["", title, *(f"  {line}" for line in align(rows))]


def _value(value: float) -> str:
    if value != 0 and abs(value) < 10:
        return f"{value:.3g}"
    return f"{value:,.0f}"


def _ratio(pair: Pair) -> str:
    return "" if pair.ratio is None else f"x {pair.ratio:.3f}"
