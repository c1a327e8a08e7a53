"""The timeline as a picture: a row a warp, a colour a cause."""

from __future__ import annotations

from simtc.errors import BadInputError
from simtc.layout.draw import FAINT, INK, box, document, text
from simtc.results import Stall
from simtc.results.timeline import Timeline

__all__ = ["COLORS", "timeline_svg"]

# Work is dark, waiting for memory blue, for pipes and queues orange, for other warps grey.
COLORS = {
    "selected": "#1b1f24",
    "wait": "#d9dee3",
    "not_selected": "#aab4be",
    "barrier": "#8c6bb1",
    "short_scoreboard": "#74add1",
    "long_scoreboard": "#2166ac",
    "mio_throttle": "#fdae61",
    "lg_throttle": "#f46d43",
    "math_pipe_throttle": "#d73027",
    "branch_resolving": "#b8e186",
    "no_instruction": "#f7f7f7",
    "drain": "#4d9221",
    "dispatch_stall": "#c51b7d",
    "membar": "#762a83",
    "sleeping": "#e6f5d0",
    "imc_miss": "#01665e",
}
_LEFT, _TOP, _ROW, _WIDTH = 86, 46, 20, 900
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
    height = _TOP + _ROW * len(shown) + 34 + _LEGEND_ROW * legend_rows
    caption = title or f"{timeline.kernel}: cycles {first:,} to {end:,}"
    parts = [text(_LEFT, 24, caption, size=15, bold=True)]
    runs: dict[str, list[str]] = {}  # one path a cause keeps the picture small
    for place, (warp, row) in enumerate(zip(shown, causes.tolist(), strict=True)):
        sm, sub, within = timeline.place(warp)
        top = _TOP + _ROW * place
        parts.append(text(_LEFT - 8, top + 14, f"SM {sm}.{sub} warp {within}", size=11, anchor="end"))
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
        parts.append(text(_LEFT + tick * _WIDTH / 4, foot + 14, f"{cycle:,}", size=11, fill=FAINT, anchor="middle"))
    for place, cause in enumerate(used):
        x = _LEFT + (place % _LEGEND_COLUMNS) * (_WIDTH / _LEGEND_COLUMNS)
        y = foot + 26 + _LEGEND_ROW * (place // _LEGEND_COLUMNS)
        parts.append(box(x, y, 12, 12, fill=COLORS[cause.name], stroke=FAINT, line=0.5))
        parts.append(text(x + 18, y + 11, cause.name, size=12, fill=INK))
    return document(_LEFT + _WIDTH + 24, height + 6, caption, parts)
