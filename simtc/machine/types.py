"""The numba types that every compiled function of the machine is declared with."""

from __future__ import annotations

from numba import float32, float64, from_dtype, int32, int64, uint8, uint32, uint64, void

from simtc.machine.micro import MICRO

__all__ = ["BYTES", "LONGS", "OP", "WORDS", "float32", "float64", "int32", "int64", "uint8", "uint32", "uint64", "void"]

WORDS = uint32[::1]
LONGS = int64[::1]
BYTES = uint8[::1]
OP = from_dtype(MICRO)
