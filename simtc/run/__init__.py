"""Running kernels with no GPU: `launch`, `simulate`, and what is built on them.

`launch` executes a compiled kernel over arrays, `simulate` predicts a configured one, `solve` runs a shipped GEMM.
"""
