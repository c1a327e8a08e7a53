"""The corpus as it was compiled: cubins in an archive of each half, and what made them.

Kernels of a source file bear on one another's machine code. So the development half keeps the archive in which it was
compiled beside the first exam half, and each exam half that is drawn later its own, of which only that half is used.
"""

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
from simtc.validate.corpus.drawing import EXAM_SEED, SEED, draw, half_of, names
from simtc.validate.corpus.knobs import Knobs

__all__ = ["BATCH", "FILES", "code", "kernel", "kernels_of", "manifest", "source_files"]

BATCH = 16  # kernels of a source file
FILES = {"development": "sm_90.tar.xz", "exam": "exam_sm_90.tar.xz"}
_EXAM_SEEDS = {"development": SEED, "exam": EXAM_SEED}  # with which the sources of each archive were written


def source_files() -> dict[str, list[str]]:
    """Return the names of the kernels in each source file of the corpus.

    Example:
        >>> len(source_files()), source_files()["loops_39"][-1]
        (40, 'loop_639')

    """
    every = names()
    return {f"loops_{at // BATCH:02d}": every[at : at + BATCH] for at in range(0, len(every), BATCH)}


def kernels_of(half: str) -> dict[str, list[Knobs]]:
    """Return what each source file of a half's archive was written from.

    Example:
        >>> [sum(map(len, kernels_of(half).values())) for half in FILES]
        [640, 640]

    """
    return {file: [draw(name, _EXAM_SEEDS[half]) for name in some] for file, some in source_files().items()}


@cache
def _members(half: str) -> Mapping[str, bytes]:
    path = folder("validate") / "corpus" / FILES[half]
    with tarfile.open(fileobj=io.BytesIO(path.read_bytes()), mode="r:xz") as archive:
        found = {one.name: archive.extractfile(one) for one in archive.getmembers()}
        return MappingProxyType({name: file.read() for name, file in found.items() if file is not None})


def manifest(half: str) -> dict[str, Any]:
    """Return what compiled a half of the corpus, and the SHA-256 of every source file's text.

    Example:
        >>> sorted(manifest("exam"))
        ['flags', 'sources', 'toolkit']

    """
    return dict(json.loads(_members(half)["manifest.json"]))


def _file_of(name: str) -> str:
    return f"loops_{names().index(name) // BATCH:02d}"


@cache
def _codes(half: str, file: str) -> Mapping[str, Code]:
    return codes_of(_members(half)[f"{file}.cubin"], f"{file}.cubin", str(manifest(half)["toolkit"]))


def code(name: str) -> Code:
    """Return a kernel of the corpus as a GPU loads it."""
    return _codes(half_of(name), _file_of(name))[name]


@cache
def _program(half: str, file: str) -> Program:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / f"{file}.cubin"
        path.write_bytes(_members(half)[path.name])
        return load(path)


def kernel(name: str) -> Kernel:
    """Return a kernel of the corpus as simtc reads its machine code.

    Example:
        >>> kernel("loop_000").sm
        90

    """
    return _program(half_of(name), _file_of(name))[name]
