"""simtc compare: replay what a GPU gave, with no GPU; or set two runs side by side."""

from __future__ import annotations

from pathlib import Path

import click

from simtc.cli.options import refuse
from simtc.cli.output import note, to_json
from simtc.cli.progress import bar, note_compilation
from simtc.errors import BadInputError
from simtc.files import require_writable, write_text

__all__ = ["compare"]


@click.command
@click.argument("path", metavar="CAPTURE|RUN", type=Path)
@click.argument("other", metavar="[RUN]", type=Path, required=False)
@click.option("--report", type=Path, metavar="FILE", help="also write a page: .html, or .md of a capture")
@click.option("--fresh", is_flag=True, help="predict again what was predicted before from the same sources")
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.compare/1")
def compare(path: Path, other: Path | None, report: Path | None, *, fresh: bool, as_json: bool) -> None:
    """Compute again what CAPTURE holds, with no GPU, and compare it with what the chip gave; or compare two RUNs.

    \b
    simtc compare validate/captures/h200/kernels-pycuda.json
    simtc compare validate/captures/h200/timing-pycuda.json --report timing.html
    simtc run wmma_tiled -m 512 -n 512 -k 512 --timing --json > a.json     (and another, b.json)
    simtc compare a.json b.json --report ab.html

    Two runs are compared by source line too: lines are the same where their text is, wherever they stand.

    What is predicted of times is kept, so that an interrupted comparison goes on where it stopped, and one of which
    nothing has changed (the sources, the kernel, the case, the board's constants) ends at once.

    Exit code 1 where a bit or a count differs, or a case cannot be compared here; for two runs, where their results
    differ.
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    if other is not None:
        refuse("of two runs", "fresh")
        same = _runs(path, other, report, as_json=as_json)
    else:
        same = _replay(path, report, fresh=fresh, as_json=as_json)
    if not same:
        raise click.exceptions.Exit(1)


def _replay(path: Path, report: Path | None, *, fresh: bool, as_json: bool) -> bool:
    # imported here because start-up stays fast
    from simtc.report.validation import outcome_html, outcome_markdown, outcome_of, outcome_text  # noqa: PLC0415
    from simtc.validate.capture import read_capture  # noqa: PLC0415
    from simtc.validate.compare import captured_cases, replay  # noqa: PLC0415
    from simtc.validate.predictions import Predictions  # noqa: PLC0415

    if report is not None and report.suffix not in (".html", ".md"):
        raise BadInputError(f"--report {report}: the name must end in .html or .md")
    require_writable(report)
    read = read_capture(path)
    cases = captured_cases(read)
    note_compilation()
    kept = Predictions(fresh=fresh)
    try:
        with bar("cases") as progress:
            found = replay(read, cases=cases, progress=progress, predictions=kept)
    except KeyboardInterrupt:
        more = f": {kept.made} new predictions are kept. Try: the same command, which goes on behind them"
        raise KeyboardInterrupt(f"interrupted{more if kept.made else ''}") from None
    if kept.found:
        note(f"{kept.found} of {kept.found + kept.made} predictions are of an earlier run with the same sources")
    if kept.problem:
        note(f"predictions are not kept: {kept.problem}")
    outcome = outcome_of(found)
    if report is not None:
        write_text(report, outcome_html(outcome) if report.suffix == ".html" else outcome_markdown(outcome))
    click.echo(to_json(found.to_dict()) if as_json else outcome_text(outcome))
    return found.same


def _runs(first: Path, second: Path, report: Path | None, *, as_json: bool) -> bool:
    from simtc.report.runs import runs_html, runs_text  # noqa: PLC0415 - start-up stays fast
    from simtc.run.compare import compare_runs, read_run  # noqa: PLC0415

    if report is not None and report.suffix != ".html":
        raise BadInputError(f"--report {report}: of two runs, the name must end in .html")
    require_writable(report)
    found = compare_runs(read_run(first), read_run(second))
    if report is not None:
        write_text(report, runs_html(found))
    click.echo(to_json(found.to_dict()) if as_json else runs_text(found))
    return found.same
