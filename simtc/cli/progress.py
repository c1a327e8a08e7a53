"""Progress on stderr: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from simtc.cli.output import note

__all__ = ["bar", "note_compilation"]

_EVERY = 30  # seconds from a line to the next where there is no terminal


@contextmanager
def bar(what: str) -> Iterator[Callable[[int, int], None]]:
    """Show progress while the block runs; yields what to call with (done, all)."""
    if not sys.stderr.isatty():
        yield _lines(what)
        return
    from rich.console import Console  # noqa: PLC0415 - only where there is something to draw
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def _lines(what: str) -> Callable[[int, int], None]:
    """Return what says how far it is, and no oftener than twice a minute."""
    began = said = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal said
        now = time.monotonic()
        if now - said >= _EVERY:
            said = now
            note(f"{done:,} of {total:,} {what} after {now - began:,.0f} s")

    return tell


def note_compilation() -> None:
    """Compile the simulator where that is still to be done, and say so on stderr."""
    from simtc.jit import cache_problem  # noqa: PLC0415 - imports numba
    from simtc.machine.compilation import compile_simulator, needs_compiling  # noqa: PLC0415 - likewise

    if needs_compiling():
        note("compiling the simulator (first use, up to a minute) ...")
        if not cache_problem():  # else what another process compiles is lost with it
            compile_simulator()
