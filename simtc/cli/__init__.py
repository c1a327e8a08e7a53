"""The command line: one file per verb, no logic."""

from __future__ import annotations

import gc
import importlib
import os
import re
import sys
import threading
import warnings
from pathlib import Path
from typing import NoReturn

import click

from simtc.cli.output import note
from simtc.errors import SimtcError, unknown

__all__ = ["main"]

_LONGEST = 2000  # characters of an error
_COLLECT_EVERY = (
    50_000  # objects more than were freed: most live until a command ends, so looking for garbage is for nothing
)

# verb -> what it does; each lives in simtc/cli/<verb>.py as a click command of that name, imported when asked for.
_VERBS = {
    "arch": "a chip's constants, each with unit, source, status",
    "banks": "bank and wavefront map of a shared-memory access pattern",
    "compare": "replay a capture of a GPU with no GPU; or two runs side by side",
    "explain": "what a stall cause, a resource, an opcode, a constant or a word of the trade is",
    "explore": "the explorer: fragments, banks and timelines as one offline HTML file",
    "fit": "a chip's fitted constants from a microbenchmark capture",
    "layout": "which lane and register holds each element of a fragment",
    "lesson": "notebooks that teach: predict, run, explain, and graded answers",
    "mma": "bit-exact matrix multiply-accumulate over arrays",
    "reproduce": "published tables and figures beside simtc's own",
    "run": "execute a compiled kernel: its bits and its cycles",
    "sass": "what a compiled kernel contains",
    "validate": "run a campaign on the GPU at hand and compare it with simtc: every bit, or the cycles",
    "sweep": "tune: rank a family's configurations, and time the best",
    "simulate": "predict a configured kernel from its tile sizes",
}


class _Verbs(click.Group):
    """Loads a verb's module only when that verb is asked for, so that start-up stays fast."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's signature
        return sorted(_VERBS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _VERBS:
            raise unknown("verb", cmd_name, _VERBS, then="simtc --help")
        command: click.Command = getattr(importlib.import_module(f"simtc.cli.{cmd_name}"), cmd_name)
        if command.help:  # docstrings are raw: click's mark of lines that stay as they are is the character itself
            command.help = command.help.replace("\\b\n", "\b\n")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Verbs"):
            formatter.write_dl(sorted(_VERBS.items()))


@click.group(cls=_Verbs, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="simtc")
def _simtc() -> None:
    """Simulate NVIDIA tensor-core kernels: exact bits, cycles and why, with no GPU.

    Exit codes: 0 done, 1 compared and differs, 2 bad input, 3 no GPU or missing tool, 4 the kernel faulted,
    130 interrupted, 141 the reader of the output left.
    """


def main() -> None:
    """Run the command line, turning every simtc error into one clear line and its exit code."""
    _prepare_streams()
    gc.set_threshold(_COLLECT_EVERY)
    warnings.showwarning = lambda message, *_, **__: note(str(message))
    try:
        with _simtc.make_context("simtc", sys.argv[1:]) as context:
            _simtc.invoke(context)
        sys.stdout.flush()
        raise SystemExit(0)
    except SimtcError as error:
        _fail(str(error), error.exit_code)
    except (KeyboardInterrupt, click.exceptions.Abort) as stopped:
        _stop(str(stopped) or "interrupted")
    except click.exceptions.NoArgsIsHelpError as error:
        click.echo(error.ctx.get_help())
        raise SystemExit(0) from None
    except click.ClickException as error:
        _fail(error.format_message(), 2)
    except click.exceptions.Exit as done:
        raise SystemExit(done.exit_code) from None
    except BrokenPipeError:  # whoever read our output has left: stop as a program that SIGPIPE ends
        _forget_stdout()
        raise SystemExit(141) from None
    except MemoryError as error:
        _fail(f"there is not enough memory: {str(error) or 'for what was asked'}", 2)
    except OSError as error:  # a file that was named is told by who opened it; what is left is our own output
        _forget_stdout()
        _fail(f"cannot write {error.filename or 'to stdout'}: {error.strerror or error}", 2)


def _prepare_streams() -> None:
    """Take streams as they are: closed, or of a locale that lacks our characters."""
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for as long as we run
    if sys.stdout is None:
        _fail("cannot write to stdout: it is closed. Try: >/dev/null", 2)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a test's stand-in may not have it
            stream.reconfigure(errors="backslashreplace")


def _forget_stdout() -> None:
    """Let what is still buffered go nowhere, or Python would fail over it once more at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(message: str, code: int) -> NoReturn:
    """Say what is wrong on one line, however long or odd what was given is."""
    plain = "".join(x if x.isprintable() else " " if x.isspace() else ascii(x)[1:-1] for x in message)
    short = re.sub(r"\S{200,}", lambda word: f"{word[0][:80]}...{word[0][-40:]}", plain)
    note(short if len(short) <= _LONGEST else f"{short[: _LONGEST - 400]} ... {short[-400:]}")
    raise SystemExit(code)


def _stop(message: str) -> NoReturn:
    """End although threads may still compute what nobody waits for: what is finished is on disk."""
    try:
        _fail(message, 130)
    finally:
        if any(not one.daemon for one in threading.enumerate() if one is not threading.main_thread()):
            sys.stdout.flush()
            os._exit(130)
