"""Code that a GPU can load, and what a launch must know of it."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from simtc.errors import BadInputError
from simtc.isa import Kernel
from simtc.sass.elf import Image, read_cubin

__all__ = ["Code", "codes_of", "load"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """One kernel as the driver loads it: the image that holds it, and its parameters.

    `kernel` has no instructions where nothing disassembled the cubin: enough to launch on a GPU, not to simulate.
    """

    kernel: Kernel
    image: bytes = field(repr=False)  # a cubin, or PTX that the driver compiles
    machine_code: bytes = field(default=b"", repr=False)
    toolkit: str = ""  # what compiled it, where that is known


def load(path: str | os.PathLike[str], toolkit: str = "") -> dict[str, Code]:
    """Read the kernels of a cubin for the GPU; no disassembler is needed.

    Raises:
        BadInputError: no such file, or no cubin.

    """
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise BadInputError(f"cannot read {os.fspath(path)}: {error.strerror}") from None
    return codes_of(data, os.fspath(path), toolkit)


def codes_of(cubin: bytes, origin: str, toolkit: str = "") -> dict[str, Code]:
    """Return the kernels of a cubin held in memory, by name.

    Raises:
        BadInputError: it is no cubin.

    """
    return {
        image.name: Code(kernel=_bare(image), image=cubin, machine_code=image.code, toolkit=toolkit)
        for image in read_cubin(cubin, origin)
    }


def _bare(image: Image) -> Kernel:
    shared = {
        name: getattr(image, name)
        for name in Image.__dataclass_fields__
        if name in Kernel.__dataclass_fields__ and name not in ("constants", "relocations", "global_data")
    }
    return Kernel(instructions=(), **shared)
