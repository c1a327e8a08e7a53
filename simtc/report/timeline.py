"""The timeline as a picture: a row a warp, a colour a cause."""

from __future__ import annotations

from simtc.errors import BadInputError
from simtc.layout.draw import EMPTY, FAINT, INK, box, document, line, text
from simtc.report.colors import CAUSE_COLORS
from simtc.results import Stall
from simtc.results.timeline import Timeline

__all__ = ["COLORS", "timeline_svg"]

COLORS = {cause: INK if color == "ink" else color for cause, color in CAUSE_COLORS["standard"].items()}
_LEFT, _TOP, _ROW, _WIDTH = 172, 46, 20, 900
_LEGEND_COLUMNS, _LEGEND_ROW = 5, 20


def timeline_svg(
    timeline: Timeline, *, first: int = 0, last: int | None = None, warps: int = 8, title: str | None = None
) -> str:
    """Draw what the first warps did from one cycle to another; a pixel column shows what most of its cycles were.

    Raises:
        BadInputError: the timeline holds nothing in that range.

    """
    shown, causes = timeline.majority(first=first, last=last, columns=_WIDTH, warps=warps)
    if not shown:
        raise BadInputError(f"the timeline of {timeline.kernel} has nothing after cycle {first}")
    end = timeline.end if last is None else last
    used = [Stall(cause) for cause in sorted(set(causes[causes >= 0].tolist()))]
    legend_rows = -(-len(used) // _LEGEND_COLUMNS)
    height = _TOP + _ROW * len(shown) + 40 + _LEGEND_ROW * legend_rows
    caption = title or f"{timeline.kernel}: cycles {first:,} to {end:,}"
    parts = [text(_LEFT, 24, caption, size=15, bold=True)]
    runs: dict[str, list[str]] = {}  # one path a cause keeps the picture small
    for place, (warp, row) in enumerate(zip(shown, causes.tolist(), strict=True)):
        sm, sub, within = timeline.place(warp)
        top = _TOP + _ROW * place
        parts.append(text(_LEFT - 8, top + 13, f"SM {sm}, sub-core {sub}, warp {within}", size=12, anchor="end"))
        parts.append(box(_LEFT, top, _WIDTH, _ROW - 3, fill=EMPTY, stroke="none"))
        begin = 0
        for column in range(1, _WIDTH + 1):
            if column == _WIDTH or row[column] != row[begin]:
                if row[begin] >= 0:
                    path = f"M{_LEFT + begin} {top}h{column - begin}v{_ROW - 3}H{_LEFT + begin}z"
                    runs.setdefault(Stall(row[begin]).name, []).append(path)
                begin = column
    parts += [f'<path fill="{COLORS[cause]}" d="{"".join(paths)}"/>' for cause, paths in sorted(runs.items())]
    foot = _TOP + _ROW * len(shown)
    for tick in range(5):
        cycle = first + round(tick * (end - first) / 4)
        at = _LEFT + tick * _WIDTH / 4
        parts.append(line(at, foot - 2, at, foot + 3))
        parts.append(text(at, foot + 16, f"{cycle:,}", size=12, fill=FAINT, anchor="middle"))
    parts.append(text(_LEFT - 32, foot + 16, "cycle", size=12, fill=FAINT, anchor="end"))
    for place, cause in enumerate(used):
        x = _LEFT + (place % _LEGEND_COLUMNS) * (_WIDTH / _LEGEND_COLUMNS)
        y = foot + 32 + _LEGEND_ROW * (place // _LEGEND_COLUMNS)
        parts.append(box(x, y, 12, 12, fill=COLORS[cause.name], stroke="none"))
        parts.append(text(x + 18, y + 11, cause.name, size=12, fill=INK))
    return document(_LEFT + _WIDTH + 36, height + 6, caption, parts)
