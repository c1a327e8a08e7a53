// D = alpha * A * B + beta * C for any m, n and k: tiles that reach over an edge are filled up with zeros.
//
//   A: m x k, f16, row-major       B: k x n, f16, row-major       C, D: m x n, f32, row-major; C may be D.
//   Blocks of 4 warps, 2 x 2 tiles of 16 x 16: grid = (ceil(n / 32), ceil(m / 32)).
//
// load_matrix_sync knows no bounds and wants aligned rows, so each warp copies its tiles into shared memory itself,
// element by element where need be. A zero times anything finite adds nothing: the result has the bits of a kernel
// that had stopped at the edge. (An infinity in A meets the zeros of B only beyond k, where both are zeros.)

#include <mma.h>

#include "epilogue.cuh"

using namespace nvcuda;

namespace {

constexpr int TILE = 16, PITCH = TILE + 8;

// The tile of a rows x columns matrix whose corner is (row, column), zeros outside; two lanes to a row.
__device__ void copy_tile(half (*tile)[PITCH], const half* from, int rows, int columns, int row, int column)
{
    const int i = threadIdx.x % 32 / 2, j0 = threadIdx.x % 2 * 8;
    for (int j = j0; j < j0 + 8; ++j) {
        const bool inside = row + i < rows && column + j < columns;
        tile[i][j] = inside ? from[size_t(row + i) * columns + column + j] : half(0.0f);
    }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(128)
wmma_ragged(const half* A, const half* B, const float* C, float* D, int m, int n, int k, float alpha, float beta)
{
    __shared__ __align__(16) half tile_a[4][TILE][PITCH], tile_b[4][TILE][PITCH];
    __shared__ __align__(16) float tile_d[4][TILE][TILE];

    const unsigned warp = threadIdx.x / 32;
    const int row = (blockIdx.y * 2 + warp / 2) * TILE, column = (blockIdx.x * 2 + warp % 2) * TILE;
    if (row >= m || column >= n) return;

    wmma::fragment<wmma::accumulator, TILE, TILE, TILE, float> sum;
    wmma::fill_fragment(sum, 0.0f);
    for (int k0 = 0; k0 < k; k0 += TILE) {
        __syncwarp();  // the warp has read the tiles before
        copy_tile(tile_a[warp], A, m, k, row, k0);
        copy_tile(tile_b[warp], B, k, n, k0, column);
        __syncwarp();
        wmma::fragment<wmma::matrix_a, TILE, TILE, TILE, half, wmma::row_major> a;
        wmma::fragment<wmma::matrix_b, TILE, TILE, TILE, half, wmma::row_major> b;
        wmma::load_matrix_sync(a, &tile_a[warp][0][0], PITCH);
        wmma::load_matrix_sync(b, &tile_b[warp][0][0], PITCH);
        wmma::mma_sync(sum, a, b, sum);
    }

    wmma::store_matrix_sync(&tile_d[warp][0][0], sum, TILE, wmma::mem_row_major);
    __syncwarp();
    for (int e = threadIdx.x % 32; e < TILE * TILE; e += 32) {
        const int i = row + e / TILE, j = column + e % TILE;
        if (i < m && j < n) {
            const size_t at = size_t(i) * n + j;
            D[at] = combine(alpha, tile_d[warp][e / TILE][e % TILE], beta, C[at]);
        }
    }
}
