"""What simtc raises: one clear sentence, and the exit code that the command line turns it into."""

from __future__ import annotations

import difflib
from collections.abc import Iterable

__all__ = ["BadInputError", "KernelFaultError", "MissingToolError", "SimtcError", "nearest", "unknown"]


class SimtcError(Exception):
    """Base of every error meant for a user; `exit_code` is what the command line returns for it."""

    exit_code = 2


class BadInputError(SimtcError, ValueError):
    """A name, shape, type, file or option that simtc cannot take (exit code 2)."""


class MissingToolError(SimtcError):
    """No GPU, or an optional tool or package is absent (exit code 3)."""

    exit_code = 3


class KernelFaultError(SimtcError):
    """The simulated kernel itself did what a GPU would fault on (exit code 4)."""

    exit_code = 4


def nearest(got: object, allowed: Iterable[str]) -> str | None:
    """Return the allowed name closest to `got`, or None where nothing is close.

    Example:
        >>> nearest("t5", ["t4", "h200"])
        't4'

    """
    names = list(allowed)
    close = difflib.get_close_matches(str(got).lower(), [name.lower() for name in names], n=1, cutoff=0.4)
    return next((name for name in names if close and name.lower() == close[0]), None)


def unknown(what: str, got: object, allowed: Iterable[str], *, then: str = "") -> BadInputError:
    """Build the error for a name outside a known set.

    Args:
        what: what the name names, such as "device".
        got: the name as given.
        allowed: the known names, in the order to show them.
        then: the next command to type, such as "simtc arch".

    Example:
        >>> str(unknown("device", "t5", ["t4", "h200"], then="simtc arch"))
        "unknown device 't5': known are t4, h200; did you mean 't4'? Try: simtc arch"

    """
    names = list(allowed)
    guess = nearest(got, names)
    hint = f"; did you mean {guess!r}?" if guess else "."
    more = f" Try: {then}" if then else ""
    return BadInputError(f"unknown {what} {got!r}: known are {', '.join(names)}{hint}{more}")
