"""The kernel families: parameters, constraints, sources, launch shapes."""

from simtc.gemm.problem import Solved, operands, read_matrix, solve
from simtc.gemm.shipped import Shipped, shipped, shipped_names

__all__ = ["Shipped", "Solved", "operands", "read_matrix", "shipped", "shipped_names", "solve"]
