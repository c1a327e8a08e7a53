"""The listings that ship, each read once."""

from __future__ import annotations

from functools import cache

from simtc.errors import BadInputError
from simtc.isa import Kernel, Program
from simtc.resources import folder
from simtc.sass import load

__all__ = ["shipped_kernel"]


def shipped_kernel(path: str, name: str) -> Kernel:
    """Read a kernel of a listing below kernels/.

    Raises:
        BadInputError: the listing does not ship.

    Example:
        >>> shipped_kernel("listings/sm_75/wmma_tiled.sass", "wmma_tiled").sm
        75

    """
    if not (folder("kernels") / path).exists():
        raise BadInputError(f"kernels/{path} does not ship, which {name} would stand in")
    return _program(path)[name]


@cache
def _program(path: str) -> Program:
    return load(folder("kernels") / path)
