"""Arrays of other libraries as numpy's, over the same memory: DLPack, which torch, jax and others export."""

from __future__ import annotations

import ctypes
from typing import Any, Protocol, runtime_checkable

import numpy as np

from simtc.errors import BadInputError

__all__ = ["Exporting", "exported"]

_ON_CPU = (1, 3)  # kDLCPU and kDLCUDAHost, pinned memory


@runtime_checkable
class Exporting(Protocol):
    """An array that can be shared by DLPack."""

    def __dlpack__(self, **options: Any) -> Any:
        """Return a capsule with a DLManagedTensor."""

    def __dlpack_device__(self) -> tuple[int, int]:
        """Return the kind of the device, and its number."""


def exported(array: Exporting) -> np.ndarray:
    """Return a numpy array over the memory of another library's array, writable if that is.

    Raises:
        BadInputError: it lies on a GPU, or has elements that numpy does not know.

    Source: DLPack 1.0 and the array API standard's `__dlpack__`. Capsules from before 1.0 do not say whether their
    memory is read-only, and mean that it is not.

    """
    what = f"{type(array).__module__}.{type(array).__name__}"
    try:
        here = int(array.__dlpack_device__()[0]) in _ON_CPU
        found = np.from_dlpack(array) if here else np.zeros(0)
    except (AttributeError, BufferError, RuntimeError, TypeError, ValueError) as error:
        raise BadInputError(f"this {what} does not export to numpy ({error}): pass a numpy array of it") from None
    if not here:
        raise BadInputError(f"this {what} is not in the CPU's memory: pass a copy that is, such as array.cpu()")
    return found if found.flags.writeable or not _before_1_0(array) else _writable(found)


def _before_1_0(array: Exporting) -> bool:
    try:
        return "dltensor_versioned" not in repr(array.__dlpack__(max_version=(1, 0)))
    except TypeError:  # an exporter that knows of no versions
        return True


def _writable(array: np.ndarray) -> np.ndarray:
    """Return the same memory without numpy's mark that it is read-only."""
    if not array.nbytes or not array.flags.c_contiguous:
        return array
    memory: Any = (ctypes.c_char * array.nbytes).from_address(array.ctypes.data)
    memory.owner = array  # keeps the export alive as long as what is made of it
    out: np.ndarray = np.frombuffer(memory, array.dtype).reshape(array.shape)
    return out
