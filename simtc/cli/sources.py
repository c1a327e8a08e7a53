"""Programs for verbs: a compiled file as it is, a CUDA source compiled first."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from simtc.cli.options import refuse
from simtc.isa import Program

__all__ = ["compile_options", "is_source", "program_of"]

_SUFFIXES = (".cu", ".cuh", ".cpp", ".cc", ".cxx")


def compile_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of a compilation."""
    for add in (
        click.option("-D", "definitions", multiple=True, metavar="NAME[=VALUE]", help="of FILE.cu: define a macro"),
        click.option("-I", "includes", multiple=True, metavar="FOLDER", help="of FILE.cu: look for headers here too"),
        click.option("--compiler", help="of FILE.cu: nvrtc (simtc[compile]), or nvcc  [default: nvrtc]"),
    ):
        command = add(command)
    return command


def is_source(path: Path) -> bool:
    """Tell a CUDA source from what is compiled already."""
    return path.suffix in _SUFFIXES


def program_of(path: Path, kernel: str | None, target: str, options: dict[str, Any]) -> Program:
    """Load a file, or compile it for a board or a generation; the compiler's words go to stderr as they are."""
    if not is_source(path):
        from simtc.sass import load  # noqa: PLC0415 - start-up stays fast

        refuse("on a file that is compiled already", "definitions", "includes", "compiler")
        return load(path)
    from simtc.compiler import CompileError, compile_source  # noqa: PLC0415 - likewise

    try:
        return compile_source(
            path, device=target, kernel=kernel, definitions=options["definitions"], includes=options["includes"],
            compiler=options["compiler"] or "nvrtc", say=_say,
        )  # fmt: skip
    except CompileError as error:
        if error.log:
            _say(error.log)
        raise


def _say(log: str) -> None:
    click.echo(log, file=sys.stderr)
