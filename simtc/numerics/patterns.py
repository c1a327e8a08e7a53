"""Between numpy arrays and bit patterns: by value where the dtype says a value, raw where it is just bits."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import ArrayLike, NDArray

from simtc.errors import BadInputError
from simtc.numerics.formats import Format

__all__ = ["from_patterns", "is_raw", "to_patterns"]

# The dtype that holds a format's values and has its bits; tf32 is an f32 whose low bits do not matter.
_NATIVE: dict[str, np.dtype[Any]] = {
    "f16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "tf32": np.dtype(np.float32),
    "f32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "e4m3": np.dtype(ml_dtypes.float8_e4m3fn),
    "e5m2": np.dtype(ml_dtypes.float8_e5m2),
    "s32": np.dtype(np.int32),
}
_NARROW = tuple(np.dtype(kind) for kind in (ml_dtypes.int4, ml_dtypes.uint4, ml_dtypes.int2, ml_dtypes.uint2))


def is_raw(dtype: np.dtype[Any], form: Format) -> bool:
    """Tell whether arrays of `dtype` are bit patterns of `form`: unsigned, and exactly as wide.

    Example:
        >>> from simtc.numerics.formats import format_named
        >>> [is_raw(np.dtype(name), format_named("f16")) for name in ("uint16", "uint8", "float16")]
        [True, False, False]

    """
    return dtype.kind == "u" and 8 * dtype.itemsize == form.bits


def to_patterns(array: ArrayLike, form: Format, what: str) -> NDArray[Any]:
    """Return the bit patterns of `array` in `form`, as uint32 (f64: uint64) of the same shape.

    Args:
        array: bit patterns or values, as `is_raw` tells.
        form: the element type.
        what: what to call the array in an error, such as "A".

    Raises:
        BadInputError: the dtype holds no numbers, or a value (or a NaN's payload) is not one of the format's.

    Example:
        >>> from simtc.numerics.formats import format_named
        >>> to_patterns([1.0, -0.5], format_named("bf16"), "A")
        array([16256, 48896], dtype=uint32)

    """
    values = np.asarray(array)
    word = np.uint64 if form.bits == 64 else np.uint32
    if is_raw(values.dtype, form):
        return values.astype(word)
    if values.dtype.kind not in "biuf" and not _is_extended(values.dtype):
        raw = f" or uint{form.bits} bit patterns" if form.bits >= 8 else ""
        raise BadInputError(f"{what} has dtype {values.dtype}: {form.name} takes numbers{raw}")
    if not form.is_float:
        return _integers(values, form, what).astype(word)
    return _floats(values, form, what).astype(word)


def from_patterns(patterns: NDArray[Any], form: Format, *, raw: bool) -> NDArray[Any]:
    """Return bit patterns as an array of the format's values, or as raw unsigned integers of its width."""
    words = np.ascontiguousarray(patterns.astype(f"uint{form.bits}", copy=False))
    return words if raw else words.view(_NATIVE[form.name])


def _is_extended(dtype: np.dtype[Any]) -> bool:
    """Tell whether a dtype is one of ml_dtypes' numbers."""
    return dtype.type.__module__ == "ml_dtypes" or dtype in _NARROW


def _integers(values: NDArray[Any], form: Format, what: str) -> NDArray[Any]:
    """Return integers modulo 2**32, all of which the format holds."""
    lowest, highest = form.limits
    numbers = values.astype(np.int8) if values.dtype in _NARROW else values
    if numbers.dtype.kind not in "biu":
        with np.errstate(invalid="ignore"):
            numbers = numbers.astype(np.float64)
            _refuse(np.floor(numbers) != numbers, values, form, what)
    _refuse((numbers < lowest) | (numbers > highest), values, form, what)
    return numbers.astype(np.int64) & ((1 << form.bits) - 1)


def _floats(values: NDArray[Any], form: Format, what: str) -> NDArray[Any]:
    native = _NATIVE[form.name]
    bits = np.dtype(f"uint{form.bits}")
    if values.dtype == native:
        patterns = np.ascontiguousarray(values).view(bits)
    else:
        with np.errstate(all="ignore"):
            wide = values.astype(np.float64)
            exact = (wide.astype(values.dtype) == values) | (wide != wide)  # noqa: PLR0124 - a NaN is not itself
            narrow = wide.astype(native)
            same = (narrow.astype(np.float64) == wide) | (wide != wide)  # noqa: PLR0124
        _refuse(~(exact & same), values, form, what)
        patterns = np.ascontiguousarray(narrow).view(bits)
        nans = np.isnan(wide)
        if nans.any():
            patterns = np.where(nans, _nan_patterns(wide, nans, form, what), patterns)
    if form.ignored_bits:
        _refuse((patterns & ((1 << form.ignored_bits) - 1)) != 0, values, form, what)
    return patterns


def _nan_patterns(wide: NDArray[Any], nans: NDArray[Any], form: Format, what: str) -> NDArray[Any]:
    """Carry the sign and payload of NaNs over, where the format has room for the payload."""
    source = np.ascontiguousarray(wide).view(np.uint64)
    sign, payload = source >> np.uint64(63), source & np.uint64((1 << 52) - 1)
    if form.special == "nan_only":
        fits, fraction = payload == 1 << 51, np.full_like(payload, (1 << form.fraction_bits) - 1)
    else:
        fits = payload & np.uint64((1 << (52 - form.fraction_bits)) - 1) == 0
        fraction = payload >> np.uint64(52 - form.fraction_bits)
    bad = nans & ~fits
    if bad.any():
        where = _first(bad)
        raise BadInputError(
            f"{what}{list(where)} is a NaN whose payload {int(payload[where]):#x} does not fit {form.name}:"
            f" give numpy's own nan, or the bits as uint{form.bits}"
        )
    return sign << np.uint64(form.bits - 1) | np.uint64(form.infinity & ~((1 << form.fraction_bits) - 1)) | fraction


def _first(mask: NDArray[np.bool_]) -> tuple[int, ...]:
    return tuple(int(place[0]) for place in np.nonzero(mask)) if mask.ndim else ()


def _refuse(mask: NDArray[np.bool_], values: NDArray[Any], form: Format, what: str) -> None:
    """Raise for the first value that the format cannot hold."""
    if not mask.any():
        return
    where = _first(mask)
    more = int(mask.sum()) - 1
    also = f" (and {more} more)" if more else ""
    limits = "" if form.is_float else f", which holds {form.limits[0]} to {form.limits[1]}"
    rounded = f": round to {form.name} first" if form.is_float else ""
    raise BadInputError(f"{what}{list(where)} = {values[where]} is not a value of {form.name}{limits}{also}{rounded}")
