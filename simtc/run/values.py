"""Arguments by value: Python's numbers, numpy's, and bytes, as a kernel's parameter holds them."""

from __future__ import annotations

from typing import Any

import numpy as np

from simtc.errors import BadInputError
from simtc.isa import Kernel

__all__ = ["by_value"]

_WHOLE = (1, 2, 4, 8)  # bytes of a whole number
_REAL: dict[int, Any] = {4: np.float32, 8: np.float64}  # of 2 bytes there are two types


def by_value(kernel: Kernel, place: int, value: Any, size: int) -> bytes:
    """Return an argument by value as its parameter of so many bytes holds it.

    Raises:
        BadInputError: it has another size or type, or the parameter cannot hold it.

    """
    if isinstance(value, (bytes, bytearray)):
        data = bytes(value)
    elif isinstance(value, (np.generic, np.ndarray)) and not value.dtype.hasobject:
        data = value.astype(value.dtype.newbyteorder("="), copy=False).tobytes()
    elif isinstance(value, int) and size in _WHOLE:
        data = _whole(kernel, place, value, size)
    elif isinstance(value, float) and size in _REAL:
        data = _real(kernel, place, value, size)
    else:
        raise BadInputError(
            f"argument {place} of {kernel.name}: got {type(value).__name__} {value!r}; "
            f"pass an array, a numpy scalar of {size} bytes, or bytes"
        )
    if len(data) != size:
        raise BadInputError(f"argument {place} of {kernel.name} takes {size} bytes, got {len(data)} ({value!r})")
    return data


def _whole(kernel: Kernel, place: int, value: int, size: int) -> bytes:
    """Return a Python int as the parameter holds it, signed or not."""
    low, high = -(1 << (8 * size - 1)), (1 << 8 * size) - 1
    if not low <= value <= high:
        raise BadInputError(f"argument {place} of {kernel.name} has {size} bytes: {value} is not from {low} to {high}")
    return value.to_bytes(size, "little", signed=value < 0)


def _real(kernel: Kernel, place: int, value: float, size: int) -> bytes:
    """Return a Python float as the parameter holds it."""
    with np.errstate(over="ignore"):
        rounded = np.array(value, _REAL[size])
    if np.isinf(rounded) and not np.isinf(value):
        raise BadInputError(f"argument {place} of {kernel.name} has {size} bytes: {value!r} is beyond an f{8 * size}")
    return rounded.tobytes()
