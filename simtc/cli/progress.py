"""Progress on stderr: a bar on a terminal, elsewhere a line now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from simtc.cli.output import note

__all__ = ["bar", "note_compilation"]

_PACE = 900  # seconds of which the pace tells how long the rest may take: cases differ
_EVERY = 30  # seconds from a line to the next where there is no terminal


@contextmanager
def bar(what: str, *, left: bool = False) -> Iterator[Callable[[int, int], None]]:
    """Show progress while the block runs; yields what to call with (done, all).

    With `left` it says how long it may still take, and says nothing where there is no terminal.
    """
    if not sys.stderr.isatty():
        yield (lambda _done, _total: None) if left else _lines(what)
        return
    from rich.console import Console  # noqa: PLC0415 - only where there is something to draw
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )  # fmt: skip

    columns: list[ProgressColumn] = [TextColumn(what), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn()]
    columns += [TextColumn("left"), TimeRemainingColumn()] if left else []
    show = Progress(*columns, console=Console(stderr=True), transient=True, speed_estimate_period=_PACE)
    with show as progress:
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
