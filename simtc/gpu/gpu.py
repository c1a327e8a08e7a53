"""Launch on a GPU with the arguments of `simtc.launch`."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from simtc.errors import BadInputError, SimtcError, unknown
from simtc.gpu.code import Code
from simtc.gpu.compile import compile_shipped
from simtc.gpu.description import Description
from simtc.gpu.driver import Driver
from simtc.isa import Kernel
from simtc.results.display import Columns, Display, by_column
from simtc.run.arguments import marshal
from simtc.run.grid import dim3

__all__ = ["BACKENDS", "Gpu", "GpuError", "Launched", "Prepared", "launch", "open_gpu"]

BACKENDS = ("pycuda", "cupy")


class GpuError(SimtcError):
    """The GPU refused a launch or faulted in it (exit code 4)."""

    exit_code = 4


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Launched(Display):
    """A launch on a GPU: the fields that `simtc.launch`'s result has too, and the time by events where asked for."""

    kernel: str
    device: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    event_seconds: float | None = None

    @property
    def seconds(self) -> float:
        """Seconds between two events around the launch; needs timing=True."""
        if self.event_seconds is None:
            raise AttributeError("this launch was not timed: pass timing=True")
        return self.event_seconds

    def headline(self) -> str:
        """Return kernel, chip, shape and time in one line."""
        grid, block = (" x ".join(map(str, shape)) for shape in (self.grid, self.block))
        timed = "" if self.event_seconds is None else f", {1e6 * self.event_seconds:,.1f} us between two events"
        return f"{self.kernel} on {self.device}: grid {grid}, block {block}{timed}"

    def columns(self) -> Columns:
        """Return one row."""
        return by_column([{name: getattr(self, name) for name in self.__slots__}])


class Gpu:
    """An open GPU: launches, and remembers the functions that it loaded."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.description: Description = driver.describe()
        self._functions: dict[tuple[str, str, int], Any] = {}

    def launch(
        self,
        code: Code,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        args: Sequence[Any],
        *,
        shared_bytes: int = 0,
        timing: bool = False,
    ) -> Launched:
        """Launch one kernel and write the arrays among `args` back; see `launch`."""
        with self.prepared(code, grid, block, args, shared_bytes=shared_bytes) as ready:
            seconds = ready.seconds()
            ready.buffers.write_back()
        return Launched(
            kernel=code.kernel.name,
            device=self.description.device,
            grid=ready.grid,
            block=ready.block,
            event_seconds=seconds if timing else None,
        )

    @contextmanager
    def prepared(
        self,
        code: Code,
        grid: int | Sequence[int],
        block: int | Sequence[int],
        args: Sequence[Any],
        *,
        shared_bytes: int = 0,
    ) -> Iterator[Prepared]:
        """Upload a launch's arguments, to launch as often as wanted; what CUDA refuses becomes a GpuError."""
        grid3, block3 = dim3("grid", grid), dim3("block", block)
        try:
            function = self._function(code, shared_bytes)
            buffers = Buffers(self.driver, code.kernel, args)
            yield Prepared(
                driver=self.driver,
                function=function,
                grid=grid3,
                block=block3,
                shared_bytes=shared_bytes,
                buffers=buffers,
            )
        except self.driver.failures as error:
            raise GpuError(f"{code.kernel.name} on {self.description.device}: {error}") from None

    def alive(self) -> bool:
        """Tell whether the context still works: a fault in a kernel can end it."""
        try:
            self.driver.synchronize()
            self.driver.upload(np.zeros(1, np.uint8))
        except self.driver.failures:
            return False
        return True

    def _function(self, code: Code, shared_bytes: int) -> Any:
        key = hashlib.sha256(code.image).hexdigest(), code.kernel.name, shared_bytes
        if key not in self._functions:
            self._functions[key] = self.driver.function(code.image, code.kernel.name, shared_bytes)
        return self._functions[key]


class Buffers:
    """Device copies of a launch's arrays, and the parameter area that points at them."""

    def __init__(self, driver: Driver, kernel: Kernel, args: Sequence[Any]) -> None:
        self._driver = driver
        marshalled = marshal(kernel, args)  # checks everything, with the simulator's own addresses in the area
        area = bytearray(marshalled.area)
        self._kept: list[tuple[Any, np.ndarray]] = []
        addresses: list[int] = []
        for number, array in enumerate(marshalled.buffers):
            for one in marshalled.tables.get(number, ()):  # arrays of pointers come after what they point to
                array[one.at // 8] = addresses[one.buffer] + one.offset
            addresses.append(self._upload(array))
        for one in marshalled.pointers:
            area[one.at : one.at + 8] = (addresses[one.buffer] + one.offset).to_bytes(8, "little")
        self.area = bytes(area)
        self.spans = tuple((at, array.nbytes) for at, (_, array) in zip(addresses, self._kept, strict=True))
        """Where each array begins on the device, and its bytes."""

    def _upload(self, array: np.ndarray) -> int:
        memory, pointer = self._driver.upload(array)
        self._kept.append((memory, array))
        return pointer

    def write_back(self) -> None:
        """Copy what the GPU left in them to the host's arrays."""
        for memory, array in self._kept:
            if array.flags.writeable:
                self._driver.download(memory, array)

    def restore(self, contents: Sequence[np.ndarray]) -> None:
        """Copy what the buffers once held, an array each, to those whose host array now holds something else."""
        for (memory, array), first in zip(self._kept, contents, strict=True):
            if not np.array_equal(array, first):
                self._driver.refill(memory, first)

    def contents(self) -> list[np.ndarray]:
        """Return copies of the host's arrays, for `restore`."""
        return [array.copy() for _, array in self._kept]

    def written(self) -> list[np.ndarray]:
        """Copy back, and return the arrays that a launch may write."""
        self.write_back()
        return [array for _, array in self._kept if array.flags.writeable]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A launch whose arguments lie on the device."""

    driver: Driver
    function: Any
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared_bytes: int
    buffers: Buffers

    def enqueue(self) -> None:
        """Launch once and do not wait."""
        self.driver.launch(self.function, self.grid, self.block, self.shared_bytes, self.buffers.area)

    def seconds(self) -> float:
        """Launch once, wait, and return the seconds between two events around the launch."""
        taken = self.driver.seconds(self.enqueue)
        self.driver.synchronize()
        return taken


@cache
def open_gpu(backend: str = "pycuda") -> Gpu:
    """Open the GPU at hand, once in a process.

    Raises:
        BadInputError: no such backend.
        MissingToolError: no GPU, no package, or too old a driver; says what to do.

    Example:
        >>> open_gpu("opencl")
        Traceback (most recent call last):
        simtc.errors.BadInputError: unknown backend 'opencl': known are pycuda, cupy.

    """
    if backend == "pycuda":
        from simtc.gpu.with_pycuda import PyCudaDriver  # noqa: PLC0415 - only the one that was asked for

        return Gpu(PyCudaDriver())
    if backend == "cupy":
        from simtc.gpu.with_cupy import CuPyDriver  # noqa: PLC0415

        return Gpu(CuPyDriver())
    raise unknown("backend", backend, BACKENDS)


def launch(
    kernel: Kernel | Code,
    grid: int | Sequence[int],
    block: int | Sequence[int],
    args: Sequence[Any],
    *,
    shared_bytes: int = 0,
    backend: str = "pycuda",
    timing: bool = False,
) -> Launched:
    """Run a kernel on the GPU: the arrays among `args` hold the results afterwards, as with `simtc.launch`.

    Args:
        kernel: from `simtc.gpu.load(path)[name]`, or a shipped kernel's, which is compiled for the GPU at hand.
        grid: blocks in x, y, z.
        block: threads of a block in x, y, z.
        args: as `simtc.launch` takes them.
        shared_bytes: dynamic shared memory of a block.
        backend: "pycuda" or "cupy".
        timing: also measure the time between two events.

    Raises:
        BadInputError: wrong arguments, or a kernel of which there is no loadable code.
        MissingToolError: no GPU, package or compiler.
        GpuError: the GPU refused the launch or faulted in it.

    """
    gpu = open_gpu(backend)
    code = kernel if isinstance(kernel, Code) else _shipped_code(kernel, gpu)
    return gpu.launch(code, grid, block, args, shared_bytes=shared_bytes, timing=timing)


def _shipped_code(kernel: Kernel, gpu: Gpu) -> Code:
    from simtc.gemm.shipped import shipped, shipped_names  # noqa: PLC0415 - a lower room, but only shipped kernels need it

    if kernel.name not in shipped_names():
        raise BadInputError(
            f"{kernel.name} is no shipped kernel, and a disassembled kernel cannot be loaded: launch "
            f"simtc.gpu.load('kernel.cubin')['{kernel.name}']"
        )
    return compile_shipped(shipped(kernel.name).source, gpu)[kernel.name]
