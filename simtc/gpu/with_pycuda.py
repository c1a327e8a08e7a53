"""The PyCUDA backend."""

from __future__ import annotations

import atexit
from collections.abc import Callable
from typing import Any

import numpy as np

from simtc.errors import MissingToolError
from simtc.gpu.description import Description
from simtc.gpu.driver import driver_version

__all__ = ["PyCudaDriver"]


class PyCudaDriver:
    """A context of device 0, through PyCUDA."""

    def __init__(self) -> None:
        try:
            import pycuda  # noqa: PLC0415 - only where a GPU is asked for
            import pycuda.driver as cuda  # noqa: PLC0415
        except ImportError as error:
            raise MissingToolError(
                f"PyCUDA cannot be imported ({error}). Try: pip install 'simtc[pycuda]' (it needs the CUDA toolkit), "
                "or --backend cupy"
            ) from None
        self.failures: tuple[type[Exception], ...] = (cuda.Error,)
        try:
            cuda.init()
            self._device = cuda.Device(0)
            self._context = self._device.retain_primary_context()
            self._context.push()
            atexit.register(self._context.pop)  # PyCUDA aborts a process that ends with a context on its stack
        except cuda.Error as error:
            raise MissingToolError(f"PyCUDA finds no usable GPU ({error}). Try: nvidia-smi") from None
        self._cuda = cuda
        self._version = f"pycuda {pycuda.VERSION_TEXT}"

    def describe(self) -> Description:
        """Return what the GPU is."""
        device, attribute = self._device, self._cuda.device_attribute
        return Description(
            device=device.name(),
            compute_capability=tuple(device.compute_capability()),
            sms=device.get_attribute(attribute.MULTIPROCESSOR_COUNT),
            memory_bytes=device.total_memory(),
            clock_mhz=device.get_attribute(attribute.CLOCK_RATE) // 1000,
            memory_clock_mhz=device.get_attribute(attribute.MEMORY_CLOCK_RATE) // 1000,
            driver=driver_version(),
            cuda=self._cuda.get_driver_version(),
            backend=self._version,
        )

    def function(self, image: bytes, name: str, dynamic_shared_bytes: int) -> Any:
        """Return a kernel of a cubin or of PTX; it keeps its module loaded."""
        function = self._cuda.module_from_buffer(image + b"\0").get_function(name)
        if dynamic_shared_bytes:
            limit = self._cuda.function_attribute.MAX_DYNAMIC_SHARED_SIZE_BYTES
            function.set_attribute(limit, dynamic_shared_bytes)
        return function

    def upload(self, array: np.ndarray) -> tuple[Any, int]:
        """Copy a contiguous array to new device memory."""
        memory = self._cuda.mem_alloc(max(array.nbytes, 1))
        if array.nbytes:
            self._cuda.memcpy_htod(memory, array)
        return memory, int(memory)

    def refill(self, memory: Any, array: np.ndarray) -> None:
        """Copy a contiguous array to device memory."""
        self._cuda.memcpy_htod(memory, array)

    def download(self, memory: Any, array: np.ndarray) -> None:
        """Copy device memory into a contiguous array."""
        if array.nbytes:
            self._cuda.memcpy_dtoh(array, memory)

    def launch(
        self, function: Any, grid: tuple[int, int, int], block: tuple[int, int, int], shared_bytes: int, area: bytes
    ) -> None:
        """Launch with the whole parameter area as one argument."""
        function(*([np.void(area)] if area else []), grid=grid, block=block, shared=shared_bytes)

    def synchronize(self) -> None:
        """Wait for the GPU."""
        self._cuda.Context.synchronize()

    def seconds(self, work: Callable[[], None]) -> float:
        """Return the seconds between two events around what `work` enqueues."""
        start, end = self._cuda.Event(), self._cuda.Event()
        start.record()
        work()
        end.record()
        end.synchronize()
        return float(start.time_till(end)) * 1e-3

    def nvrtc(self, source: str, name: str, options: tuple[str, ...]) -> tuple[bytes, str] | None:  # noqa: ARG002
        """PyCUDA compiles with nvcc alone."""
        return None
