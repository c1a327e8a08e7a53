// D = alpha * A * B + beta * C, the shortest way there is: every warp takes one 16 x 16 tile of D and reads its
// operands straight from global memory.
//
//   A: m x k, f16, row-major       B: k x n, f16, row-major       C, D: m x n, f32, row-major
//   m, n, k multiples of 16; C may be D.
//   Blocks of 4 warps, 2 x 2 tiles: grid = (ceil(n / 32), ceil(m / 32)).
//
// Each byte of A is read n / 16 times and each byte of B m / 16 times: the caches, not the tensor cores, set the pace.

#include <mma.h>

#include "epilogue.cuh"

using namespace nvcuda;

extern "C" __global__ void __launch_bounds__(128)
wmma_naive(const half* A, const half* B, const float* C, float* D, int m, int n, int k, float alpha, float beta)
{
    const unsigned warp = threadIdx.x / 32;
    const int row = (blockIdx.y * 2 + warp / 2) * 16, column = (blockIdx.x * 2 + warp % 2) * 16;
    if (row >= m || column >= n) return;  // a whole warp leaves, so those that stay are complete

    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum, c;
    wmma::fill_fragment(sum, 0.0f);
    for (int k0 = 0; k0 < k; k0 += 16) {
        wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
        wmma::load_matrix_sync(a, A + size_t(row) * k + k0, k);
        wmma::load_matrix_sync(b, B + size_t(k0) * n + column, n);
        wmma::mma_sync(sum, a, b, sum);
    }

    const size_t corner = size_t(row) * n + column;
    wmma::load_matrix_sync(c, C + corner, n, wmma::mem_row_major);
    for (int e = 0; e < c.num_elements; ++e) c.x[e] = combine(alpha, sum.x[e], beta, c.x[e]);
    wmma::store_matrix_sync(D + corner, c, n, wmma::mem_row_major);
}
