"""Where the data that ships with simtc lives: inside the installed package, or beside it in a checkout."""

from __future__ import annotations

from pathlib import Path

from simtc.errors import SimtcError

__all__ = ["folder"]

_PACKAGE = Path(__file__).resolve().parent


def folder(name: str) -> Path:
    """Return the folder `kernels` or `validate`, installed or in a checkout.

    Raises:
        SimtcError: the installation lacks the folder.

    Example:
        >>> (folder("kernels") / "wmma_tiled.cu").exists()
        True

    """
    for path in (_PACKAGE / "data" / name, _PACKAGE.parent / name):
        if path.is_dir():
            return path
    raise SimtcError(f"this installation of simtc lacks its folder {name!r}: reinstall simtc")
