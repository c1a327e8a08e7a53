"""Float immediates as nvdisasm prints them."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable
from functools import lru_cache

__all__ = ["FLOATS", "float_text"]

_SCIENTIFIC_FROM = 1e9  # from here on nvdisasm prints 20 decimals and an exponent


def _half(bits: int) -> float:
    return float(struct.unpack("<e", struct.pack("<H", bits))[0])


def _bfloat(bits: int) -> float:
    return _single(bits << 16)


def _single(bits: int) -> float:
    return float(struct.unpack("<f", struct.pack("<I", bits))[0])


def _double(bits: int) -> float:
    return float(struct.unpack("<d", struct.pack("<Q", bits << 32))[0])


# Width in bits, value of those bits; f64 is the high word of a double, whose low word is zero. CUDA 12.8's nvdisasm,
# which is the last to read sm_70, prints every NaN of f32 and f16 as quiet: f32q, f16q.
FLOATS: dict[str, tuple[int, Callable[[int], float]]] = {
    "f32": (32, _single),
    "f32q": (32, _single),
    "f64": (32, _double),
    "f16": (16, _half),
    "f16q": (16, _half),
    "bf16": (16, _bfloat),
}
_QUIET = {"f32": 22, "f64": 19, "f16": 9, "bf16": 6}  # the bit that makes a NaN quiet


@lru_cache(maxsize=65536)
def float_text(bits: int, form: str) -> str:
    """Return what nvdisasm prints for a float immediate; a blank follows INF, NAN and -0.0.

    Example:
        >>> float_text(0x3F800000, "f32"), float_text(0x2E66, "f16"), float_text(0xFF800000, "f32")
        ('1', '0.0999755859375', '-INF ')

    """
    width, read = FLOATS[form]
    value = read(bits)
    sign = "-" if bits >> width - 1 else "+"
    if math.isnan(value):
        return f"{sign}{'Q' if form not in _QUIET or bits >> _QUIET[form] & 1 else 'S'}NAN "
    if math.isinf(value):
        return f"{sign}INF "
    if value == 0:
        return "-0.0 " if sign == "-" else "0"
    return f"{value:.20e}" if abs(value) >= _SCIENTIFIC_FROM else f"{value:.20g}"
