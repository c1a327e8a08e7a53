// D = alpha * A * B + beta * C on tensor cores, the way a first fast kernel is written.
//
//   A: m x k, f16, row-major       B: k x n, f16, row-major       C, D: m x n, f32 (wmma_tiled_f16: f16), row-major
//   m, n multiples of 128, k a multiple of 32; C may be D.
//   One block of 256 threads per 128 x 128 tile of D: grid = (n / 128, m / 128).
//
// Three levels of blocking, each with its own reason:
//
//   block   128 x 128 x 32   every byte read from global memory is used 128 times
//   warp     64 x  32        every fragment read from shared memory is used 2 or 4 times
//   wmma     16 x  16 x 16   what the WMMA interface computes in one call
//
// and two habits that keep the tensor cores fed:
//
//   double buffering   While the warps multiply tile t out of one buffer, tile t + 1 is on its way from global memory
//                      to registers; it is put into the other buffer after the last multiplication. Global latency
//                      hides behind arithmetic, and one barrier per tile is enough: nobody writes the buffer that
//                      somebody may still be reading.
//   padding            Rows of 32 or 128 halves start in the same shared-memory bank (64 B x 2 or 256 B), so eight
//                      lanes which read eight rows of one column would wait for one another. 16 bytes more per row
//                      move each row on by four banks.

#include <mma.h>

#include "epilogue.cuh"

using namespace nvcuda;

namespace {

constexpr int BLOCK_M = 128, BLOCK_N = 128, BLOCK_K = 32;
constexpr int WARP_M = 64, WARP_N = 32;
constexpr int MMA = 16;
constexpr int THREADS = 32 * (BLOCK_M / WARP_M) * (BLOCK_N / WARP_N);

constexpr int CHUNK = 8;  // halves in one 128-bit access
constexpr int CHUNKS_A = BLOCK_M * BLOCK_K / CHUNK / THREADS;
constexpr int CHUNKS_B = BLOCK_K * BLOCK_N / CHUNK / THREADS;

// One thread's share of a tile on its way from global to shared memory.
struct Prefetch {
    uint4 a[CHUNKS_A], b[CHUNKS_B];

    // Neighbouring threads read neighbouring 16-byte chunks: full sectors, whatever the tile's width.
    __device__ void load(const half* A, const half* B, int n, int k, int block_row, int block_column, int k0)
    {
#pragma unroll
        for (int i = 0; i < CHUNKS_A; ++i) {
            const unsigned chunk = threadIdx.x + i * THREADS;
            const unsigned row = chunk / (BLOCK_K / CHUNK), column = chunk % (BLOCK_K / CHUNK) * CHUNK;
            a[i] = *reinterpret_cast<const uint4*>(A + size_t(block_row + row) * k + k0 + column);
        }
#pragma unroll
        for (int i = 0; i < CHUNKS_B; ++i) {
            const unsigned chunk = threadIdx.x + i * THREADS;
            const unsigned row = chunk / (BLOCK_N / CHUNK), column = chunk % (BLOCK_N / CHUNK) * CHUNK;
            b[i] = *reinterpret_cast<const uint4*>(B + size_t(k0 + row) * n + block_column + column);
        }
    }

    template <int PITCH_A, int PITCH_B>
    __device__ void store(half (&tile_a)[BLOCK_M][PITCH_A], half (&tile_b)[BLOCK_K][PITCH_B]) const
    {
#pragma unroll
        for (int i = 0; i < CHUNKS_A; ++i) {
            const unsigned chunk = threadIdx.x + i * THREADS;
            const unsigned row = chunk / (BLOCK_K / CHUNK), column = chunk % (BLOCK_K / CHUNK) * CHUNK;
            *reinterpret_cast<uint4*>(&tile_a[row][column]) = a[i];
        }
#pragma unroll
        for (int i = 0; i < CHUNKS_B; ++i) {
            const unsigned chunk = threadIdx.x + i * THREADS;
            const unsigned row = chunk / (BLOCK_N / CHUNK), column = chunk % (BLOCK_N / CHUNK) * CHUNK;
            *reinterpret_cast<uint4*>(&tile_b[row][column]) = b[i];
        }
    }
};

// PAD is in halves: 8 are 16 bytes, so that rows stay aligned for 128-bit accesses.
template <typename Sum, int PAD>
__device__ void gemm(const half* A, const half* B, const Sum* C, Sum* D, int n, int k, float alpha, float beta)
{
    constexpr int PITCH_A = BLOCK_K + PAD, PITCH_B = BLOCK_N + PAD;
    __shared__ __align__(16) half tile_a[2][BLOCK_M][PITCH_A];
    __shared__ __align__(16) half tile_b[2][BLOCK_K][PITCH_B];

    const int block_row = blockIdx.y * BLOCK_M, block_column = blockIdx.x * BLOCK_N;
    const unsigned warp = threadIdx.x / 32;
    const unsigned warp_row = warp / (BLOCK_N / WARP_N) * WARP_M, warp_column = warp % (BLOCK_N / WARP_N) * WARP_N;

    wmma::fragment<wmma::accumulator, MMA, MMA, MMA, Sum> sum[WARP_M / MMA][WARP_N / MMA];
#pragma unroll
    for (auto& row : sum)
#pragma unroll
        for (auto& fragment : row) wmma::fill_fragment(fragment, Sum(0.0f));

    Prefetch next;
    next.load(A, B, n, k, block_row, block_column, 0);
    next.store(tile_a[0], tile_b[0]);
    __syncthreads();

    int buffer = 0;
    for (int k0 = 0; k0 < k; k0 += BLOCK_K, buffer ^= 1) {
        const bool more = k0 + BLOCK_K < k;
        if (more) next.load(A, B, n, k, block_row, block_column, k0 + BLOCK_K);

#pragma unroll
        for (int kk = 0; kk < BLOCK_K; kk += MMA) {
            wmma::fragment<wmma::matrix_a, MMA, MMA, MMA, half, wmma::row_major> a[WARP_M / MMA];
            wmma::fragment<wmma::matrix_b, MMA, MMA, MMA, half, wmma::row_major> b[WARP_N / MMA];
#pragma unroll
            for (int i = 0; i < WARP_M / MMA; ++i)
                wmma::load_matrix_sync(a[i], &tile_a[buffer][warp_row + i * MMA][kk], PITCH_A);
#pragma unroll
            for (int j = 0; j < WARP_N / MMA; ++j)
                wmma::load_matrix_sync(b[j], &tile_b[buffer][kk][warp_column + j * MMA], PITCH_B);
#pragma unroll
            for (int i = 0; i < WARP_M / MMA; ++i)
#pragma unroll
                for (int j = 0; j < WARP_N / MMA; ++j) wmma::mma_sync(sum[i][j], a[i], b[j], sum[i][j]);
        }

        if (more) next.store(tile_a[buffer ^ 1], tile_b[buffer ^ 1]);
        __syncthreads();
    }

#pragma unroll
    for (int i = 0; i < WARP_M / MMA; ++i)
#pragma unroll
        for (int j = 0; j < WARP_N / MMA; ++j) {
            const size_t corner = size_t(block_row + warp_row + i * MMA) * n + block_column + warp_column + j * MMA;
            wmma::fragment<wmma::accumulator, MMA, MMA, MMA, Sum> c;
            wmma::load_matrix_sync(c, C + corner, n, wmma::mem_row_major);
            // Which element of the tile c.x[e] is differs between generations, but it is the same in sum and in c.
#pragma unroll
            for (int e = 0; e < c.num_elements; ++e) c.x[e] = combine(alpha, sum[i][j].x[e], beta, c.x[e]);
            wmma::store_matrix_sync(D + corner, c, n, wmma::mem_row_major);
        }
}

}  // namespace

extern "C" __global__ void __launch_bounds__(THREADS)
wmma_tiled(const half* A, const half* B, const float* C, float* D, int, int n, int k, float alpha, float beta)
{
    gemm<float, 8>(A, B, C, D, n, k, alpha, beta);
}

extern "C" __global__ void __launch_bounds__(THREADS)
wmma_tiled_f16(const half* A, const half* B, const half* C, half* D, int, int n, int k, float alpha, float beta)
{
    gemm<half, 8>(A, B, C, D, n, k, alpha, beta);
}

// The same without padding: same bits, more cycles. What the padding is worth is the difference.
extern "C" __global__ void __launch_bounds__(THREADS)
wmma_tiled_unpadded(const half* A, const half* B, const float* C, float* D, int, int n, int k, float alpha,
                    float beta)
{
    gemm<float, 0>(A, B, C, D, n, k, alpha, beta);
}
