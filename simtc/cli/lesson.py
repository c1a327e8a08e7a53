"""`simtc lesson`: the notebooks that teach, to list, to open and to export."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from simtc.cli.options import out, refuse
from simtc.cli.output import note, to_json
from simtc.errors import BadInputError, MissingToolError
from simtc.files import require_writable, write_text

if TYPE_CHECKING:
    from simtc.report.lessons import Lesson

__all__ = ["lesson"]

_ENDINGS = (".ipynb", ".md", ".html")
_WIDTH, _INDENT = 100, " " * 14


@click.command
@click.argument("name", required=False)
@out("write the lesson instead of opening it: .ipynb, .md, or .html, for which it is run (extra [notebook])")
@click.option("--slides", is_flag=True, help="with a name in .html: slides for reveal.js")
@click.option("--json", "as_json", is_flag=True, help="list as JSON, schema simtc.lesson/1")
def lesson(*, name: str | None, output: Path | None, slides: bool, as_json: bool) -> None:
    """List the lessons, or open NAME in Jupyter: predict, run, explain, and let your answers be graded.

    \b
    simtc lesson
    simtc lesson banks
    simtc lesson banks --output banks.html

    A lesson that is opened is written to NAME.ipynb in the current folder first; one that is there already, with your
    answers in it, is opened as it is.
    """  # noqa: D301 - \b is click's mark for text that keeps its lines
    from simtc.report import lessons  # noqa: PLC0415 - start-up stays fast

    if name is None:
        refuse("without the name of a lesson", "output", "slides")
        found = [lessons.lesson(one) for one in lessons.LESSONS]
        if as_json:
            keys = ("name", "title", "summary")
            rows = [{key: getattr(one, key) for key in keys} | {"questions": list(one.questions)} for one in found]
            click.echo(to_json({"schema": "simtc.lesson/1", "lessons": rows}))
            return
        click.echo("\n".join(map(_entry, found)))
        return
    if as_json:
        refuse("with the name of a lesson", "as_json")
    made = lessons.lesson(name)
    if output is None:
        refuse("without --output", "slides")
        _open(made)
    else:
        _write(made, output, slides=slides)


def _entry(one: Lesson) -> str:
    body = textwrap.wrap(one.summary, _WIDTH - len(_INDENT))
    return "\n".join([f"{one.name:<{len(_INDENT)}}{one.title}", *(f"{_INDENT}{line}" for line in body)])


def _write(made: Lesson, output: Path, *, slides: bool) -> None:
    from simtc.report.lessons.export import lesson_html  # noqa: PLC0415 - start-up stays fast
    from simtc.report.lessons.notebook import notebook_json  # noqa: PLC0415

    if output.suffix not in _ENDINGS:
        raise BadInputError(f"--output {output}: the name must end in {', '.join(_ENDINGS)}")
    if slides and output.suffix != ".html":
        raise BadInputError(f"--slides makes HTML: --output {output.with_suffix('.html')}")
    require_writable(output)
    if output.suffix == ".html":
        write_text(output, lesson_html(made, slides=slides))
    else:
        write_text(output, made.source if output.suffix == ".md" else notebook_json(made))


def _open(made: Lesson) -> None:
    """Start Jupyter on the lesson, and stay until it ends."""
    program = next((one for one in ("jupyterlab", "notebook") if find_spec(one)), None)
    if program is None:
        raise MissingToolError(
            f"Jupyter is not installed here. Try: pip install jupyterlab, or: simtc lesson {made.name} --output "
            f"{made.name}.html"
        )
    path = Path(f"{made.name}.ipynb")
    if path.exists():
        note(f"{path} is here already, and is opened as it is")
    else:
        _write(made, path, slides=False)
    done = subprocess.run([sys.executable, "-m", program, str(path)], check=False)  # noqa: S603 - our own interpreter
    if done.returncode:
        raise click.exceptions.Exit(done.returncode)
