// D = alpha * A * B + beta * C with cp.async: tiles go from global to shared memory without passing through registers,
// three stages deep, so that two tiles are under way while the third is multiplied. sm_80 and later.
//
//   A: m x k, f16, row-major       B: k x n, f16, row-major       C, D: m x n, f32 or f16, row-major; C may be D.
//   m, n multiples of 128, k a multiple of 32; 256 threads, grid = (n / 128, m / 128);
//   3 * 16384 bytes of dynamic shared memory.

#include "mma_tile.cuh"

constexpr int STAGES = 3;

template <typename Pair, typename Element>
__device__ void gemm(const half* A, const half* B, const Element* C, Element* D, int n, int k, float alpha, float beta)
{
    extern __shared__ __align__(128) Tile stages[];
    const Place block = {int(blockIdx.y) * BLOCK_M, int(blockIdx.x) * BLOCK_N};
    const int tiles = k / BLOCK_K;

    // One group per tile, empty ones past the end: then "all but the newest" always means the same tile.
    const auto fetch = [&](int t) {
        if (t < tiles) {
            Tile& tile = stages[t % STAGES];
#pragma unroll
            for (int i = 0; i < CHUNKS_A; ++i) {
                const Place p = chunk_of_a(i);
                cp_async(tile.at_a(p.row, p.column), A + size_t(block.row + p.row) * k + t * BLOCK_K + p.column);
            }
#pragma unroll
            for (int i = 0; i < CHUNKS_B; ++i) {
                const Place p = chunk_of_b(i);
                cp_async(tile.at_b(p.row, p.column), B + size_t(t * BLOCK_K + p.row) * n + block.column + p.column);
            }
        }
        cp_async_commit_group();
    };

    Sum<Pair> sum;
    for (int t = 0; t < STAGES - 1; ++t) fetch(t);
    for (int t = 0; t < tiles; ++t) {
        cp_async_wait_group<STAGES - 2>();  // this thread's part of tile t has arrived
        __syncthreads();                    // so has everyone's, and everyone has left tile t - 1, which is overwritten next
        fetch(t + STAGES - 1);
        multiply<16>(sum, stages[t % STAGES]);
    }
    write_back(sum, C, D, block, n, alpha, beta);
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_async_f32(const half* A, const half* B, const float* C, float* D, int, int n, int k, float alpha, float beta)
{
    gemm<float2>(A, B, C, D, n, k, alpha, beta);
}

extern "C" __global__ void __launch_bounds__(THREADS)
mma_async_f16(const half* A, const half* B, const half* C, half* D, int, int n, int k, float alpha, float beta)
{
    gemm<half2>(A, B, C, D, n, k, alpha, beta);
}
