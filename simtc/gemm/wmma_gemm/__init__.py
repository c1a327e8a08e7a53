"""One GEMM for every type pair, shape and transpose that WMMA has, after B. Gannon's "GEMM on Jetson".

Operands come straight from global memory. `pairs` is the table of what exists; `kernels/wmma_gemm.cu` is the source.
"""
