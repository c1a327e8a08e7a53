"""From CUDA C++ to machine code with no GPU and no toolkit: NVRTC from PyPI, or the nvcc at hand."""

from simtc.compiler.program import COMPILERS, Compiled, CompileError, compile_cuda, compile_source

__all__ = ["COMPILERS", "CompileError", "Compiled", "compile", "compile_cuda", "compile_source"]

compile = compile_source  # noqa: A001 - what users call it: simtc.compile
