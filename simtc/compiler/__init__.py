"""From CUDA C++ to machine code with no GPU and no toolkit: NVRTC from PyPI, or the nvcc at hand."""

from simtc.compiler.program import COMPILERS, CompileError, compile_source

__all__ = ["COMPILERS", "CompileError", "compile", "compile_source"]

compile = compile_source  # noqa: A001 - what users call it: simtc.compile
