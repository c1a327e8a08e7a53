"""Pictures of a run: --timeline and --roofline, the same for `run` and `simulate`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from simtc.cli.output import note
from simtc.errors import BadInputError
from simtc.files import write_text

if TYPE_CHECKING:
    from simtc.results import LaunchResult
    from simtc.results.prediction import Prediction
    from simtc.results.timeline import Timeline

__all__ = ["SPANNED", "pictures", "require_pictures", "span", "write_roofline", "write_timeline"]

SPANNED = (".svg", ".txt", ".html")  # which show a part of the cycles
_KINDS = (".json", ".json.gz", ".kanata", *SPANNED)


def pictures(command: Callable[..., Any]) -> Callable[..., Any]:
    """Give a command the options."""
    for option in (
        click.option("--roofline", type=Path, metavar="FILE", help="draw the run under its board's ceilings: .svg"),
        click.option("--cycles", metavar="FIRST,LAST", help="the part of the timeline that .svg, .html and .txt show"),
        click.option(
            "--timeline",
            type=Path,
            metavar="FILE",
            help="write what every warp did: .json[.gz] Perfetto, .kanata, .svg, .html, .txt",
        ),
    ):
        command = option(command)
    return command


def require_pictures(timeline: Path | None, roofline: Path | None) -> None:
    """Refuse names that say no known kind of file.

    Raises:
        BadInputError: such a name.

    """
    if timeline and not timeline.name.endswith(_KINDS):
        allowed = f"{', '.join(_KINDS[:-1])} or {_KINDS[-1]}"
        raise BadInputError(f"--timeline {timeline}: the name must end in {allowed}")
    if roofline and roofline.suffix != ".svg":
        raise BadInputError(f"--roofline {roofline}: the name must end in .svg")


def span(text: str | None) -> tuple[int, int | None]:
    """Read --cycles."""
    if text is None:
        return 0, None
    try:
        first, last = (int(part) for part in text.split(","))
    except ValueError:
        raise BadInputError(f"--cycles {text!r}: two numbers, such as 1000,2000") from None
    if not 0 <= first < last:
        raise BadInputError(f"--cycles {text!r}: the first must be below the last")
    return first, last


def write_timeline(path: Path | None, timeline: Timeline | None, cycles: tuple[int, int | None]) -> None:
    """Write a timeline as the kind of file that its name says."""
    if path is None or timeline is None:
        return
    first, last = cycles
    if path.name.endswith((".json", ".json.gz")):
        timeline.to_perfetto(path)
    elif path.suffix == ".kanata":
        timeline.to_kanata(path)
    elif path.suffix == ".txt":
        write_text(path, timeline.to_text(first=first, last=last) + "\n")
    elif path.suffix == ".svg":
        write_text(path, timeline.to_svg(first=first, last=last))
    else:
        from simtc.report.page import timeline_html  # noqa: PLC0415 - start-up stays fast

        write_text(path, timeline_html(timeline, first=first, last=last))
    if timeline.dropped:
        note(f"the timeline keeps its first {len(timeline):,} slices; {timeline.dropped:,} more were seen")


def write_roofline(path: Path | None, result: LaunchResult | Prediction, device: Any) -> None:
    """Draw the roofline of a run."""
    if path is None:
        return
    from simtc.report.roofline import roofline_chart  # noqa: PLC0415 - start-up stays fast

    write_text(path, roofline_chart(result, device=device).to_svg())
