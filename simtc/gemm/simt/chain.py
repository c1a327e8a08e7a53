"""Chains of fused multiply-adds along k, compiled: what FFMA and DFMA make of a product."""

from __future__ import annotations

import numpy as np
from numba import float32, float64, void

from simtc.jit import Array, Float, jit
from simtc.machine.bits import fma32, fma64

__all__ = ["add_products", "fused"]


@jit(void(float32[:, ::1], float32[:, ::1], float32[:, ::1]), from_python=True)
def _add_32(A: Array, B: Array, total: Array) -> None:
    for i in range(total.shape[0]):
        for x in range(A.shape[1]):
            for j in range(total.shape[1]):
                total[i, j] = fma32(A[i, x], B[x, j], total[i, j])


@jit(void(float64[:, ::1], float64[:, ::1], float64[:, ::1]), from_python=True)
def _add_64(A: Array, B: Array, total: Array) -> None:
    for i in range(total.shape[0]):
        for x in range(A.shape[1]):
            for j in range(total.shape[1]):
                total[i, j] = fma64(A[i, x], B[x, j], total[i, j])


@jit(void(float32, float32[::1], float32[::1]), from_python=True)
def _scale_32(factor: Float, values: Array, addend: Array) -> None:
    for i in range(values.size):
        addend[i] = fma32(factor, values[i], addend[i])


@jit(void(float64, float64[::1], float64[::1]), from_python=True)
def _scale_64(factor: Float, values: Array, addend: Array) -> None:
    for i in range(values.size):
        addend[i] = fma64(factor, values[i], addend[i])


def fused(factor: np.ndarray, values: np.ndarray, addend: np.ndarray) -> np.ndarray:
    """Return factor x values + addend, rounded once: a scalar and two arrays of one type and shape.

    Example:
        >>> third = np.float32(1 / 3)
        >>> bool(fused(third, np.array([3], np.float32), np.array([-1], np.float32))[0] == np.float32(2.0**-25))
        True

    """
    made = np.array(addend, order="C")
    scale = _scale_32 if made.dtype == np.float32 else _scale_64
    scale(made.dtype.type(factor), np.ascontiguousarray(values).reshape(-1), made.reshape(-1))
    return made


def add_products(A: np.ndarray, B: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Return total + A B: for each element one fused multiply-add after another, k rising.

    Args:
        A: (m, k) float32 or float64.
        B: (k, n), of the same type.
        total: (m, n), of the same type: what the first one adds to.

    Example:
        >>> tiny = np.float32(2**-13)
        >>> row, column = np.array([[1, 1 + tiny]], np.float32), np.array([[-1], [1 + tiny]], np.float32)
        >>> bool(add_products(row, column, np.zeros((1, 1), np.float32))[0, 0] == 2 * tiny + tiny * tiny)  # not rounded
        True

    """
    A, B, made = np.ascontiguousarray(A), np.ascontiguousarray(B), np.array(total, order="C")
    (_add_32 if made.dtype == np.float32 else _add_64)(A, B, made)
    return made
