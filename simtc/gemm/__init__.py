"""Families of GEMM kernels: what they compute, what they can be made of, their programs and how they are launched.

A folder with a module `family` is a family: `simtc.gemm.family` says what it has to have, `registry.family(name)` is
one, and no other room says a family's name. `shipped(name)` is a single kernel whose compiled listings ship with simtc.
"""

from simtc.gemm.shipped import Shipped, shipped, shipped_names

__all__ = ["Shipped", "shipped", "shipped_names"]
