"""Progress on stderr, and only on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

__all__ = ["bar", "note_compilation"]


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show a progress bar while the block runs; yields what to call with (done, all), or None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only where there is something to draw
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def note_compilation() -> None:
    """Compile the simulator where that is still to be done, and say so on stderr."""
    from simtc.machine.compilation import compile_simulator, needs_compiling  # noqa: PLC0415 - imports numba

    if needs_compiling():
        click.echo("simtc: compiling the simulator (first use, up to a minute) ...", err=True)
        compile_simulator()
