"""A timed launch as one HTML file that needs nothing else."""

from __future__ import annotations

from pathlib import Path

from simtc.report.cards import card
from simtc.report.listing import listing_rows
from simtc.report.timeline import timeline_svg
from simtc.results import LaunchResult, Timing

__all__ = ["launch_html"]

_WARPS = 16  # rows of the timeline
_NAMED = 0.01  # of the warps' cycles: a cause of less is not explained


def launch_html(result: LaunchResult, title: str) -> str:
    """Return where the cycles went: by cause, by resource, by instruction, and as a timeline where one was kept."""
    import jinja2  # noqa: PLC0415 - only where a page is made

    timing = result.timing
    if timing is None:
        raise AttributeError("this launch was not timed: pass timing=True")
    plots = []
    if timing.timeline is not None:
        plots = [("What each warp did", timeline_svg(timing.timeline, warps=_WARPS))]
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
    page = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True).from_string(
        (Path(__file__).resolve().parent / "validation.html.j2").read_text(encoding="utf-8")
    )
    grid, block = (" x ".join(map(str, shape)) for shape in (result.grid, result.block))
    return page.render(
        title=title,
        machine=f"{result.device} at {timing.clock_mhz} MHz, grid {grid}, block {block}, fidelity {timing.fidelity}",
        summary=f"{timing.cycles:,} cycles, {1e6 * timing.seconds:,.1f} us: {timing.limit}.",
        plots=plots,
        tables=tables,
        lists=[("What the causes mean, and their usual cures", _causes(timing)), ("Notes", list(timing.notes))],
    )


def _causes(timing: Timing) -> list[str]:
    """Return what the cards say of the causes that took a share of the cycles, the largest first."""
    named = sorted(timing.stalls, key=lambda cause: -timing.stalls[cause])
    cards = [card(cause) for cause in named if timing.stalls[cause] > _NAMED * timing.warp_cycles]
    return [f"{one.word}: {one.what} {one.cure}" for one in cards]
