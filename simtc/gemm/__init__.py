"""Families of GEMM kernels: what they compute, what they can be made of, their programs and how they are launched.

`shipped(name)` is a kernel whose compiled listings ship with simtc; `hgemm` is the family that simtc generates itself.
"""

from simtc.gemm.shipped import Shipped, shipped, shipped_names

__all__ = ["Shipped", "shipped", "shipped_names"]
