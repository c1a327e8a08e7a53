"""simtc compare: replay what a GPU gave, with no GPU; or set two runs side by side."""

from __future__ import annotations

import json
from pathlib import Path

import click

from simtc.cli.progress import bar, note_compilation

__all__ = ["compare"]


@click.command
@click.argument("path", metavar="CAPTURE|RUN", type=Path)
@click.argument("other", metavar="[RUN]", type=Path, required=False)
@click.option("--report", type=Path, help="also write a page: .html (with plots) or .md")
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.compare/1")
def compare(path: Path, other: Path | None, report: Path | None, *, as_json: bool) -> None:
    """Compute again what CAPTURE holds, with no GPU, and compare it with what the chip gave; or compare two RUNs.

    \b
    simtc compare validate/captures/h200/kernels-pycuda.json
    simtc compare validate/captures/h200/timing-pycuda.json --report timing.html
    simtc run wmma_tiled -m 512 -n 512 -k 512 --timing --json > a.json     (and another, b.json)
    simtc compare a.json b.json

    Exit code 1 where a bit or a count differs, or a case cannot be compared here; for two runs, where their results
    differ.
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    same = _runs(path, other, as_json=as_json) if other else _replay(path, report, as_json=as_json)
    if not same:
        raise click.exceptions.Exit(1)


def _replay(path: Path, report: Path | None, *, as_json: bool) -> bool:
    from simtc.errors import BadInputError  # noqa: PLC0415 - start-up stays fast
    from simtc.report.validation import outcome_html, outcome_markdown, outcome_of, outcome_text  # noqa: PLC0415
    from simtc.validate.capture import read_capture  # noqa: PLC0415
    from simtc.validate.compare import replay  # noqa: PLC0415

    if report is not None and report.suffix not in (".html", ".md"):
        raise BadInputError(f"--report {report}: the name must end in .html or .md")
    read = read_capture(path)
    note_compilation()
    with bar("cases") as progress:
        found = replay(read, progress=progress)
    outcome = outcome_of(found)
    if report is not None:
        page = outcome_html(outcome) if report.suffix == ".html" else outcome_markdown(outcome)
        try:
            report.write_text(page, encoding="utf-8")
        except OSError as error:
            raise BadInputError(f"cannot write {report}: {error.strerror}") from None
    click.echo(json.dumps(found.to_dict(), indent=2) if as_json else outcome_text(outcome))
    return found.same


def _runs(first: Path, second: Path, *, as_json: bool) -> bool:
    from simtc.report.runs import runs_text  # noqa: PLC0415 - start-up stays fast
    from simtc.run.compare import compare_runs, read_run  # noqa: PLC0415

    found = compare_runs(read_run(first), read_run(second))
    click.echo(json.dumps(found.to_dict(), indent=2) if as_json else runs_text(found))
    return found.same
