"""The CuPy backend."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

import numpy as np

from simtc.errors import MissingToolError
from simtc.gpu.description import Description
from simtc.gpu.driver import driver_version

__all__ = ["CuPyDriver"]

_CLOCK_RATE, _MEMORY_CLOCK_RATE, _SMS, _MAJOR, _MINOR = 13, 36, 16, 75, 76  # cudaDeviceAttr
_MAX_DYNAMIC_SHARED = 8  # CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES
_EXTRA_END, _EXTRA_POINTER, _EXTRA_SIZE = 0, 1, 2  # CU_LAUNCH_PARAM_...


class CuPyDriver:
    """The primary context of device 0, through CuPy."""

    def __init__(self) -> None:
        try:
            import cupy  # noqa: PLC0415 - only where a GPU is asked for
            from cupy.cuda import driver, function, runtime  # noqa: PLC0415
        except ImportError as error:
            raise MissingToolError(
                f"CuPy cannot be imported ({error}). Try: pip install 'simtc[cupy-cuda13x]' (or cupy-cuda12x, as the "
                "CUDA version that nvidia-smi shows), or --backend pycuda"
            ) from None
        self.failures: tuple[type[Exception], ...] = (
            driver.CUDADriverError, runtime.CUDARuntimeError, cupy.cuda.memory.OutOfMemoryError,
        )  # fmt: skip
        try:
            runtime.setDevice(0)
            runtime.free(0)  # creates the context
        except self.failures as error:
            raise MissingToolError(f"CuPy finds no usable GPU ({error}). Try: nvidia-smi") from None
        self._cupy, self._driver, self._function, self._runtime = cupy, driver, function, runtime

    def describe(self) -> Description:
        """Return what the GPU is."""
        runtime = self._runtime

        def attribute(number: int) -> int:
            return int(runtime.deviceGetAttribute(number, 0))

        return Description(
            device=runtime.getDeviceProperties(0)["name"].decode(),
            compute_capability=(attribute(_MAJOR), attribute(_MINOR)),
            sms=attribute(_SMS),
            memory_bytes=int(runtime.memGetInfo()[1]),
            clock_mhz=attribute(_CLOCK_RATE) // 1000,
            memory_clock_mhz=attribute(_MEMORY_CLOCK_RATE) // 1000,
            driver=driver_version(),
            cuda=int(runtime.driverGetVersion()),
            backend=f"cupy {self._cupy.__version__}",
        )

    def function(self, image: bytes, name: str, dynamic_shared_bytes: int) -> Any:
        """Return a kernel of a cubin or of PTX; it keeps its module loaded."""
        module = self._function.Module()
        module.load(image + b"\0")
        function = module.get_function(name)
        if dynamic_shared_bytes:
            self._driver.funcSetAttribute(function.ptr, _MAX_DYNAMIC_SHARED, dynamic_shared_bytes)
        return function

    def upload(self, array: np.ndarray) -> tuple[Any, int]:
        """Copy a contiguous array to new device memory."""
        memory = self._cupy.cuda.alloc(max(array.nbytes, 1))
        if array.nbytes:
            memory.copy_from_host(array.ctypes.data_as(ctypes.c_void_p), array.nbytes)
        return memory, int(memory.ptr)

    def refill(self, memory: Any, array: np.ndarray) -> None:
        """Copy a contiguous array to device memory."""
        memory.copy_from_host(array.ctypes.data_as(ctypes.c_void_p), array.nbytes)

    def download(self, memory: Any, array: np.ndarray) -> None:
        """Copy device memory into a contiguous array."""
        if array.nbytes:
            memory.copy_to_host(array.ctypes.data_as(ctypes.c_void_p), array.nbytes)

    def launch(
        self, function: Any, grid: tuple[int, int, int], block: tuple[int, int, int], shared_bytes: int, area: bytes
    ) -> None:
        """Launch with the whole parameter area as one buffer."""
        buffer, size = ctypes.create_string_buffer(area, max(len(area), 1)), ctypes.c_size_t(len(area))
        extra = (ctypes.c_void_p * 5)(
            _EXTRA_POINTER, ctypes.addressof(buffer), _EXTRA_SIZE, ctypes.addressof(size), _EXTRA_END
        )
        stream = self._cupy.cuda.get_current_stream().ptr
        where = ctypes.addressof(extra) if area else 0
        self._driver.launchKernel(function.ptr, *grid, *block, shared_bytes, stream, 0, where)

    def synchronize(self) -> None:
        """Wait for the GPU."""
        self._runtime.deviceSynchronize()

    def seconds(self, work: Callable[[], None]) -> float:
        """Return the seconds between two events around what `work` enqueues."""
        start, end = self._cupy.cuda.Event(), self._cupy.cuda.Event()
        start.record()
        work()
        end.record()
        end.synchronize()
        return float(self._cupy.cuda.get_elapsed_time(start, end)) * 1e-3

    def nvrtc(self, source: str, name: str, options: tuple[str, ...]) -> tuple[bytes, str] | None:
        """Compile to a cubin with CuPy's NVRTC."""
        from cupy_backends.cuda.libs import nvrtc  # noqa: PLC0415 - loads a large library

        program = nvrtc.createProgram(source, name, (), ())
        try:
            nvrtc.compileProgram(program, options)
            return nvrtc.getCUBIN(program), ".".join(map(str, nvrtc.getVersion()))
        except nvrtc.NVRTCError:
            raise MissingToolError(
                f"NVRTC cannot compile {name}: {nvrtc.getProgramLog(program).strip()[:400]}"
            ) from None
        finally:
            nvrtc.destroyProgram(program)
