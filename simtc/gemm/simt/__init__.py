"""GEMM outside the tensor cores: what `sgemm`, `dgemm`, `cgemm` and `zgemm` share.

`numbers` says what they multiply, `blocking` how, `configuration` is one kernel; kernels/simt_gemm.cu, gemm_volkov.cu
and gemm_m3.cu are the sources.
"""
