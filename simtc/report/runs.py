"""Two runs side by side, as text and as a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from simtc.layout.views import align
from simtc.report.cards import card
from simtc.report.template import Cell, Row, Table, rendered, share_cell
from simtc.run.compare import LinePair, Pair, Runs

__all__ = ["runs_html", "runs_text"]

_SHOWN = 12  # lines, and instructions
_WIDTH = 60  # characters of a line of the source
_NAMED = 0.01  # of a run's warp-cycles: a line's cause of less is not explained
_LINES_TITLE = "warp-cycles by source line, those that changed most"


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
    lines += _lines(found.lines)
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


def _lines(pairs: Sequence[LinePair]) -> list[str]:
    """Return the lines that changed most: of both runs the number, cycles, share, cause, conflicts and sectors."""
    kept = [pair for pair in pairs if pair.difference]
    if not kept:
        return []
    half = ("cycles", "share", "cause")
    head = ("first: line", *half, "second: line", *half, "difference", "conflicts", "sectors", "")
    rows: list[tuple[str, ...]] = [head]
    for pair in kept[:_SHOWN]:
        both = [cell for line in (pair.first, pair.second) for cell in _spent(line)]
        rows.append((*both, f"{pair.difference:+,.0f}", *_changes(pair), pair.code[:_WIDTH]))
    more = [f"  and {len(kept) - _SHOWN} more: --json has them all"] if len(kept) > _SHOWN else []
    return ["", _LINES_TITLE, *(f"  {line}" for line in align(rows)), *more]


def _spent(line: Mapping[str, Any] | None) -> tuple[str, ...]:
    if line is None:
        return "-", "", "", ""
    return f"{line['source'][1]}", f"{line['cycles']:,}", f"{100 * line['share']:.1f} %", line["top_stall"]


def _changes(pair: LinePair) -> Iterator[str]:
    """Yield how conflicts and sectors changed: from one count to the other, nothing where neither has any."""
    for name in ("conflicts", "sectors"):
        one, other = ((line or {}).get(name, 0) for line in (pair.first, pair.second))
        yield "" if not one and not other else f"{one:,}" if one == other else f"{one:,} -> {other:,}"


def runs_html(found: Runs) -> str:
    """Return the comparison as one HTML file that needs nothing else."""
    tables: list[Table] = [("totals", _pair_rows(found.totals), _PAIR_TEXTS)]
    if found.lines:
        tables.append((_LINES_TITLE, [_LINE_HEAD, *map(_line_row, found.lines)], _LINE_TEXTS))
    for title, pairs in (
        ("where the warps' cycles went", found.stalls),
        ("if only one resource limited it (cycles)", found.resources),
        ("warp-cycles by instruction", found.instructions),
    ):
        tables += [(title, _pair_rows(pairs), _PAIR_TEXTS)] if pairs else []
    lines = [line for pair in found.lines for line in (pair.first, pair.second) if line and line["share"] > _NAMED]
    causes = dict.fromkeys(line["top_stall"] for line in lines)
    said = [f"{one.word}: {one.what} {one.cure}" for one in map(card, causes)]
    return rendered(
        title=f"{found.second['kernel']} beside {found.first['kernel']}",
        machine=f"first: {_head(found.first)}; second: {_head(found.second)}",
        summary=f"{found.headline()}.",
        plots=[],
        tables=tables,
        lists=[("What the causes mean, and their usual cures", said)],
    )


_PAIR_TEXTS = (True, False, False, False, False)
# First the first run's, then the second's.
_HALF = ("cycles", "share", "cause")
_LINE_HEAD = (
    "difference", "source", "first line", *_HALF, "second line", *_HALF,
    "conflicts", "second's", "sectors", "second's",
)  # fmt: skip
_LINE_TEXTS = (False, True, *(False, False, False, True) * 2, False, False, False, False)


def _pair_rows(pairs: Sequence[Pair]) -> list[Row]:
    head: list[Row] = [("", "first", "second", "second - first", "ratio")]
    return head + [
        (
            pair.name,
            *({"text": _value(value), "sort": value} for value in (pair.first, pair.second, pair.second - pair.first)),
            "" if pair.ratio is None else f"{pair.ratio:.3f}",
        )
        for pair in pairs
    ]


def _line_row(pair: LinePair) -> Row:
    cells: list[Cell] = [{"text": f"{pair.difference:+,.0f}", "sort": abs(pair.difference)}]
    cells.append({"text": pair.code, "code": True})
    for line in (pair.first, pair.second):
        if line is None:
            cells += ["", "", "", ""]
        else:
            cells += [
                f"{line['source'][1]}",
                f"{line['cycles']:,}",
                share_cell(line["share"], line["top_stall"]),
                line["top_stall"],
            ]
    for name in ("conflicts", "sectors"):
        cells += [f"{count:,}" if (count := (line or {}).get(name, 0)) else "" for line in (pair.first, pair.second)]
    return tuple(cells)
