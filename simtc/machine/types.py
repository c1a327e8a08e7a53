"""The numba types that every compiled function of the machine is declared with."""

from __future__ import annotations

from typing import Any

import numba

from simtc.machine.micro import MICRO

__all__ = [
    "BYTES",
    "LONGS",
    "OP",
    "WORDS",
    "boolean",
    "float32",
    "float64",
    "int32",
    "int64",
    "uint8",
    "uint32",
    "uint64",
    "void",
]

# Any: to the type checker a numba type is neither the function that it converts with nor the signature that it makes.
boolean: Any = numba.boolean
uint8: Any = numba.uint8
uint32: Any = numba.uint32
uint64: Any = numba.uint64
int32: Any = numba.int32
int64: Any = numba.int64
float32: Any = numba.float32
float64: Any = numba.float64
void: Any = numba.void

BYTES = uint8[::1]
WORDS = uint32[::1]
LONGS = int64[::1]
OP: Any = numba.from_dtype(MICRO)
