"""What several verbs' options have in common."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from simtc.errors import BadInputError

__all__ = ["Whole", "out", "refuse"]


class Whole(click.ParamType[int]):
    """A whole number within limits.

    Example:
        >>> Whole(0, 9).convert("12", None, None)
        Traceback (most recent call last):
        simtc.errors.BadInputError: 12: a whole number from 0 to 9

    """

    name = "INTEGER"

    def __init__(self, low: int | None = None, high: int = 2**31 - 1) -> None:
        self._low, self._high = low, high

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,  # noqa: ARG002 - click's signature
    ) -> int:
        """Return the number."""
        try:
            number = int(value)
        except ValueError:
            number = None
        if number is None or number > self._high or (self._low is not None and number < self._low):
            flag = f"{param.opts[0]} " if param else ""
            limits = f"at most {self._high}" if self._low is None else f"from {self._low} to {self._high}"
            raise BadInputError(f"{flag}{value}: a whole number {limits}")
        return number


class _Aliased(click.Option):
    """An option whose help shows its first name alone."""

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        record = super().get_help_record(ctx)
        shown, *others = self.opts
        return None if record is None else (record[0].replace(", ".join([shown, *others]), shown), record[1])


def out(text: str, *, metavar: str = "FILE", required: bool = False) -> Callable[[Any], Any]:
    """Return the option --out, which may also be written --output."""
    return click.option(
        "--out",
        "--output",
        "output",
        cls=_Aliased,
        type=click.Path(path_type=Path),
        metavar=metavar,
        required=required,
        help=text,
    )


def refuse(where: str, *unread: str) -> None:
    """Refuse what the command line gives and this form of the verb would ignore.

    Args:
        where: the form, as the error ends: "with --list".
        unread: the parameters that it does not read, as click names them.

    Raises:
        BadInputError: one of them was given.

    """
    context = click.get_current_context()
    for parameter in context.command.params:
        name = parameter.name or ""
        if name in unread and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            given = context.params[name]
            word = parameter.opts[0] if isinstance(parameter, click.Option) else repr(given or "")
            raise BadInputError(f"{word} has no effect {where}: leave it out. Try: {context.command_path} --help")
