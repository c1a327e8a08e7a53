// D = alpha * A * B + beta * C with mma.sync and ldmatrix: the tiling of wmma_tiled.cu, one level closer to the
// machine. Shared memory is swizzled instead of padded (include/mma_tile.cuh says how and why).
//
//   A: m x k, f16, row-major       B: k x n, f16, row-major       C, D: m x n, f32 or f16, row-major; C may be D.
//   m, n multiples of 128, k a multiple of 32; 256 threads, grid = (n / 128, m / 128).
//
//   mma_m16n8k8_f32, mma_m16n8k8_f16       sm_75 and later
//   mma_m16n8k16_f32, mma_m16n8k16_f16     sm_80 and later

#include "mma_tile.cuh"

template <int K, typename Pair, typename Element>
__device__ void gemm(const half* A, const half* B, const Element* C, Element* D, int n, int k, float alpha, float beta)
{
    __shared__ __align__(128) Tile tiles[2];
    const Place block = {int(blockIdx.y) * BLOCK_M, int(blockIdx.x) * BLOCK_N};
    uint4 next_a[CHUNKS_A], next_b[CHUNKS_B];

    const auto load = [&](int k0) {
#pragma unroll
        for (int i = 0; i < CHUNKS_A; ++i) {
            const Place p = chunk_of_a(i);
            next_a[i] = *reinterpret_cast<const uint4*>(A + size_t(block.row + p.row) * k + k0 + p.column);
        }
#pragma unroll
        for (int i = 0; i < CHUNKS_B; ++i) {
            const Place p = chunk_of_b(i);
            next_b[i] = *reinterpret_cast<const uint4*>(B + size_t(k0 + p.row) * n + block.column + p.column);
        }
    };
    const auto store = [&](Tile& tile) {
#pragma unroll
        for (int i = 0; i < CHUNKS_A; ++i)
            *reinterpret_cast<uint4*>(tile.at_a(chunk_of_a(i).row, chunk_of_a(i).column)) = next_a[i];
#pragma unroll
        for (int i = 0; i < CHUNKS_B; ++i)
            *reinterpret_cast<uint4*>(tile.at_b(chunk_of_b(i).row, chunk_of_b(i).column)) = next_b[i];
    };

    Sum<Pair> sum;
    load(0);
    store(tiles[0]);
    __syncthreads();

    int buffer = 0;
    for (int k0 = 0; k0 < k; k0 += BLOCK_K, buffer ^= 1) {
        const bool more = k0 + BLOCK_K < k;
        if (more) load(k0 + BLOCK_K);
        multiply<K>(sum, tiles[buffer]);
        if (more) store(tiles[buffer ^ 1]);
        __syncthreads();
    }
    write_back(sum, C, D, block, n, alpha, beta);
}

#define KERNEL(NAME, K, PAIR, ELEMENT)                                                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                              \
        NAME(const half* A, const half* B, const ELEMENT* C, ELEMENT* D, int, int n, int k, float alpha, float beta)   \
    {                                                                                                                  \
        gemm<K, PAIR>(A, B, C, D, n, k, alpha, beta);                                                                  \
    }

KERNEL(mma_m16n8k8_f32, 8, float2, float)
KERNEL(mma_m16n8k8_f16, 8, half2, half)
#if __CUDA_ARCH__ >= 800
KERNEL(mma_m16n8k16_f32, 16, float2, float)
KERNEL(mma_m16n8k16_f16, 16, half2, half)
#endif
