"""The kernel families: parameters, constraints, sources, launch shapes."""

from simtc.gemm.problem import Solved, operands, read_matrix, solve
from simtc.gemm.shipped import Shipped, shipped, shipped_names
from simtc.gemm.twin import TEMPLATE, arguments, definitions, twin, twin_name, twins

__all__ = [
    "TEMPLATE",
    "Shipped",
    "Solved",
    "arguments",
    "definitions",
    "operands",
    "read_matrix",
    "shipped",
    "shipped_names",
    "solve",
    "twin",
    "twin_name",
    "twins",
]
