"""A timed launch, or a timeline alone, as one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.report.cards import Card, card
from simtc.report.listing import listing_rows
from simtc.report.roofline import roofline_chart
from simtc.report.timeline import timeline_svg
from simtc.results import LaunchResult, Stall, Timing
from simtc.results.timeline import Timeline

__all__ = ["launch_html", "timeline_html"]

_WARPS = 16  # rows of the timeline
_NAMED = 0.01  # of the warps' cycles: a cause of less is not explained


def launch_html(result: LaunchResult, title: str, *, device: Device | None = None) -> str:
    """Return where the cycles went: by cause, resource and instruction, a roofline, and a timeline where one was kept.

    Args:
        result: a timed launch.
        title: of the page.
        device: its board, where simtc does not have it by name.

    """
    timing = result.timing
    if timing is None:
        raise AttributeError("this launch was not timed: pass timing=True")
    plots = _roofline(result, device)
    if timing.timeline is not None:
        plots += [("What each warp did", timeline_svg(timing.timeline, warps=_WARPS))]
    stalls = sorted(((n, cause) for cause, n in timing.stalls.items() if n), reverse=True)
    alone = sorted(((n, name) for name, n in timing.resources.items() if n), reverse=True)
    tables = [
        (
            "where the warps' cycles went",
            [("cause", "warp-cycles", "share")]
            + [(cause, f"{n:,}", f"{100 * n / timing.warp_cycles:.1f} %") for n, cause in stalls],
            (True, False, False),
        ),
        (
            "if only one resource limited it",
            [("resource", "cycles", "share")]
            + [(name, f"{n:,.0f}", f"{100 * n / timing.cycles:.1f} %") for n, name in alone],
            (True, False, False),
        ),
        ("by instruction", listing_rows(timing), (False, False, False, False, True, False, True, True)),
    ]
    grid, block = (" x ".join(map(str, shape)) for shape in (result.grid, result.block))
    return _page(
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
    rows = [("cause", "warp-cycles", "share")]
    rows += [(cause, f"{cycles:,}", f"{100 * cycles / whole:.1f} %") for cause, cycles in found.items()]
    named = [card(cause) for cause, cycles in found.items() if cycles > _NAMED * whole]
    return _page(
        title=f"Timeline of {timeline.kernel}",
        machine=timeline.headline(),
        summary="",
        plots=[("What each warp did", drawn)],
        tables=[("where the warps' cycles went, of all warps", rows, (True, False, False))],
        lists=[("What the causes mean, and their usual cures", _said(named))],
    )


def _page(**parts: Any) -> str:
    """Return the page of the template."""
    import jinja2  # noqa: PLC0415 - only where a page is made

    template = (Path(__file__).resolve().parent / "validation.html.j2").read_text(encoding="utf-8")
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    return environment.from_string(template).render(**parts)


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
