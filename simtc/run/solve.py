"""One GEMM to run: its operands, made or read, its result, and how far off it is."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from simtc.arch import Device
from simtc.errors import BadInputError
from simtc.files import read_array
from simtc.gemm.shipped import Shipped
from simtc.resources import require_memory
from simtc.results import LaunchResult
from simtc.results.display import Columns, Display

__all__ = ["Solved", "operands", "read_matrix", "solve"]


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Solved(Display):
    """A GEMM that was run."""

    launch: LaunchResult
    m: int
    n: int
    k: int
    D: np.ndarray
    error: float | None  # norm of D - (alpha A B + beta C in float64), relative; None where D was not computed
    peak_tflops: float  # of the board's tensor cores for these types, at its clock

    @property
    def digest(self) -> str | None:
        """The first 16 digits of the SHA-256 of D's bytes; None where D was not computed."""
        return None if self.error is None else hashlib.sha256(self.D.tobytes()).hexdigest()[:16]

    @property
    def tflops(self) -> float | None:
        """Teraflops (teraops of integers), a multiply-add counting as two; None where the launch was not timed."""
        timing = self.launch.timing
        return None if timing is None else 2e-12 * self.m * self.n * self.k / timing.seconds

    def headline(self) -> str:
        """Return what was run in one line."""
        speed = f", {self.tflops:.2f} TFLOPS" if self.tflops else ""
        return f"{self.launch.kernel} {self.m} x {self.n} x {self.k} on {self.launch.device}{speed}"

    def columns(self) -> Columns:
        """Return one row: the launch's, the sizes, and what came out."""
        row = {"m": self.m, "n": self.n, "k": self.k, "tflops": self.tflops, "error": self.error, "digest": self.digest}
        return {**self.launch.columns(), **{name: [value] for name, value in row.items()}}

    def tables(self) -> Sequence[tuple[str, Columns]]:
        """Return the launch's tables."""
        return self.launch.tables()

    def to_dict(self) -> dict[str, object]:
        """Return the result as JSON types, with the keys of schema simtc.run/1."""
        out = self.launch.to_dict()
        return out | {
            "m": self.m,
            "n": self.n,
            "k": self.k,
            "tflops": self.tflops,
            "peak_tflops": self.peak_tflops,
            "digest": self.digest,
            "error": self.error,
        }


def read_matrix(path: Path, name: str, shape: tuple[int, int], dtype: np.dtype[Any]) -> np.ndarray:
    """Read a matrix from a .npy file.

    Raises:
        BadInputError: the file is missing or no .npy, or its shape or type is another.

    """
    array = read_array(path, what=name)
    if array.shape != shape or array.dtype != dtype:
        raise BadInputError(f"{name}: {path} is {array.dtype}{list(array.shape)}, needed is {dtype}{list(shape)}")
    return array


def operands(
    kernel: Shipped,
    m: int,
    n: int,
    k: int,
    *,
    seed: int | None = 0,
    given: Mapping[str, np.ndarray] | None = None,
) -> dict[str, np.ndarray]:
    """Return A, B, C as given, or drawn from a standard normal (integers: uniform), and D filled with zeros.

    Without a seed they are zeros, which take no time to make: what a sampled timing needs.

    The drawn values depend on the seed and the shapes alone.

    Raises:
        BadInputError: the matrices are larger than this machine's memory.

    """
    sizes = [kernel.dtype(x).itemsize * math.prod(kernel.shape(x, m, n, k)) for x in "ABCD"]
    require_memory(2 * sum(sizes), f"{kernel.name} {m} x {n} x {k}")  # they are copied once for the simulated chip
    generator = np.random.default_rng(seed)
    arrays = {}
    for name in "ABC":
        shape, dtype = kernel.shape(name, m, n, k), kernel.dtype(name)
        if seed is None:
            arrays[name] = np.zeros(shape, dtype)
            continue
        if np.issubdtype(dtype, np.integer):
            limits = np.iinfo(np.int8 if dtype == np.int32 else dtype)
            drawn = generator.integers(limits.min, limits.max, shape, dtype=dtype, endpoint=True)
        else:
            drawn = generator.standard_normal(shape, dtype=np.float32).astype(dtype)
        arrays[name] = drawn
    arrays |= given or {}
    return arrays | {"D": np.zeros(kernel.shape("D", m, n, k), kernel.dtype("D"))}


def solve(
    kernel: Shipped,
    device: Device,
    arrays: dict[str, np.ndarray],
    *,
    m: int,
    n: int,
    k: int,
    alpha: float = 1.0,
    beta: float = 0.0,
    timing: bool = False,
    fidelity: str = "full",
    caches: str = "cold",
    timeline: bool = False,
    check: bool = False,
    instruction_limit: int | None = None,
    launch_limit: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Solved:
    """Run a shipped GEMM over arrays from `operands`; D holds the result, unless only a sample of it was timed.

    Raises:
        BadInputError: sizes or a board that the kernel does not work on.
        KernelFaultError: the kernel faulted.

    """
    from simtc.run.launch import launch  # noqa: PLC0415 - compiles, and operands are made without it

    kernel.check(m, n, k)
    limits: dict[str, Any] = {"instruction_limit": instruction_limit, "launch_limit": launch_limit}
    outcome = launch(
        kernel.kernel(device),
        kernel.grid(m, n),
        kernel.threads,
        kernel.arguments(arrays, m, n, k, alpha, beta),
        shared_bytes=kernel.dynamic_shared_bytes,
        device=device,
        timing=timing,
        fidelity=fidelity,
        caches=caches,
        timeline=timeline,
        check=check,
        **{name: limit for name, limit in limits.items() if limit is not None},
        progress=progress,
    )
    error = None if fidelity == "sampled" else _error(kernel, arrays, alpha, beta)
    d_type, a_type, *_ = kernel.mma.split(".")[-4:]
    peak = device.tensor_peak_tflops("s8" if a_type == "u8" else a_type, d_type)  # unsigned ones run at the same rate
    return Solved(launch=outcome, m=m, n=n, k=k, D=arrays["D"], error=error, peak_tflops=peak)


def _error(kernel: Shipped, arrays: Mapping[str, np.ndarray], alpha: float, beta: float) -> float:
    a, b, c, d = (_as_matrix(kernel, name, arrays[name]) for name in "ABCD")
    exact = alpha * (a @ b) + beta * c
    return float(np.linalg.norm(d - exact)) / (float(np.linalg.norm(exact)) or 1.0)


def _as_matrix(kernel: Shipped, name: str, array: np.ndarray) -> np.ndarray:
    wide = array.astype(np.float64)
    return wide.T if kernel.layout["d" if name in "CD" else name.lower()] == "col" else wide
