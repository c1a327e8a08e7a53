"""%%simtc: a notebook's cell of CUDA C++, compiled and run on the notebook's own arrays."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import click

from simtc.cli.options import Whole
from simtc.cli.sources import compile_options
from simtc.cli.targets import numbers
from simtc.errors import BadInputError, SimtcError

if TYPE_CHECKING:
    from simtc.results import LaunchResult

__all__ = ["Shell", "register", "run_cell"]

_USAGE = "Try: %%simtc --help"


class Shell(Protocol):
    """What a cell needs of IPython's shell."""

    def ev(self, expression: str) -> Any:
        """Evaluate an expression in the notebook's namespace."""

    def register_magic_function(self, func: Callable[[str, str], Any], magic_kind: str, magic_name: str) -> None:
        """Make a function a magic."""


@click.command(
    name="%%simtc",
    epilog="The ARGUMENTS are Python expressions, such as x, y[0] or np.int32(n): arrays are written back in place.",
)
@click.argument("kernel")
@click.argument("arguments", nargs=-1)
@click.option("--device", default="t4", show_default=True, help="the board to be (simtc arch lists them)")
@click.option("--grid", required=True, help="blocks X[,Y[,Z]]")
@click.option("--block", required=True, help="threads X[,Y[,Z]]")
@click.option("--shared-bytes", type=Whole(0), default=0, show_default=True, help="dynamic shared memory of a block")
@click.option("--caches", default="cold", show_default=True, help="cold, or warm: L2 holds the operands")
@click.option("--timing/--no-timing", default=True, show_default=True, help="count cycles, or compute values alone")
@compile_options
def _options(**given: Any) -> dict[str, Any]:
    """Compile the cell, run its KERNEL on ARGUMENTS, and show the result, its cycles and its hot lines.

    %%simtc scale --device v100_pcie --grid 4 --block 256 x np.float32(3)
    """
    return given


def register(shell: Shell) -> None:
    """Make %%simtc a magic of a shell: what `%load_ext simtc` does."""

    def simtc(line: str, cell: str) -> LaunchResult | None:
        from IPython.core.error import UsageError  # noqa: PLC0415 - where this runs, there is IPython

        try:
            return run_cell(shell, line, cell)
        except (SimtcError, click.ClickException) as error:
            words = error.format_message() if isinstance(error, click.ClickException) else str(error)
            raise UsageError(words) from None  # which IPython shows as one line

    simtc.__doc__ = _options.get_help(click.Context(_options))
    shell.register_magic_function(simtc, magic_kind="cell", magic_name="simtc")


def run_cell(shell: Shell, line: str, cell: str) -> LaunchResult | None:
    """Compile a cell, run a kernel of it, print its hot lines, and return the result, which the notebook shows.

    Raises:
        CompileError: the compiler refuses the cell; its words are on stderr.
        BadInputError: a line that says no launch, or an argument that is none.
        KernelFaultError: the kernel faulted.

    """
    from simtc.compiler import CompileError, compile_source  # noqa: PLC0415 - start-up stays fast
    from simtc.report.hot import hot_text  # noqa: PLC0415 - likewise

    options = _read(line)
    if options is None:
        return None
    grid, block = numbers("grid", options["grid"]), numbers("block", options["block"])
    arguments = [_argument(shell, number, text) for number, text in enumerate(options["arguments"])]
    try:
        program = compile_source(
            f"{cell}\n", device=options["device"], kernel=options["kernel"], definitions=options["definitions"],
            includes=options["includes"], compiler=options["compiler"] or "nvrtc", say=_say,
        )  # fmt: skip
    except CompileError as error:
        _say(error.log)
        raise
    from simtc.run.launch import launch  # noqa: PLC0415 - compiles

    result = launch(
        program[options["kernel"]], grid, block, arguments, shared_bytes=options["shared_bytes"],
        device=options["device"], timing=options["timing"], caches=options["caches"],
    )  # fmt: skip
    if result.timing is not None:
        click.echo("\n".join(hot_text(result.timing, {"source.cu": cell})).lstrip("\n"))
    return result


def _read(line: str) -> dict[str, Any] | None:
    """Return what a line says; None where it asks for help, which is printed."""
    try:
        words: Sequence[str] = shlex.split(line)
    except ValueError as error:
        raise BadInputError(f"%%simtc {line}: {error}. {_USAGE}") from None
    try:
        with _options.make_context("%%simtc", list(words)) as context:
            read: dict[str, Any] = _options.invoke(context)
            return read
    except click.exceptions.Exit:  # the help was printed
        return None
    except click.ClickException as error:
        raise BadInputError(f"{error.format_message()} {_USAGE}") from None


def _argument(shell: Shell, number: int, text: str) -> Any:
    """Evaluate an argument in the notebook's namespace."""
    try:
        return shell.ev(text)
    except Exception as error:  # noqa: BLE001 - whatever the user's own expression raises
        raise BadInputError(f"argument {number}, {text}: {type(error).__name__}: {error}") from None


def _say(words: str) -> None:
    click.echo(words, file=sys.stderr)
