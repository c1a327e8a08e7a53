// A 128 x 128 x 32 block of a GEMM by 8 warps with ldmatrix and mma.sync, its shared memory swizzled.
//
// ldmatrix reads 8 rows of 16 bytes at once. Rows of 32 halves (A) are 64 bytes, rows of 128 halves (B) are 256 bytes:
// stored plainly, the 8 rows of one column of chunks would meet in 2 groups of banks, or in one. The swizzle moves
// chunk c of row r to place c ^ f(r): f takes as many values as the 8 rows need to land in 8 different groups, and an
// exclusive or is its own inverse and costs no memory, as padding does.
#pragma once

#include "epilogue.cuh"
#include "ptx.cuh"

constexpr int BLOCK_M = 128, BLOCK_N = 128, BLOCK_K = 32;
constexpr int WARP_M = 64, WARP_N = 32;
constexpr int THREADS = 256;
constexpr int CHUNK = 8;  // halves in 16 bytes
constexpr int ROWS_OF_MMA = 16, COLUMNS_OF_MMA = 8;

struct Tile {
    half a[BLOCK_M * BLOCK_K];
    half b[BLOCK_K * BLOCK_N];

    // Where the chunk that holds column `column` of row `row` starts. Two rows of A fill all 32 banks.
    __device__ half* at_a(int row, int column)
    {
        return a + row * BLOCK_K + ((column / CHUNK) ^ (row / 2 % 4)) * CHUNK;
    }
    __device__ half* at_b(int row, int column) { return b + row * BLOCK_N + ((column / CHUNK) ^ (row % 8)) * CHUNK; }
};

struct Place {
    int row, column;
};

// Which 16-byte chunk of A's, or of B's, tile is thread t's `i`th: neighbours in t are neighbours in global memory.
__device__ inline Place chunk_of_a(int i)
{
    const unsigned chunk = threadIdx.x + i * THREADS;
    return {int(chunk / (BLOCK_K / CHUNK)), int(chunk % (BLOCK_K / CHUNK) * CHUNK)};
}
__device__ inline Place chunk_of_b(int i)
{
    const unsigned chunk = threadIdx.x + i * THREADS;
    return {int(chunk / (BLOCK_N / CHUNK)), int(chunk % (BLOCK_N / CHUNK) * CHUNK)};
}
constexpr int CHUNKS_A = BLOCK_M * BLOCK_K / CHUNK / THREADS, CHUNKS_B = BLOCK_K * BLOCK_N / CHUNK / THREADS;

// The accumulators of one warp: Pair is float2 or half2, two neighbouring columns of one row.
template <typename Pair>
struct Sum {
    Pair d[WARP_M / ROWS_OF_MMA][WARP_N / COLUMNS_OF_MMA][2];

    __device__ Sum()
    {
        memset(d, 0, sizeof d);
    }
};

__device__ inline Place warp_corner()
{
    const int warp = threadIdx.x / 32;
    return {warp / (BLOCK_N / WARP_N) * WARP_M, warp % (BLOCK_N / WARP_N) * WARP_N};
}

// Multiply one tile with m16n8k16 (K = 16) or m16n8k8 (K = 8).
template <int K, typename Pair>
__device__ void multiply(Sum<Pair>& sum, Tile& tile)
{
    const Place corner = warp_corner();
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int k = 0; k < BLOCK_K; k += K) {
        unsigned a[WARP_M / ROWS_OF_MMA][K / 4];
#pragma unroll
        for (int i = 0; i < WARP_M / ROWS_OF_MMA; ++i)  // rows 0-15, then the same rows of the next 8 columns
            ldmatrix(a[i], tile.at_a(corner.row + i * ROWS_OF_MMA + lane % 16, k + lane / 16 * 8 % K));

        // B lies with n along its rows, and mma wants pairs along k: transposed, each 8 x 8 matrix fits one register.
        constexpr int COLUMNS_PER_LOAD = 4 * 8 * 8 / K;
        unsigned b[WARP_N / COLUMNS_PER_LOAD][4];
#pragma unroll
        for (int j = 0; j < WARP_N / COLUMNS_PER_LOAD; ++j)
            ldmatrix_trans(b[j], tile.at_b(k + lane % K, corner.column + j * COLUMNS_PER_LOAD + lane / K * 8));

#pragma unroll
        for (int i = 0; i < WARP_M / ROWS_OF_MMA; ++i)
#pragma unroll
            for (int j = 0; j < WARP_N / COLUMNS_OF_MMA; ++j) {
                const unsigned* b_ij = &b[0][0] + j * (K / 8);
                if constexpr (K == 8) mma_m16n8k8(sum.d[i][j], a[i], b_ij);
#if __CUDA_ARCH__ >= 800
                else mma_m16n8k16(sum.d[i][j], a[i], b_ij);
#endif
            }
    }
}

// D = alpha * sum + beta * C for this warp's part of the block whose corner is `block`.
template <typename Pair, typename Element>
__device__ void write_back(const Sum<Pair>& sum, const Element* C, Element* D, Place block, int n, float alpha,
                           float beta)
{
    const Place corner = warp_corner();
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int i = 0; i < WARP_M / ROWS_OF_MMA; ++i)
#pragma unroll
        for (int j = 0; j < WARP_N / COLUMNS_OF_MMA; ++j)
#pragma unroll
            for (int half_tile = 0; half_tile < 2; ++half_tile) {
                const int row = block.row + corner.row + i * ROWS_OF_MMA + half_tile * 8 + lane / 4;
                const int column = block.column + corner.column + j * COLUMNS_OF_MMA + lane % 4 * 2;
                const size_t at = size_t(row) * n + column;
                const Pair c = *reinterpret_cast<const Pair*>(C + at);
                *reinterpret_cast<Pair*>(D + at) = combine(alpha, sum.d[i][j][half_tile], beta, c);
            }
}
