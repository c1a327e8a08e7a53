"""The family `dgemm`: double precision, outside the tensor cores."""

from __future__ import annotations

from simtc.gemm.simt.families import SimtFamily
from simtc.gemm.simt.numbers import numbers_named

__all__ = ["FAMILY"]

FAMILY = SimtFamily(numbers_named("dgemm"))
