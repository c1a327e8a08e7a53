"""The options that families take, on the command line."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Any

import click

from simtc.cli.options import Whole
from simtc.errors import BadInputError
from simtc.gemm.registry import family_names, options

__all__ = ["choices"]


class _ShapeType(click.ParamType[tuple[int, ...]]):
    """Three sizes m,n,k."""

    name = "M,N,K"

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,  # noqa: ARG002 - click's signature
    ) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        if not re.fullmatch(r"\d{1,9}[,x]\d{1,9}[,x]\d{1,9}", value):
            flag = param.opts[0] if param else "a shape"
            raise BadInputError(f"{flag} {value!r}: three sizes m,n,k, such as {flag} 256,256,32")
        return tuple(int(part) for part in re.split("[,x]", value))


_KINDS: dict[str, Any] = {"shape": _ShapeType(), "int": Whole(), "float": float, "str": str}


def choices(*, but: Collection[str] = ()) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Return a decorator that gives a command the options of every family, but those that it has itself."""
    return lambda command: _with_choices(command, but)


def _with_choices(command: Callable[..., None], but: Collection[str]) -> Callable[..., None]:
    """Give a command the families' options; help says whose an option is, where not all have it."""
    for name, by_family in reversed(options().items()):
        if name in but:
            continue
        some = "" if len(by_family) == len(family_names()) else f"{', '.join(by_family)}: "
        texts = {f"{one.help}  [default: {one.default}]" if one.default else one.help for one in by_family.values()}
        kind = next(iter(by_family.values())).kind
        more = {"is_flag": True, "default": None} if kind == "flag" else {"type": _KINDS[kind]}
        help_ = some + "; or ".join(sorted(texts))
        command = click.option(f"--{name.replace('_', '-')}", name, help=help_, **more)(command)
    return command
