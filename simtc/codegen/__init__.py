"""GEMM kernels from tile sizes: a configuration to a complete program with control codes."""

from simtc.codegen.generate import generate, program
from simtc.models.configuration import Configuration

__all__ = ["Configuration", "generate", "program"]
