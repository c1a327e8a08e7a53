"""What simtc finds around it: the data that ships with it, and the machine's memory."""

from __future__ import annotations

import os
from pathlib import Path

from simtc.errors import BadInputError, SimtcError

__all__ = ["folder", "require_memory"]

_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container
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


def require_memory(size: int, what: str) -> None:
    """Refuse what this machine's memory cannot hold, before the machine kills the process for trying.

    Args:
        size: bytes.
        what: needs them, as the error begins.

    Raises:
        BadInputError: there are not so many.

    Example:
        >>> require_memory(1 << 60, "argument 0: i32[288230376151711744]")  # doctest: +ELLIPSIS
        Traceback (most recent call last):
        simtc.errors.BadInputError: argument 0: i32[288230376151711744] needs 1,152,921,504.6 GB of memory; ...

    """
    has = _memory_bytes()
    if size > has:
        raise BadInputError(f"{what} needs {size / 1e9:,.1f} GB of memory; this machine has {has / 1e9:,.1f} GB")


def _memory_bytes() -> int:
    whole = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        limit = _LIMIT.read_text(encoding="utf-8").strip()
    except OSError:
        return whole
    return min(whole, int(limit)) if limit.isdecimal() else whole
