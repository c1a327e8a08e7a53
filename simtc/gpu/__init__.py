"""The reference CUDA backend: load or compile a kernel, launch it on the GPU at hand, time it.

The only room that knows a CUDA package, and it imports one only when a GPU is opened.
"""

from simtc.gpu.code import Code, load
from simtc.gpu.compile import compile_one, compile_shipped, compile_source
from simtc.gpu.description import Description
from simtc.gpu.gpu import Gpu, GpuError, Launched, launch, open_gpu

__all__ = [
    "Code", "Description", "Gpu", "GpuError", "Launched", "compile_one", "compile_shipped", "compile_source",
    "launch", "load", "open_gpu",
]  # fmt: skip
