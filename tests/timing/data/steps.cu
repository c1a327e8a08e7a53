// The loops of kernels/mma_sync.cu and kernels/mma_async.cu, in which each warp notes the clock.
//
// In each step of k: at its beginning, behind the HMMA of its first half, behind all HMMA, and when all has been stored.
// A step of steps_async: behind its barrier, when its copies have issued, and behind all HMMA, twice.
#include "mma_tile.cuh"

constexpr int STEPS = 16, STAMPS = 4;

__device__ inline unsigned now()
{
    unsigned t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

// Note what the clock was in a step.
__device__ inline void note(unsigned at, int lane, const unsigned (&t)[STAMPS])
{
    if (lane == 0)
        asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(at), "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3])
                     : "memory");
}

// Write out what was noted, and what was multiplied, which would not be otherwise.
template <typename Pair>
__device__ inline void keep(const Sum<Pair>& sum, const unsigned* stamps, float* D, unsigned* out)
{
    __syncthreads();
    for (int i = threadIdx.x; i < 8 * STEPS * STAMPS; i += 256) out[i] = stamps[i];
    const float* s = reinterpret_cast<const float*>(&sum);
    float total = 0;
#pragma unroll
    for (int i = 0; i < int(sizeof sum / 4); ++i) total += s[i];
    D[threadIdx.x] = total;
}

template <int K, typename Pair>
__device__ void gemm(const half* A, const half* B, float* D, unsigned* out, int n, int k)
{
    __shared__ __align__(128) Tile tiles[2];
    __shared__ unsigned stamps[8 * STEPS * STAMPS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    uint4 next_a[CHUNKS_A], next_b[CHUNKS_B];
    const auto load = [&](int k0) {
#pragma unroll
        for (int i = 0; i < CHUNKS_A; ++i) {
            const Place p = chunk_of_a(i);
            next_a[i] = *reinterpret_cast<const uint4*>(A + size_t(p.row) * k + k0 + p.column);
        }
#pragma unroll
        for (int i = 0; i < CHUNKS_B; ++i) {
            const Place p = chunk_of_b(i);
            next_b[i] = *reinterpret_cast<const uint4*>(B + size_t(k0 + p.row) * n + p.column);
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
    store(tiles[1]);
    __syncthreads();
    int buffer = 0;
    unsigned at = warp * STEPS * STAMPS * 4 + shared_address(stamps);
#pragma unroll 1
    for (int k0 = 0; k0 < k; k0 += BLOCK_K, buffer ^= 1) {
        const bool more = k0 + BLOCK_K < k;
        unsigned t[STAMPS];
        t[0] = now();
        if (more) load(k0 + BLOCK_K);
        const Place corner = warp_corner();
        Tile& tile = tiles[buffer];
#pragma unroll
        for (int kk = 0; kk < BLOCK_K; kk += K) {
            unsigned a[WARP_M / ROWS_OF_MMA][K / 4];
#pragma unroll
            for (int i = 0; i < WARP_M / ROWS_OF_MMA; ++i)
                ldmatrix(a[i], tile.at_a(corner.row + i * ROWS_OF_MMA + lane % 16, kk + lane / 16 * 8 % K));
            constexpr int COLUMNS_PER_LOAD = 4 * 8 * 8 / K;
            unsigned b[WARP_N / COLUMNS_PER_LOAD][4];
#pragma unroll
            for (int j = 0; j < WARP_N / COLUMNS_PER_LOAD; ++j)
                ldmatrix_trans(b[j], tile.at_b(kk + lane % K, corner.column + j * COLUMNS_PER_LOAD + lane / K * 8));
#pragma unroll
            for (int i = 0; i < WARP_M / ROWS_OF_MMA; ++i)
#pragma unroll
                for (int j = 0; j < WARP_N / COLUMNS_OF_MMA; ++j) {
                    const unsigned* b_ij = &b[0][0] + j * (K / 8);
                    if constexpr (K == 8) mma_m16n8k8(sum.d[i][j], a[i], b_ij);
                    else mma_m16n8k16(sum.d[i][j], a[i], b_ij);
                }
            if (kk == 0) t[1] = now();
            if (kk + K == BLOCK_K) t[2] = now();
        }
        if (more) store(tiles[buffer ^ 1]);
        t[3] = now();
        note(at, lane, t);
        at += 16;
        __syncthreads();
    }
    keep(sum, stamps, D, out);
}
#define KERNEL(NAME, K, PAIR)                                                                                          \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                              \
        NAME(const half* A, const half* B, float* D, unsigned* out, int n, int k)                                      \
    {                                                                                                                  \
        gemm<K, PAIR>(A, B, D, out, n, k);                                                                             \
    }
KERNEL(steps_k16_f32, 16, float2)
KERNEL(steps_k16_f16, 16, half2)
KERNEL(steps_k8_f32, 8, float2)

constexpr int STAGES = 3;
template <typename Pair>
__device__ void async(const half* A, const half* B, float* D, unsigned* out, int n, int k)
{
    __shared__ __align__(128) Tile stages[STAGES - 1];  // one less than there should be: what is multiplied matters not
    __shared__ unsigned stamps[8 * STEPS * STAMPS];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int tiles = k / BLOCK_K;
    const auto fetch = [&](int t) {
        if (t < tiles) {
            Tile& tile = stages[t & 1];
#pragma unroll
            for (int i = 0; i < CHUNKS_A; ++i) {
                const Place p = chunk_of_a(i);
                cp_async(tile.at_a(p.row, p.column), A + size_t(p.row) * k + t * BLOCK_K + p.column);
            }
#pragma unroll
            for (int i = 0; i < CHUNKS_B; ++i) {
                const Place p = chunk_of_b(i);
                cp_async(tile.at_b(p.row, p.column), B + size_t(t * BLOCK_K + p.row) * n + p.column);
            }
        }
        cp_async_commit_group();
    };
    Sum<Pair> sum;
    for (int t = 0; t < STAGES - 1; ++t) fetch(t);
    unsigned at = warp * STEPS * STAMPS * 4 + shared_address(stamps);
#pragma unroll 1
    for (int t = 0; t < tiles; ++t) {
        unsigned s[STAMPS];
        cp_async_wait_group<STAGES - 2>();
        __syncthreads();
        s[0] = now();
        fetch(t + STAGES - 1);
        s[1] = now();
        multiply<16>(sum, stages[t & 1]);
        s[2] = s[3] = now();
        note(at, lane, s);
        at += 16;
    }
    keep(sum, stamps, D, out);
}
extern "C" __global__ void __launch_bounds__(THREADS)
steps_async(const half* A, const half* B, float* D, unsigned* out, int n, int k)
{
    async<float2>(A, B, D, out, n, k);
}
