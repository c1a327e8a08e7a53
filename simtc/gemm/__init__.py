"""Room gemm."""
