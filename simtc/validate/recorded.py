"""Launches that validate/others/build.py recorded of host code by others, and the memory that they work on."""

from __future__ import annotations

import io
import json
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simtc.errors import SimtcError
from simtc.gpu import Code
from simtc.gpu.code import codes_of
from simtc.isa import Kernel
from simtc.jit import cache_root
from simtc.run.arguments import Struct
from simtc.sass import load
from simtc.validate.corpus.launch import numbers

__all__ = ["Recorded", "Run", "archive", "recorded_launches"]

Array = NDArray[np.uint8]
Run = Callable[["Recorded", list[Any]], None]
"""Executes a launch over arguments, so that the arrays among them hold its results."""

_FIRST, _APART = 0x5EB00000A0000000, 1 << 40  # where recorder.cpp places the buffers of a program
_POINTER_BYTES = 8


@dataclass(frozen=True, kw_only=True)
class Recorded:
    """One launch: what the host code asked the runtime for."""

    program: str
    number: int  # of the program's launches
    file: str  # of the archive
    kernel_name: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    parameters: tuple[bytes, ...]

    @property
    def code(self) -> Code:
        """The machine code, for a GPU."""
        return _codes(self.file)[self.kernel_name]

    @property
    def kernel(self) -> Kernel:
        """The machine code, for simtc."""
        return _kernels(self.file)[self.kernel_name]

    def arguments(self, run: Run) -> list[Any]:
        """Return the arguments, over arrays that hold what the program's launches before this one left in them."""
        buffers = [one.copy() for one in _before(self.file, self.program, self.number, run)]
        return [_with_arrays(one, buffers) for one in self.parameters]


def archive() -> Path:
    """Return where validate/others/build.py leaves what it compiled: code of others, not simtc's."""
    return cache_root() / "others_sm_90.tar.xz"


def recorded_launches() -> list[Recorded]:
    """Return the first launch of each kernel of each program."""
    found: dict[tuple[str, str], Recorded] = {}
    for file in sorted(name.removesuffix(".jsonl") for name in _members() if name.endswith(".jsonl")):
        for program in _programs(file):
            for step in _steps(file, program):
                if isinstance(step, Recorded):
                    found.setdefault((program, step.kernel_name), step)
    return list(found.values())


def _with_arrays(parameter: bytes, buffers: list[Array]) -> Struct:
    """Return a parameter with the arrays in the places of the addresses that the recorder made up."""
    pointers: dict[int, tuple[Array, int]] = {}
    for at in range(0, len(parameter) - _POINTER_BYTES + 1, _POINTER_BYTES):
        where = _place(int.from_bytes(parameter[at : at + _POINTER_BYTES], "little"), buffers)
        if where:
            pointers[at] = where
    return Struct(parameter, pointers)


def _place(address: int, buffers: list[Array]) -> tuple[Array, int] | None:
    """Return the buffer that an address points into, or to the end of, and where in it."""
    number, offset = divmod(address - _FIRST, _APART)
    if 0 <= number < len(buffers) and offset <= buffers[number].nbytes:
        return buffers[number], offset
    return None


@lru_cache(maxsize=2)  # the launches of a program are asked for one after another
def _before(file: str, program: str, number: int, run: Run) -> list[Array]:
    """Return the program's buffers as a launch finds them."""
    steps = _steps(file, program)
    launched = [at for at, step in enumerate(steps) if isinstance(step, Recorded)]
    since = launched[number - 1] if number else 0  # what was done up to here is done
    buffers = [one.copy() for one in _before(file, program, number - 1, run)] if number else _buffers(file, program)
    for step in steps[since : launched[number]]:
        if isinstance(step, Recorded):
            run(step, [_with_arrays(one, buffers) for one in step.parameters])
        else:
            _apply(step, buffers)
    return buffers


def _apply(step: Mapping[str, Any], buffers: list[Array]) -> None:
    """Set or copy bytes, as the program does between launches."""
    if step["step"] == "buffer":
        return
    to, at = _certain(step["to"], buffers)
    if step["step"] == "set":
        to[at : at + step["bytes"]] = step["value"]
    else:
        source, start = _certain(step["from"], buffers)
        to[at : at + step["bytes"]] = source[start : start + step["bytes"]].copy()


def _certain(address: int, buffers: list[Array]) -> tuple[Array, int]:
    where = _place(address, buffers)
    if where is None:
        raise SimtcError(f"a recorded program writes to {address:#x}, where it has no buffer")
    return where


def _buffers(file: str, program: str) -> list[Array]:
    """Return the program's buffers as it begins."""
    wanted = [one for one in _steps(file, program) if not isinstance(one, Recorded) and one["step"] == "buffer"]
    return [_contents(one["contents"], one["bytes"], number) for number, one in enumerate(wanted)]


def _contents(kind: str, size: int, seed: int) -> Array:
    if kind == "numbers":
        return numbers(size)
    if kind == "bits":
        return np.random.Generator(np.random.PCG64(seed)).integers(0, 1 << 8, size, dtype=np.uint8)
    return np.zeros(size, np.uint8)


@cache
def _programs(file: str) -> Mapping[str, list[Any]]:
    """Return the steps of each program of a file."""
    found: dict[str, list[Any]] = {}
    launches = 0
    for line in _members()[f"{file}.jsonl"].decode().splitlines():
        step = json.loads(line)
        if step["step"] == "program":
            name, launches = step["name"], 0
            found[name] = []
        elif step["step"] == "launch":
            found[name].append(_launch(step, name, launches, file))
            launches += 1
        else:
            found[name].append(step)
    return MappingProxyType(found)


def _launch(step: Mapping[str, Any], program: str, number: int, file: str) -> Recorded:
    grid, block = ((int(x), int(y), int(z)) for x, y, z in (step["grid"], step["block"]))
    return Recorded(
        program=program, number=number, file=file, kernel_name=step["kernel"], grid=grid, block=block,
        shared_bytes=step["shared_bytes"], parameters=tuple(map(bytes.fromhex, step["parameters"])),
    )  # fmt: skip


def _steps(file: str, program: str) -> list[Any]:
    return _programs(file)[program]


@cache
def _members() -> Mapping[str, bytes]:
    with tarfile.open(fileobj=io.BytesIO(archive().read_bytes()), mode="r:xz") as opened:
        found = {one.name: opened.extractfile(one) for one in opened.getmembers()}
        return MappingProxyType({name: file.read() for name, file in found.items() if file is not None})


@cache
def _codes(file: str) -> Mapping[str, Code]:
    toolkit = str(json.loads(_members()["manifest.json"])["toolkit"])
    return codes_of(_members()[f"{file}.cubin"], f"{file}.cubin", toolkit)


@cache
def _kernels(file: str) -> Mapping[str, Kernel]:
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch) / f"{file}.cubin"
        path.write_bytes(_members()[path.name])
        return load(path)
