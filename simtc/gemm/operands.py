"""A problem's matrices as numpy arrays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import ml_dtypes
import numpy as np

from simtc.gemm.problem import Problem

__all__ = ["DTYPES", "bits", "drawn", "dtype", "embedded", "fma", "logical", "zeros"]

DTYPES: Mapping[str, np.dtype[Any]] = {
    "f16": np.dtype(np.float16),
    "f32": np.dtype(np.float32),
    "tf32": np.dtype(np.float32),
    "f64": np.dtype(np.float64),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "s8": np.dtype(np.int8),
    "u8": np.dtype(np.uint8),
    "s32": np.dtype(np.int32),
    "i32": np.dtype(np.int32),
    "c64": np.dtype(np.complex64),
    "c128": np.dtype(np.complex128),
    "c32": np.dtype([("re", np.float16), ("im", np.float16)]),  # __half2: numpy has no complex number so short
}


def dtype(problem: Problem, name: str) -> np.dtype[Any]:
    """Return the numpy type of A, B, C or D."""
    return DTYPES[problem.element(name)]


def zeros(problem: Problem) -> dict[str, np.ndarray]:
    """Return A, B, C and D as they lie in memory, filled with zeros.

    Example:
        >>> {name: array.shape for name, array in zeros(Problem(m=4, n=3, k=2, batch=(7,))).items()}
        {'A': (7, 4, 2), 'B': (7, 2, 3), 'C': (7, 4, 3), 'D': (7, 4, 3)}

    """
    return {name: np.zeros(problem.stored(name), dtype(problem, name)) for name in "ABCD"}


def drawn(problem: Problem, seed: int) -> dict[str, np.ndarray]:
    """Return A, B and C drawn from a standard normal (integers: uniform in 8 bits), and D of zeros."""
    generator, arrays = np.random.default_rng(seed), zeros(problem)
    for name in "ABC":
        array = arrays[name]
        if array.dtype.kind in "iu":
            limits = np.iinfo(np.int8 if array.dtype == np.int32 else array.dtype)
            array[...] = generator.integers(limits.min, limits.max, array.shape, dtype=array.dtype, endpoint=True)
        elif array.dtype.names:
            for part in array.dtype.names:
                array[part] = generator.standard_normal(array.shape, dtype=np.float32).astype(array.dtype[part])
        else:
            array[...] = generator.standard_normal(array.shape, dtype=np.float32).astype(array.dtype)
            if array.dtype.kind == "c":
                array.imag[...] = generator.standard_normal(array.shape, dtype=np.float32)
    return arrays


def bits(array: np.ndarray) -> np.ndarray:
    """Return an array's bits as unsigned integers of the elements' width, of complex ones real and imaginary in turn.

    Example:
        >>> bits(np.array([1 + 2j], np.complex64)).tolist() == [0x3F800000, 0x40000000]
        True

    """
    array = np.ascontiguousarray(array)
    width = array.itemsize // (2 if array.dtype.kind == "c" else 1)
    return array.view(f"u{width}")


def embedded(problem: Problem, whole: Problem, arrays: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Return the matrices of a problem in the corner of larger ones, filled up with zeros.

    Example:
        >>> small = Problem(m=1, n=1, k=3)
        >>> embedded(small, small.padded((1, 1, 2)), {"A": np.ones((1, 3)), "B": np.ones((3, 1))})["A"]
        array([[1., 1., 1., 0.]], dtype=float16)

    """
    found = zeros(whole)
    for name, array in arrays.items():
        rows, columns = problem.shape(name)
        logical(whole, name, found[name])[..., :rows, :columns] = logical(problem, name, array)
    return found


def logical(problem: Problem, name: str, array: np.ndarray) -> np.ndarray:
    """Return a matrix (..., rows, columns), a view of how it lies in memory.

    Example:
        >>> one = Problem(m=4, n=3, k=2, majors=("row", "col", "row"), ldb=8)
        >>> logical(one, "B", zeros(one)["B"]).shape
        (2, 3)

    """
    by_columns = problem.major(name) == "col"
    lines = array[..., : problem.shape(name)[0 if by_columns else 1]]
    return lines.swapaxes(-1, -2) if by_columns else lines


def fma(a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Return a b + c rounded once to the operands' type, float16 or float32, as FFMA and HFMA2 do.

    The product of two is exact in float64. Its sum is made exact by rounding it to odd: then the second rounding, to
    fewer bits, falls as the first alone would have.

    Example:
        >>> a, c = np.float32(1 + 2**-12), np.float32(2**-60)
        >>> (fma(a, a, c) - np.float32(1 + 2**-11)) * 2**23  # the product ends half-way, and c decides
        np.float32(1.0)

    """
    kind = np.result_type(a, b, c)
    with np.errstate(all="ignore"):
        product = np.asarray(a, np.float64) * np.asarray(b, np.float64)
        other = np.asarray(c, np.float64)
        total = product + other
        back = total - product
        error = (product - (total - back)) + (other - back)
        inexact = np.isfinite(total) & (error != 0) & (total.view(np.int64) & 1 == 0)
        toward = np.where(error > 0, np.inf, -np.inf)
        return np.where(inexact, np.nextafter(total, toward), total).astype(kind)
