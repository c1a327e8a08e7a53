"""From CUDA C++ to machine code with no GPU and no toolkit: NVRTC from PyPI, or the nvcc at hand."""

from simtc.compiler.compile import COMPILERS, Compiled, CompileError, compile_cuda
from simtc.compiler.compile import compile_source as compile  # noqa: A004 - what users call it: simtc.compile

__all__ = ["COMPILERS", "CompileError", "Compiled", "compile", "compile_cuda"]
