"""A timed launch, or a timeline alone, as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.report.cards import Card, card
from simtc.report.roofline import roofline_chart
from simtc.report.source import instruction_table, line_tables
from simtc.report.template import Row, Table, rendered, share_cell
from simtc.report.timeline import timeline_svg
from simtc.results import LaunchResult, Stall, Timing
from simtc.results.timeline import Timeline

__all__ = ["launch_html", "timeline_html"]

_WARPS = 16  # rows of the timeline
_NAMED = 0.01  # of the warps' cycles: a cause of less is not explained


def launch_html(
    result: LaunchResult,
    title: str,
    *,
    device: Device | None = None,
    sources: Mapping[str, str] = MappingProxyType({}),
) -> str:
    """Return where the cycles went: by cause, resource, line, instruction; a roofline, a timeline where one was kept.

    Args:
        result: a timed launch.
        title: of the page.
        device: its board, where simtc does not have it by name.
        sources: texts of sources that are no files, by the name that the code has for them.

    """
    timing = result.timing
    if timing is None:
        raise AttributeError("this launch was not timed: pass timing=True")
    plots = _roofline(result, device)
    if timing.timeline is not None:
        plots += [("What each warp did", timeline_svg(timing.timeline, warps=_WARPS))]
    alone = sorted(((n, name) for name, n in timing.resources.items() if n), reverse=True)
    tables: list[Table] = [
        _causes_table("where the warps' cycles went", timing.stalls),
        (
            "if only one resource limited it",
            [("resource", "cycles", "share")]
            + [(name, f"{n:,.0f}", share_cell(n / timing.cycles)) for n, name in alone],
            (True, False, False),
        ),
        *line_tables(timing, sources),
        instruction_table(timing),
    ]
    grid, block = (" x ".join(map(str, shape)) for shape in (result.grid, result.block))
    return rendered(
        title=title,
        machine=f"{result.device} at {timing.clock_mhz} MHz, grid {grid}, block {block}, fidelity {timing.fidelity}",
        summary=f"{timing.cycles:,} cycles, {1e6 * timing.seconds:,.1f} us: {timing.limit}.",
        plots=plots,
        tables=tables,
        lists=[("What the causes mean, and their usual cures", _causes(timing)), ("Notes", list(timing.notes))],
    )


def timeline_html(timeline: Timeline, *, first: int = 0, last: int | None = None) -> str:
    """Return a timeline's picture, the cycles of each cause in it, and what the causes mean.

    Raises:
        BadInputError: the timeline holds nothing in that range.

    """
    drawn = timeline_svg(timeline, first=first, last=last, warps=_WARPS)
    raw = timeline.between(first, timeline.end if last is None else last).raw
    spent = {cause: int((raw[:, 4] - raw[:, 3])[raw[:, 2] == cause].sum()) for cause in Stall}
    found = {cause.name: cycles for cause, cycles in sorted(spent.items(), key=lambda item: -item[1]) if cycles}
    whole = sum(found.values())
    named = [card(cause) for cause, cycles in found.items() if cycles > _NAMED * whole]
    return rendered(
        title=f"Timeline of {timeline.kernel}",
        machine=timeline.headline(),
        summary="",
        plots=[("What each warp did", drawn)],
        tables=[_causes_table("where the warps' cycles went, of all warps", found)],
        lists=[("What the causes mean, and their usual cures", _said(named))],
    )


def _causes_table(title: str, stalls: Mapping[str, int]) -> Table:
    """Return the causes that took any cycles, the largest first, each with its bar in the colour that pictures have."""
    whole = sum(stalls.values())
    rows: list[Row] = [("cause", "warp-cycles", "share")]
    for cause, cycles in sorted(stalls.items(), key=lambda item: (-item[1], item[0])):
        if cycles:
            rows.append((cause, f"{cycles:,}", share_cell(cycles / whole, cause)))
    return title, rows, (True, False, False)


def _roofline(result: LaunchResult, device: Device | None) -> list[tuple[str, str]]:
    """Return the roofline, where the launch has a place in one: a copy computes nothing."""
    try:
        return [("Under the board's ceilings", roofline_chart(result, device=device).to_svg())]
    except BadInputError:
        return []


def _causes(timing: Timing) -> list[str]:
    """Return what the cards say of the causes that took a share of the cycles, the largest first."""
    named = sorted(timing.stalls, key=lambda cause: -timing.stalls[cause])
    cards = [card(cause) for cause in named if timing.stalls[cause] > _NAMED * timing.warp_cycles]
    return _said(cards)


def _said(cards: Iterable[Card]) -> list[str]:
    return [f"{one.word}: {one.what} {one.cure}" for one in cards]
