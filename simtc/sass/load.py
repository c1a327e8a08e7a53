"""Load a compiled kernel, whatever kind of file it stands in."""

from __future__ import annotations

import os
from pathlib import Path

from simtc.errors import BadInputError
from simtc.isa import Program
from simtc.sass.listing import parse_listing

__all__ = ["load"]

_BINARY = (b"\x7fELF", b"\x50\xed\x55\xba")  # how an ELF file begins, and a fatbin


def load(path: str | os.PathLike[str], *, sm: int | None = None) -> Program:
    """Read the kernels of a cubin, of a fatbin, object or executable that holds cubins, or of a listing.

    Args:
        path: the file. nvdisasm is asked only for a cubin that has an instruction outside simtc's own table.
        sm: which generation to take from a file that holds several, such as 75.

    Raises:
        BadInputError: no such file, not such a file, a truncated or corrupt one, or several generations in it.
        MissingToolError: it is such a cubin, and no nvdisasm here can read it.

    Example:
        >>> from simtc.resources import folder
        >>> program = load(folder("kernels") / "listings" / "sm_75" / "wmma_tiled.sass")
        >>> program["wmma_tiled"].shared_bytes
        37888

    """
    name = os.fspath(path)
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise BadInputError(f"cannot read {name}: {reason}") from None
    if data.startswith(_BINARY):
        from simtc.sass.cubins import load_cubins  # noqa: PLC0415 - listings need no pyelftools and no decoder

        return Program(kernels=load_cubins(data, name, sm), origin=name)
    try:
        text = data.decode()
    except UnicodeDecodeError:
        raise BadInputError(f"{name} is neither a cubin, nor a file that holds one, nor a listing") from None
    program = parse_listing(text, name)
    wrong = next((kernel.sm for kernel in program.values() if sm not in (None, kernel.sm)), None)
    if wrong is not None:
        raise BadInputError(f"{name} holds code for sm_{wrong}, not for sm_{sm}")
    return program
