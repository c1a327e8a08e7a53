"""The family hgemm: a configuration of tile sizes to a complete program with control codes."""

from simtc.gemm.hgemm.configuration import Configuration
from simtc.gemm.hgemm.generate import generate, program

__all__ = ["Configuration", "generate", "program"]
