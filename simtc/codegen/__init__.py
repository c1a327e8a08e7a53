"""GEMM kernels from tile sizes: a configuration to a complete program with control codes."""

from simtc.codegen.configuration import Configuration
from simtc.codegen.generate import generate, program

__all__ = ["Configuration", "generate", "program"]
