"""The kernels that ship with simtc: what they compute, and how a launch of them looks."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from simtc.arch import Device
from simtc.errors import BadInputError, unknown
from simtc.gemm.family import Dim3
from simtc.gemm.listing import shipped_kernel
from simtc.gemm.operands import DTYPES
from simtc.isa import Kernel
from simtc.resources import folder

__all__ = ["Shipped", "shipped", "shipped_names"]


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
    threads: Dim3
    grid_axes: tuple[str, ...]  # what the grid's x, y and z go along: n, m, or nothing ("")
    dynamic_shared_bytes: int
    mma: str

    def dtype(self, matrix: str) -> np.dtype[Any]:
        """Return the numpy type of A, B, C or D."""
        found: np.dtype[Any] = DTYPES[next(p.split("*")[0] for p in self.parameters if p.endswith(f"* {matrix}"))]
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
        return shipped_kernel(f"listings/sm_{max(able)}/{self.source.removesuffix('.cu')}.sass", self.name)

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

    def grid(self, m: int, n: int) -> Dim3:
        """Return the launch's grid."""
        blocks = {"m": -(-m // self.block[0]), "n": -(-n // self.block[1])}
        x, y, z = (*(blocks[axis] for axis in self.grid_axes), 1, 1)[:3]
        return x, y, z

    def arguments(
        self, arrays: Mapping[str, np.ndarray], m: int, n: int, k: int, alpha: float, beta: float
    ) -> list[Any]:
        """Return the launch's arguments in the kernel's order."""
        numbers = {"m": m, "n": n, "k": k, "alpha": alpha, "beta": beta}
        numbers |= {f"ld{x.lower()}": self.shape(x, m, n, k)[1] for x in "ABCD"}
        out: list[Any] = []
        for parameter in self.parameters:
            kind, name = parameter.split(" ")
            out.append(arrays[name] if kind.endswith("*") else DTYPES[kind].type(numbers[name]))
        return out


_EXAMPLES = {70: "v100_sxm2", 75: "t4", 80: "a100_sxm", 90: "h200"}


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
        threads = entry["threads"]
        x, y, z = (*(threads if isinstance(threads, list) else [threads]), 1, 1)[:3]
        fields |= {"threads": (x, y, z), "grid_axes": tuple(entry.get("grid_axes", ("n", "m")))}
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
