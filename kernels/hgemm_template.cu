// D = A B as a configuration of simtc.gemm.hgemm has it: the same tiles, padding, stages and order of work, written in
// CUDA C++. What the compiler makes of it is the configuration's twin; the generated program has the same parameters.
//
//   A: m x k, f16, row-major       B: k x n, f16, column-major       D: m x n, f16 or f32, row-major
//   m, n, k multiples of BLOCK_M, BLOCK_N, BLOCK_K; grid = (n / BLOCK_N, m / BLOCK_M); THREADS threads a block;
//   STAGES * (bytes of both tiles) of dynamic shared memory. sm_75 and later.
//
// simtc.gemm.definitions(configuration) gives the -D of one configuration; twins.toml lists those that ship.

#include "ptx.cuh"

#ifndef NAME
#error "name the kernel and its tiles: -DNAME=... -DBLOCK_M=... (python -c 'from simtc.gemm import definitions')"
#endif

enum { NONE, PAD, XOR };

#ifdef SUM_F32
using Sum = float2;  // two neighbouring columns of one row
using Element = float;
#else
using Sum = half2;
using Element = half;
#endif

#if __CUDA_ARCH__ >= 800
constexpr int K = 16;
#else
constexpr int K = 8;
#endif
constexpr int M = 16, N = 8, CHUNK = 8;  // CHUNK: halves in 16 bytes
constexpr int WARPS_M = BLOCK_M / WARP_M, WARPS_N = BLOCK_N / WARP_N;
constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int ROWS_AT_ONCE = THREADS * CHUNK / BLOCK_K;  // of a tile, that 16 bytes of every thread fill
constexpr int COPIES_A = BLOCK_M / ROWS_AT_ONCE, COPIES_B = BLOCK_N / ROWS_AT_ONCE;
constexpr int STEPS = BLOCK_K / WARP_K, PARTS = WARP_K / K;
constexpr int TILES_M = WARP_M / M, TILES_N = WARP_N / N;

// Rows that lie side by side in the 128 bytes of all banks; `pad` adds 16 bytes after them, `xor` turns chunks by them.
constexpr int LINE = BLOCK_K < 64 ? 64 / BLOCK_K : 1;
constexpr int TURNS = BLOCK_K / CHUNK < 8 ? BLOCK_K / CHUNK : 8;

constexpr int halves(int rows)
{
    return rows * BLOCK_K + (LAYOUT == PAD ? (rows + LINE - 1) / LINE * CHUNK : 0);
}
constexpr int TILE_A = halves(BLOCK_M), BUFFER = TILE_A + halves(BLOCK_N);

__device__ inline int offset(int row, int column)
{
    if (LAYOUT == PAD) return row * BLOCK_K + row / LINE * CHUNK + column;
    if (LAYOUT == XOR) return row * BLOCK_K + (column / CHUNK ^ row / LINE % TURNS) * CHUNK + column % CHUNK;
    return row * BLOCK_K + column;
}

// Two neighbouring f16 columns of D are 4 bytes. Columns are dealt to pairs of matrix instructions, so that a lane gets
// four neighbours: column 2 of D is computed where column 8 would be.
constexpr bool DEALS = sizeof(Element) == 2 && TILES_N > 1 && BLOCK_K >= 32;
__device__ inline int place_of_column(int column)
{
    return DEALS ? (column & ~14) | (column & 2) << 2 | (column & 12) >> 1 : column;
}

struct Place {
    int row, column;
};

// Where the 8x8 matrix lies that a register of a warp's fragments holds: of A, whose instruction takes 16 rows, and of
// B, whose instruction takes 8 columns, which are rows in shared memory.
struct InA {
    static constexpr int COUNT = TILES_M * K / 4;
    __device__ static Place matrix(int i) { return {i / (K / 4) * M + i % 2 * 8, i % (K / 4) / 2 * 8}; }
};
struct InB {
    static constexpr int COUNT = TILES_N * K / 8;
    __device__ static Place matrix(int i) { return {i / (K / 8) * N, i % (K / 8) * 8}; }
};

template <typename In>
__device__ void load_fragments(unsigned (&into)[In::COUNT], const half* tile, int row, int k)
{
    const int lane = threadIdx.x % 32;
#ifdef LDSM
    constexpr int GROUP = In::COUNT < 4 ? In::COUNT : 4;  // matrices of one instruction: eight lanes' addresses each
#pragma unroll
    for (int i = 0; i < In::COUNT; i += GROUP) {
        const Place p = In::matrix(i + lane / 8 % GROUP);
        const half* from = tile + offset(row + p.row + lane % 8, k + p.column);
        ldmatrix(reinterpret_cast<unsigned(&)[GROUP]>(into[i]), from);
    }
#else
#pragma unroll
    for (int i = 0; i < In::COUNT; ++i) {
        const Place p = In::matrix(i);
        into[i] = *reinterpret_cast<const unsigned*>(tile + offset(row + p.row + lane / 4, k + p.column + lane % 4 * 2));
    }
#endif
}

struct Fragments {
    unsigned a[PARTS][InA::COUNT], b[PARTS][InB::COUNT];

    __device__ void load(const half* buffer, int step)
    {
        const int warp = threadIdx.x / 32;
        const int row = warp % WARPS_M * WARP_M, column = warp / WARPS_M * WARP_N;
#pragma unroll
        for (int part = 0; part < PARTS; ++part) {
            load_fragments<InA>(a[part], buffer, row, step * WARP_K + part * K);
            load_fragments<InB>(b[part], buffer + TILE_A, column, step * WARP_K + part * K);
        }
    }
};

__device__ inline void multiply(Sum (&sum)[TILES_M][TILES_N][2], const Fragments& f)
{
#pragma unroll
    for (int part = 0; part < PARTS; ++part)
#pragma unroll
        for (int i = 0; i < TILES_M; ++i)
#pragma unroll
            for (int j = 0; j < TILES_N; ++j) {
                const unsigned *a = f.a[part] + i * (K / 4), *b = f.b[part] + j * (K / 8);
#if __CUDA_ARCH__ >= 800
                mma_m16n8k16(sum[i][j], a, b);
#else
                mma_m16n8k8(sum[i][j], a, b);
#endif
            }
}

// A thread's 16 bytes of the next tiles of A and B, in registers until a buffer is free.
struct Prefetch {
    uint4 a[COPIES_A], b[COPIES_B];

    __device__ static Place place(int i)
    {
        return {int(threadIdx.x) / (BLOCK_K / CHUNK) + i * ROWS_AT_ONCE, int(threadIdx.x) % (BLOCK_K / CHUNK) * CHUNK};
    }

    __device__ void load(const half* A, const half* B, int k, int k0)
    {
#pragma unroll
        for (int i = 0; i < COPIES_A; ++i)
            a[i] = *reinterpret_cast<const uint4*>(A + size_t(place(i).row) * k + k0 + place(i).column);
#pragma unroll
        for (int i = 0; i < COPIES_B; ++i)
            b[i] = *reinterpret_cast<const uint4*>(B + size_t(place(i).row) * k + k0 + place(i).column);
    }

    __device__ void store(half* buffer) const
    {
#pragma unroll
        for (int i = 0; i < COPIES_A; ++i)
            *reinterpret_cast<uint4*>(buffer + offset(place(i).row, place(i).column)) = a[i];
#pragma unroll
        for (int i = 0; i < COPIES_B; ++i)
            *reinterpret_cast<uint4*>(buffer + TILE_A + offset(place_of_column(place(i).row), place(i).column)) = b[i];
    }
};

__device__ inline void write_back(const Sum (&sum)[TILES_M][TILES_N][2], Element* D, int n)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = blockIdx.y * BLOCK_M + warp % WARPS_M * WARP_M + lane / 4;
    const int column = blockIdx.x * BLOCK_N + warp / WARPS_M * WARP_N;
#pragma unroll
    for (int i = 0; i < TILES_M; ++i)
#pragma unroll
        for (int side = 0; side < 2; ++side) {
            Element* at = D + size_t(row + i * M + side * 8) * n + column;
#pragma unroll
            for (int j = 0; j < TILES_N; j += DEALS ? 2 : 1) {
                if constexpr (DEALS) {
                    const Sum four[] = {sum[i][j][side], sum[i][j + 1][side]};
                    *reinterpret_cast<uint2*>(at + j * N + lane % 4 * 4) = reinterpret_cast<const uint2&>(four);
                } else {
                    *reinterpret_cast<Sum*>(at + j * N + lane % 4 * 2) = sum[i][j][side];
                }
            }
        }
}

extern "C" __global__ void __launch_bounds__(THREADS)
NAME(const half* A, const half* B, Element* D, int, int n, int k)
{
    extern __shared__ __align__(128) half buffers[];
    A += size_t(blockIdx.y) * BLOCK_M * k;
    B += size_t(blockIdx.x) * BLOCK_N * k;

    Prefetch next;
    next.load(A, B, k, 0);
    Sum sum[TILES_M][TILES_N][2];
    memset(sum, 0, sizeof sum);
    next.store(buffers);
    __syncthreads();
    Fragments even, odd;  // of k steps: one set is multiplied while the other is loaded
    even.load(buffers, 0);

    int present = 0;
#pragma unroll 1
    for (int k0 = 0; k0 < k; k0 += BLOCK_K) {
        const bool more = k0 + BLOCK_K < k;
        if (more) next.load(A, B, k, k0 + BLOCK_K);
#pragma unroll
        for (int step = 0; step < STEPS - 2; step += 2) {
            odd.load(buffers + present, step + 1);
            multiply(sum, even);
            even.load(buffers + present, step + 2);
            multiply(sum, odd);
        }
        odd.load(buffers + present, STEPS - 1);
        multiply(sum, even);
        if (more) {
            if (STAGES == 1) __syncthreads();  // every warp has read the last fragments of the tile
            present = BUFFER * (STAGES - 1) - present;
            next.store(buffers + present);
            __syncthreads();
            even.load(buffers + present, 0);
        }
        multiply(sum, odd);
    }
    write_back(sum, D, n);
}
