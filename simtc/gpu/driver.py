"""What simtc asks of a CUDA package: the few calls that PyCUDA and CuPy both have."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from typing import Any, Protocol

import numpy as np

from simtc.gpu.description import Description

__all__ = ["Driver", "driver_version"]


class Driver(Protocol):
    """One CUDA context. Every method raises `failures` where CUDA refuses."""

    failures: tuple[type[Exception], ...]

    def describe(self) -> Description:
        """Return what the GPU is."""

    def function(self, image: bytes, name: str, dynamic_shared_bytes: int) -> Any:
        """Return a kernel of a cubin, or of PTX that the driver compiles, allowed that much dynamic shared memory."""

    def upload(self, array: np.ndarray) -> tuple[Any, int]:
        """Copy a contiguous array to new device memory; return what keeps it allocated, and its address."""

    def refill(self, memory: Any, array: np.ndarray) -> None:
        """Copy a contiguous array to device memory that `upload` gave for another one of its size."""

    def download(self, memory: Any, array: np.ndarray) -> None:
        """Copy device memory into a contiguous array."""

    def launch(
        self, function: Any, grid: tuple[int, int, int], block: tuple[int, int, int], shared_bytes: int, area: bytes
    ) -> None:
        """Launch with the whole parameter area as one block of bytes."""

    def synchronize(self) -> None:
        """Wait for the GPU."""

    def seconds(self, work: Callable[[], None]) -> float:
        """Return the seconds between two events around what `work` enqueues."""

    def nvrtc(self, source: str, name: str, options: tuple[str, ...]) -> tuple[bytes, str] | None:
        """Compile to a cubin with the package's own NVRTC; return it and NVRTC's version. None without one."""


def driver_version() -> str:
    """Return the driver's version as nvidia-smi tells it, or "" without nvidia-smi."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return ""
    command = [tool, "--query-gpu=driver_version", "--format=csv,noheader"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603 - the driver's own tool
    return done.stdout.split("\n")[0].strip() if done.returncode == 0 else ""
