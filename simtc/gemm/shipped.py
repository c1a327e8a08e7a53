"""The kernels that ship with simtc: what they compute, and how a launch of them looks."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

import ml_dtypes
import numpy as np

from simtc.arch import Device
from simtc.errors import BadInputError, unknown
from simtc.isa import Kernel, Program
from simtc.resources import folder
from simtc.sass import load

__all__ = ["Shipped", "shipped", "shipped_names"]

_DTYPES: dict[str, Any] = {
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "s8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
    "s32": np.dtype(np.int32),
    "i32": np.dtype(np.int32),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Shipped:
    """One shipped GEMM: D = alpha * A * B + beta * C.

    Example:
        >>> shipped("wmma_tiled").block, shipped("wmma_tiled").dtype("A")
        ((128, 128, 32), dtype('float16'))

    """

    name: str
    summary: str
    source: str
    sms: tuple[int, ...]
    parameters: tuple[str, ...]
    layout: Mapping[str, str]  # of A, B and D: row or col
    block: tuple[int, int, int]
    multiple: tuple[int, int, int]
    threads: int
    dynamic_shared_bytes: int
    mma: str

    def dtype(self, matrix: str) -> np.dtype[Any]:
        """Return the numpy type of A, B, C or D."""
        found: np.dtype[Any] = _DTYPES[next(p.split("*")[0] for p in self.parameters if p.endswith(f"* {matrix}"))]
        return found

    def kernel(self, device: Device) -> Kernel:
        """Read the listing for a board's generation, or the nearest one below it that the board can execute.

        Raises:
            BadInputError: the kernel does not exist for that generation.

        """
        chip = int(device.sm_name.removeprefix("sm_"))
        able = [sm for sm in self.sms if sm // 10 == chip // 10 and sm <= chip]
        if not able:
            built = ", ".join(f"sm_{sm}" for sm in self.sms)
            raise BadInputError(
                f"kernel {self.name} is compiled for {built}; {device.name} is {device.sm_name}. "
                f"Try: simtc run {self.name} --device {_EXAMPLES[max(self.sms)]}"
            )
        path = folder("kernels") / "listings" / f"sm_{max(able)}" / f"{self.source.removesuffix('.cu')}.sass"
        return _listing(path)[self.name]

    def check(self, m: int, n: int, k: int) -> None:
        """Refuse sizes that the kernel cannot work on.

        Raises:
            BadInputError: names the size, what it must be a multiple of, and the nearest one.

        """
        for name, size, multiple in zip("mnk", (m, n, k), self.multiple, strict=True):
            if size < 1 or size % multiple:
                near = max(multiple, round(size / multiple) * multiple)
                raise BadInputError(
                    f"{name} = {size}: {self.name} takes multiples of {multiple}; the nearest is {near}"
                )

    def shape(self, matrix: str, m: int, n: int, k: int) -> tuple[int, int]:
        """Return the array shape of a matrix as it lies in memory: transposed where its layout is col."""
        rows, cols = {"A": (m, k), "B": (k, n)}.get(matrix, (m, n))
        column_major = self.layout["d" if matrix in "CD" else matrix.lower()] == "col"
        return (cols, rows) if column_major else (rows, cols)

    def grid(self, m: int, n: int) -> tuple[int, int, int]:
        """Return the launch's grid."""
        return (-(-n // self.block[1]), -(-m // self.block[0]), 1)

    def arguments(
        self, arrays: Mapping[str, np.ndarray], m: int, n: int, k: int, alpha: float, beta: float
    ) -> list[Any]:
        """Return the launch's arguments in the kernel's order."""
        numbers = {"m": m, "n": n, "k": k, "alpha": alpha, "beta": beta}
        numbers |= {f"ld{x.lower()}": self.shape(x, m, n, k)[1] for x in "ABCD"}
        out: list[Any] = []
        for parameter in self.parameters:
            kind, name = parameter.split(" ")
            out.append(arrays[name] if kind.endswith("*") else _DTYPES[kind].type(numbers[name]))
        return out


_EXAMPLES = {70: "v100_sxm2", 75: "t4", 80: "a100_sxm", 90: "h200"}


@cache
def _listing(path: Path) -> Program:
    return load(path)


@cache
def _table() -> Mapping[str, Shipped]:
    raw = tomllib.loads((folder("kernels") / "kernels.toml").read_text(encoding="utf-8"))

    def complete(name: str) -> dict[str, Any]:
        entry = dict(raw[name])
        base = entry.pop("like", None)
        return {**complete(base), **entry} if base else entry

    def build(name: str) -> Shipped:
        entry = complete(name)
        fields = {key: entry[key] for key in Shipped.__dataclass_fields__ if key in entry}
        fields |= {key: tuple(fields[key]) for key in ("sms", "parameters", "block", "multiple")}
        return Shipped(name=name, **fields)

    return MappingProxyType({name: build(name) for name in raw})


def shipped_names() -> tuple[str, ...]:
    """Return the names of all shipped kernels.

    Example:
        >>> "wmma_tiled" in shipped_names()
        True

    """
    return tuple(_table())


def shipped(name: str) -> Shipped:
    """Return a shipped kernel.

    Raises:
        BadInputError: no such kernel.

    """
    if name not in _table():
        raise unknown("kernel", name, _table(), then="simtc run --list")
    return _table()[name]
