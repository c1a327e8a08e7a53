// D = alpha * A * B + beta * C in the other types that WMMA has: one kernel each, straight from global memory.
//
//   wmma_s8, wmma_u8   8-bit integers into s32, which wraps around    sm_75 and later
//   wmma_bf16          bfloat16 into f32                              sm_80 and later
//   wmma_tf32          f32 rounded to tf32, into f32                  sm_80 and later
//   wmma_f64           doubles                                        sm_80 and later
//
//   A row-major, B column-major; m, n, k multiples of the shape (16 x 16 x 16; tf32: k 8; f64: 8 x 8 x 4).

#include <cuda_bf16.h>

#include "wmma_direct.cuh"

using namespace nvcuda;

#define KERNEL(NAME, M, N, K, ELEMENT, SUM, SCALE)                                                                     \
    extern "C" __global__ void __launch_bounds__(128)                                                                  \
        NAME(const ELEMENT* A, const ELEMENT* B, const SUM* C, SUM* D, int m, int n, int k, int lda, int ldb, int ldc, \
             int ldd, SCALE alpha, SCALE beta)                                                                         \
    {                                                                                                                  \
        wmma_direct<M, N, K, ELEMENT, wmma::row_major, wmma::col_major>(A, B, C, D, m, n, k, lda, ldb, ldc, ldd,       \
                                                                        alpha, beta);                                  \
    }

KERNEL(wmma_s8, 16, 16, 16, signed char, int, int)
KERNEL(wmma_u8, 16, 16, 16, unsigned char, int, int)

#if __CUDA_ARCH__ >= 800
KERNEL(wmma_bf16, 16, 16, 16, __nv_bfloat16, float, float)
KERNEL(wmma_f64, 8, 8, 4, double, double, double)

extern "C" __global__ void __launch_bounds__(128)
wmma_tf32(const float* A, const float* B, const float* C, float* D, int m, int n, int k, int lda, int ldb, int ldc,
          int ldd, float alpha, float beta)
{
    wmma_direct<16, 16, 8, wmma::precision::tf32, wmma::row_major, wmma::col_major>(A, B, C, D, m, n, k, lda, ldb, ldc,
                                                                                    ldd, alpha, beta);
}
#endif
