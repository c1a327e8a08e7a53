"""`simtc explore`: the explorer, one HTML file that needs no network."""

from __future__ import annotations

from pathlib import Path

import click

from simtc.cli.options import out
from simtc.cli.progress import note_compilation
from simtc.errors import BadInputError

__all__ = ["explore"]


@click.command
@out("the file to write", required=True)
def explore(*, output: Path) -> None:
    """Write the explorer: fragments, banks and timelines to look at and to play, a quiz, and cards.

    \b
    simtc explore --output explorer.html

    It is one file: open it in any browser, with no network. The runs that its timeline shows are executed while it is
    written, so it is always what this version of simtc says.
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from simtc.report.explorer import explorer_html  # noqa: PLC0415 - start-up stays fast

    if not output.parent.is_dir():
        raise BadInputError(f"cannot write {output}: there is no folder {output.parent}")
    note_compilation()
    try:
        output.write_text(explorer_html(), encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"cannot write {output}: {error.strerror}") from error
