// D = alpha * A * B + beta * C in every shape, with every pair of majors and both accumulators that WMMA has for f16,
// with leading dimensions: 3 x 4 x 2 kernels, named wmma_m16n16k16_row_col_f32 and so on.
//
//   m, n, k multiples of the shape; leading dimensions multiples of 8 (f32: 4) elements; C may be D where ldc is ldd.

#include "wmma_direct.cuh"

#define KERNEL(M, N, MAJOR_A, MAJOR_B, NAME, SUM)                                                                      \
    extern "C" __global__ void __launch_bounds__(128) wmma_m##M##n##N##k16_##MAJOR_A##_##MAJOR_B##_##NAME(             \
        const half* A, const half* B, const SUM* C, SUM* D, int m, int n, int k, int lda, int ldb, int ldc, int ldd,   \
        float alpha, float beta)                                                                                       \
    {                                                                                                                  \
        wmma_direct<M, N, 16, half, nvcuda::wmma::MAJOR_A##_major, nvcuda::wmma::MAJOR_B##_major>(                     \
            A, B, C, D, m, n, k, lda, ldb, ldc, ldd, alpha, beta);                                                     \
    }

#define ACCUMULATORS(M, N, MAJOR_A, MAJOR_B) \
    KERNEL(M, N, MAJOR_A, MAJOR_B, f32, float) KERNEL(M, N, MAJOR_A, MAJOR_B, f16, half)

#define MAJORS(M, N)             \
    ACCUMULATORS(M, N, row, row) \
    ACCUMULATORS(M, N, row, col) \
    ACCUMULATORS(M, N, col, row) \
    ACCUMULATORS(M, N, col, col)

MAJORS(16, 16)
MAJORS(32, 8)
MAJORS(8, 32)
