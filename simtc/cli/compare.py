"""simtc compare: replay what a GPU gave, with no GPU."""

from __future__ import annotations

import json
from pathlib import Path

import click

from simtc.cli.progress import bar, note_compilation

__all__ = ["compare"]


@click.command
@click.argument("capture", type=Path)
@click.option("--json", "as_json", is_flag=True, help="JSON, schema simtc.compare/1")
def compare(capture: Path, *, as_json: bool) -> None:
    """Compute again what CAPTURE holds, with no GPU, and compare every bit with what the chip gave.

    \b
    simtc compare validate/captures/h200/kernels-pycuda.json

    Exit code 1 where a bit differs or a case cannot be compared here.
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from simtc.study.capture import read_capture  # noqa: PLC0415 - start-up stays fast
    from simtc.study.compare import replay  # noqa: PLC0415
    from simtc.study.validate_report import replay_text  # noqa: PLC0415

    read = read_capture(capture)
    note_compilation()
    with bar("cases") as progress:
        outcome = replay(read, progress=progress)
    click.echo(json.dumps(outcome.to_dict(), indent=2) if as_json else replay_text(outcome))
    if not outcome.same:
        raise click.exceptions.Exit(1)
