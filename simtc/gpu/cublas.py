"""cuBLAS through its C interface, whichever package opened the GPU: the vendor's own time beside a kernel's."""

from __future__ import annotations

import ctypes
import importlib.util
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from simtc.errors import MissingToolError, SimtcError, unknown
from simtc.gpu.gpu import Gpu

__all__ = ["GEMM_TYPES", "find_cublas", "gemm"]

# types of A and B, of C and D: cudaDataType of each, cublasComputeType, and numpy's types of alpha and of an element
_TYPES = {
    "f16.f32": (2, 0, 68, np.float32, 2, 4),
    "f16.f16": (2, 2, 64, np.float16, 2, 2),
    "bf16.f32": (14, 0, 68, np.float32, 2, 4),
    "s8.s32": (3, 10, 72, np.int32, 1, 4),
}
GEMM_TYPES = tuple(_TYPES)
_NO_TRANSPOSE, _TRANSPOSE, _DEFAULT_ALGORITHM = 0, 1, -1


def find_cublas() -> ctypes.CDLL:
    """Load libcublas: the wheel's, the toolkit's, or the loader's own choice.

    Raises:
        MissingToolError: there is none.

    """
    wheel = importlib.util.find_spec("nvidia")
    roots = [Path(place) for place in (wheel.submodule_search_locations or [])] if wheel else []
    given = (os.environ.get(key) for key in ("CUDA_HOME", "CUDA_ROOT", "CUDA_PATH"))
    homes = [*(Path(home) for home in given if home), Path("/usr/local/cuda")]
    places = [found for root in roots for found in sorted(root.glob("*/lib/libcublas.so.*"))]
    places += [found for home in homes for found in sorted(home.glob("lib64/libcublas.so.*"))]
    for candidate in (*map(str, reversed(places)), "libcublas.so.13", "libcublas.so.12", "libcublas.so"):
        try:
            return ctypes.CDLL(candidate)
        except OSError:
            continue
    raise MissingToolError("no cuBLAS was found to compare with. Try: pip install nvidia-cublas, or CUDA_HOME=...")


@contextmanager
def gemm(gpu: Gpu, types: str, m: int, n: int, k: int) -> Iterator[Callable[[], None]]:
    """Yield what enqueues D = A B by cuBLAS's own choice of kernel; by rows, B by columns where elements are bytes.

    Raises:
        BadInputError: unknown types.
        MissingToolError: there is no cuBLAS.
        SimtcError: cuBLAS refuses.

    """
    if types not in _TYPES:
        raise unknown("types of cuBLAS", types, _TYPES)
    operand, result, compute, scalar, operand_bytes, result_bytes = _TYPES[types]
    library = find_cublas()
    handle = ctypes.c_void_p()
    _ok(library.cublasCreate_v2(ctypes.byref(handle)), "cublasCreate")
    one, zero = scalar(1), scalar(0)
    alpha, beta = (np.array([x]) for x in (one, zero))
    sizes = (m * k * operand_bytes, k * n * operand_bytes, m * n * result_bytes)
    held = [gpu.driver.upload(np.zeros(size, np.uint8)) for size in sizes]
    a, b, d = (ctypes.c_void_p(pointer) for _, pointer in held)
    by_columns = operand_bytes == 1  # its integer kernels take B by columns alone

    def enqueue() -> None:  # cuBLAS counts by columns: D by rows is its D transposed
        _ok(
            library.cublasGemmEx(
                handle, _TRANSPOSE if by_columns else _NO_TRANSPOSE, _NO_TRANSPOSE, n, m, k,
                ctypes.c_void_p(alpha.ctypes.data), b, operand, k if by_columns else n, a, operand, k,
                ctypes.c_void_p(beta.ctypes.data), d, result, n, compute, _DEFAULT_ALGORITHM,
            ),
            f"cublasGemmEx {types} {m}x{n}x{k}",
        )  # fmt: skip

    try:
        yield enqueue
    finally:
        gpu.driver.synchronize()
        library.cublasDestroy_v2(handle)


def _ok(status: int, what: str) -> None:
    if status:
        raise SimtcError(f"{what} ended with status {status}")
