"""The corpus as it was compiled: cubins in one archive, and what made them."""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from simtc.gpu import Code
from simtc.gpu.code import codes_of
from simtc.isa import Kernel, Program
from simtc.resources import folder
from simtc.sass import load
from simtc.validate.corpus.drawing import names

__all__ = ["BATCH", "code", "kernel", "manifest", "source_files"]

BATCH = 16  # kernels of a source file


def source_files() -> dict[str, list[str]]:
    """Return the names of the kernels in each source file of the corpus.

    Example:
        >>> len(source_files()), source_files()["loops_39"][-1]
        (40, 'loop_639')

    """
    every = names()
    return {f"loops_{at // BATCH:02d}": every[at : at + BATCH] for at in range(0, len(every), BATCH)}


@cache
def _members() -> Mapping[str, bytes]:
    path = folder("validate") / "corpus" / "sm_90.tar.xz"
    with tarfile.open(fileobj=io.BytesIO(path.read_bytes()), mode="r:xz") as archive:
        found = {one.name: archive.extractfile(one) for one in archive.getmembers()}
        return MappingProxyType({name: file.read() for name, file in found.items() if file is not None})


def manifest() -> dict[str, Any]:
    """Return what compiled the corpus, and the SHA-256 of every source file's text.

    Example:
        >>> sorted(manifest())
        ['flags', 'sources', 'toolkit']

    """
    return dict(json.loads(_members()["manifest.json"]))


def _file_of(name: str) -> str:
    return f"loops_{names().index(name) // BATCH:02d}"


@cache
def _codes(file: str) -> Mapping[str, Code]:
    return codes_of(_members()[f"{file}.cubin"], f"{file}.cubin", str(manifest()["toolkit"]))


def code(name: str) -> Code:
    """Return a kernel of the corpus as a GPU loads it."""
    return _codes(_file_of(name))[name]


@cache
def _program(file: str) -> Program:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / f"{file}.cubin"
        path.write_bytes(_members()[path.name])
        return load(path)


def kernel(name: str) -> Kernel:
    """Return a kernel of the corpus as simtc reads its machine code.

    Example:
        >>> kernel("loop_000").sm
        90

    """
    return _program(_file_of(name))[name]
