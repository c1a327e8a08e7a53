"""Closed forms: what a GEMM needs of a chip before a single instruction is looked at."""
