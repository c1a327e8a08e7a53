// D = A B as any configuration of simtc.gemm.hgemm has it: tiles that are no power of two, transposes, epilogues, strided
// batches, bf16, cp.async. What the compiler makes of it is the configuration's twin; the generated program has the same
// parameters. Configurations that need none of this have hgemm_template.cu: their machine code was timed on chips, and
// the compiler makes other code of this source.
//
//   A: m x k, f16 or bf16, row-major       B: k x n, likewise, column-major       D: m x n, f16 or f32, row-major
//   m, n, k multiples of BLOCK_M, BLOCK_N, BLOCK_K; grid = (n / BLOCK_N, m / BLOCK_M, products); THREADS threads a block;
//   STAGES * (bytes of both tiles) of dynamic shared memory. sm_75 and later.
//
// With TURNED_A (TURNED_B) A is column-major (B row-major). With ALPHA D is alpha A B, with BETA alpha A B + beta C. With
// STRIDED leading dimensions and the elements from one product's matrix to the next are parameters. With ASYNC cp.async
// fills the stages.
//
// simtc.gemm.hgemm.twin.definitions(configuration) gives the -D of one configuration; twins.toml lists those that ship.

#include "ptx.cuh"

#ifndef NAME
#error "name the kernel and its tiles: -DNAME=... -DBLOCK_M=... (see simtc.gemm.hgemm.twin.definitions)"
#endif

enum { NONE, PAD, XOR };

#ifdef SUM_F32
using Sum = float2;  // two neighbouring columns of one row
using Element = float;
using Factor = float;
#else
using Sum = half2;
using Element = half;
using Factor = half2;  // the same number twice
#endif

#ifdef TURNED_A
constexpr bool A_BY_K = false;
#else
constexpr bool A_BY_K = true;  // its rows in memory, and in shared memory, go along k
#endif
#ifdef TURNED_B
constexpr bool B_BY_K = false;
#else
constexpr bool B_BY_K = true;
#endif

#if __CUDA_ARCH__ >= 800
constexpr int K = 16;
#else
constexpr int K = 8;
#endif
constexpr int M = 16, N = 8, CHUNK = 8;  // CHUNK: halves in 16 bytes
constexpr int WARPS_M = BLOCK_M / WARP_M, WARPS_N = BLOCK_N / WARP_N;
constexpr int THREADS = 32 * WARPS_M * WARPS_N;
constexpr int STEPS = BLOCK_K / WARP_K, PARTS = WARP_K / K;
constexpr int TILES_M = WARP_M / M, TILES_N = WARP_N / N;

constexpr int larger(int a, int b) { return a > b ? a : b; }
constexpr int power_up_to(int most) { return most < 2 ? 1 : 2 * power_up_to(most / 2); }

// A tile of A or B: where its elements lie in shared memory, and how the threads share its pieces of 16 bytes. The rows
// that they fill at once are a power of two or a multiple of 16, so that a thread's place moves by a constant.
template <int ROWS_, int COLS_>
struct Tile {
    static constexpr int ROWS = ROWS_, COLS = COLS_;
    static constexpr int PIECES = COLS / CHUNK;  // of a row
    static constexpr int MOST = THREADS / PIECES;
    static constexpr int AT_ONCE = MOST >= ROWS ? ROWS : larger(MOST - MOST % 16, power_up_to(MOST));
    static constexpr int COPIES = (ROWS + AT_ONCE - 1) / AT_ONCE;

    // Rows that lie side by side in the 128 bytes of all banks; `pad` adds 16 bytes after them, `xor` turns chunks by them.
    static constexpr int LINE = COLS < 64 ? 64 / COLS : 1;
    static constexpr int TURNS = COLS / CHUNK < 8 ? COLS / CHUNK : 8;
    static constexpr int HALVES = ROWS * COLS + (LAYOUT == PAD ? (ROWS + LINE - 1) / LINE * CHUNK : 0);

    __device__ static int offset(int row, int column)
    {
        if (LAYOUT == PAD) return row * COLS + row / LINE * CHUNK + column;
        if (LAYOUT == XOR) return row * COLS + (column / CHUNK ^ row / LINE % TURNS) * CHUNK + column % CHUNK;
        return row * COLS + column;
    }

    __device__ static int row(int i) { return int(threadIdx.x) / PIECES + i * AT_ONCE; }
    __device__ static int column() { return int(threadIdx.x) % PIECES * CHUNK; }
    __device__ static bool copies(int i)
    {
        if constexpr (ROWS % AT_ONCE == 0 && AT_ONCE * PIECES == THREADS) return true;
        const int threads = (ROWS - i * AT_ONCE < AT_ONCE ? ROWS - i * AT_ONCE : AT_ONCE) * PIECES;
        return threads == THREADS || int(threadIdx.x) < threads;
    }
};
using TileA = Tile<A_BY_K ? BLOCK_M : BLOCK_K, A_BY_K ? BLOCK_K : BLOCK_M>;
using TileB = Tile<B_BY_K ? BLOCK_N : BLOCK_K, B_BY_K ? BLOCK_K : BLOCK_N>;
constexpr int BUFFER = TileA::HALVES + TileB::HALVES;

// Two neighbouring f16 columns of D are 4 bytes. Columns are dealt to pairs of matrix instructions, so that a lane gets
// four neighbours: column 2 of D is computed where column 8 would be.
constexpr bool DEALS = sizeof(Element) == 2 && TILES_N % 2 == 0 && BLOCK_K >= 32 && B_BY_K;
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
    using In = TileA;
    static constexpr bool BY_K = A_BY_K;
    static constexpr int COUNT = TILES_M * K / 4;
    __device__ static Place matrix(int i) { return {i / (K / 4) * M + i % 2 * 8, i % (K / 4) / 2 * 8}; }
};
struct InB {
    using In = TileB;
    static constexpr bool BY_K = B_BY_K;
    static constexpr int COUNT = TILES_N * K / 8;
    __device__ static Place matrix(int i) { return {i / (K / 8) * N, i % (K / 8) * 8}; }
};

// Load GROUP matrices with one instruction: eight lanes' addresses each.
template <typename Of, int GROUP>
__device__ void load_matrices(unsigned (&into)[Of::COUNT], int i, const half* tile, int row, int k)
{
    const int lane = threadIdx.x % 32;
    const Place p = Of::matrix(i + lane / 8 % GROUP);
    auto& registers = reinterpret_cast<unsigned(&)[GROUP]>(into[i]);
    if constexpr (Of::BY_K)
        ldmatrix(registers, tile + Of::In::offset(row + p.row + lane % 8, k + p.column));
    else
        ldmatrix_trans(registers, tile + Of::In::offset(k + p.column + lane % 8, row + p.row));
}

#ifdef LDSM
constexpr bool MATRICES = true;
#else
constexpr bool MATRICES = false;
#endif

template <typename Of>
__device__ void load_fragments(unsigned (&into)[Of::COUNT], const half* tile, int row, int k)
{
    if constexpr (MATRICES || !Of::BY_K) {
        constexpr int WHOLE = Of::COUNT / 4 * 4;
#pragma unroll
        for (int i = 0; i < WHOLE; i += 4) load_matrices<Of, 4>(into, i, tile, row, k);
        if constexpr (Of::COUNT % 4 >= 2) load_matrices<Of, 2>(into, WHOLE, tile, row, k);
        if constexpr (Of::COUNT % 2) load_matrices<Of, 1>(into, Of::COUNT - 1, tile, row, k);
    } else {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int i = 0; i < Of::COUNT; ++i) {
            const Place p = Of::matrix(i);
            const half* from = tile + Of::In::offset(row + p.row + lane / 4, k + p.column + lane % 4 * 2);
            into[i] = *reinterpret_cast<const unsigned*>(from);
        }
    }
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
            load_fragments<InB>(b[part], buffer + TileA::HALVES, column, step * WARP_K + part * K);
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
#if defined BF16 && __CUDA_ARCH__ >= 800
                mma_m16n8k16_bf16(sum[i][j], a, b);
#elif __CUDA_ARCH__ >= 800
                mma_m16n8k16(sum[i][j], a, b);
#else
                mma_m16n8k8(sum[i][j], a, b);
#endif
            }
}

// Where A and B of a block begin, and the elements from one line in memory to the next.
struct Operands {
    const half *A, *B;
    int lda, ldb;

    __device__ const half* a(int i, int k0) const
    {
        if (A_BY_K) return A + size_t(TileA::row(i)) * lda + k0 + TileA::column();
        return A + size_t(k0 + TileA::row(i)) * lda + TileA::column();
    }
    __device__ const half* b(int i, int k0) const
    {
        if (B_BY_K) return B + size_t(TileB::row(i)) * ldb + k0 + TileB::column();
        return B + size_t(k0 + TileB::row(i)) * ldb + TileB::column();
    }
    __device__ static half* to_a(half* buffer, int i) { return buffer + TileA::offset(TileA::row(i), TileA::column()); }
    __device__ static half* to_b(half* buffer, int i)
    {
        return buffer + TileA::HALVES + TileB::offset(place_of_column(TileB::row(i)), TileB::column());
    }
};

// A thread's 16 bytes of the next tiles of A and B, in registers until a buffer is free.
struct Prefetch {
    uint4 a[TileA::COPIES], b[TileB::COPIES];

    __device__ void load(const Operands& from, int k0)
    {
#pragma unroll
        for (int i = 0; i < TileA::COPIES; ++i)
            if (TileA::copies(i)) a[i] = *reinterpret_cast<const uint4*>(from.a(i, k0));
#pragma unroll
        for (int i = 0; i < TileB::COPIES; ++i)
            if (TileB::copies(i)) b[i] = *reinterpret_cast<const uint4*>(from.b(i, k0));
    }

    __device__ void store(half* buffer) const
    {
#pragma unroll
        for (int i = 0; i < TileA::COPIES; ++i)
            if (TileA::copies(i)) *reinterpret_cast<uint4*>(Operands::to_a(buffer, i)) = a[i];
#pragma unroll
        for (int i = 0; i < TileB::COPIES; ++i)
            if (TileB::copies(i)) *reinterpret_cast<uint4*>(Operands::to_b(buffer, i)) = b[i];
    }
};

#ifdef ASYNC
// Start the copy of a tile, if there is one, and close its group: empty ones keep the count of groups that of tiles.
__device__ inline void fetch(const Operands& from, half* buffer, int k0, int k)
{
    if (k0 < k) {
#pragma unroll
        for (int i = 0; i < TileA::COPIES; ++i)
            if (TileA::copies(i)) cp_async(Operands::to_a(buffer, i), from.a(i, k0));
#pragma unroll
        for (int i = 0; i < TileB::COPIES; ++i)
            if (TileB::copies(i)) cp_async(Operands::to_b(buffer, i), from.b(i, k0));
    }
    cp_async_commit_group();
}
#endif

#if defined ALPHA || defined BETA
__device__ inline float2 scaled(float2 sum, float alpha) { return {__fmul_rn(sum.x, alpha), __fmul_rn(sum.y, alpha)}; }
__device__ inline half2 scaled(half2 sum, half2 alpha) { return __hmul2_rn(sum, alpha); }
__device__ inline float2 fused(float2 sum, float alpha, float2 c)
{
    return {__fmaf_rn(sum.x, alpha, c.x), __fmaf_rn(sum.y, alpha, c.y)};
}
__device__ inline half2 fused(half2 sum, half2 alpha, half2 c) { return __hfma2(sum, alpha, c); }
#endif

// C's line and factor, where the kernel has them.
struct Scales {
#if defined ALPHA || defined BETA
    const Element* C;
    int ldc;
    Factor alpha, beta;
#endif

    __device__ Sum operator()(Sum sum, int row, int column) const
    {
#if defined BETA
        const Sum c = *reinterpret_cast<const Sum*>(C + size_t(row) * ldc + column);
        return fused(sum, alpha, scaled(c, beta));
#elif defined ALPHA
        return scaled(sum, alpha);
#else
        return sum;
#endif
    }
};

__device__ inline void write_back(const Sum (&sum)[TILES_M][TILES_N][2], Element* D, int ldd, const Scales& scales)
{
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int row = blockIdx.y * BLOCK_M + warp % WARPS_M * WARP_M + lane / 4;
    const int column = blockIdx.x * BLOCK_N + warp / WARPS_M * WARP_N;
#pragma unroll
    for (int i = 0; i < TILES_M; ++i)
#pragma unroll
        for (int side = 0; side < 2; ++side) {
            const int down = row + i * M + side * 8;
            Element* at = D + size_t(down) * ldd + column;
#pragma unroll
            for (int j = 0; j < TILES_N; j += DEALS ? 2 : 1) {
                if constexpr (DEALS) {
                    const int across = j * N + lane % 4 * 4;
                    const Sum four[] = {scales(sum[i][j][side], down, column + across),
                                        scales(sum[i][j + 1][side], down, column + across + 2)};
                    *reinterpret_cast<uint2*>(at + across) = reinterpret_cast<const uint2&>(four);
                } else {
                    const int across = j * N + lane % 4 * 2;
                    *reinterpret_cast<Sum*>(at + across) = scales(sum[i][j][side], down, column + across);
                }
            }
        }
}

template <int SET_>
struct First {
    static constexpr int SET = SET_;
};

extern "C" __global__ void __launch_bounds__(THREADS)
NAME(const half* A, const half* B, Element* D, int m, int n, int k
#if defined ALPHA || defined BETA
     , const Element* C, Factor alpha, Factor beta
#endif
#ifdef STRIDED
     , int lda, int ldb, int ldd
#ifdef BETA
     , int ldc
#endif
     , long long stride_a, long long stride_b, long long stride_d
#ifdef BETA
     , long long stride_c
#endif
#endif
)
{
    extern __shared__ __align__(128) half buffers[];
#ifdef STRIDED
    A += blockIdx.z * stride_a;
    B += blockIdx.z * stride_b;
    D += blockIdx.z * stride_d;
#else
    const int lda = A_BY_K ? k : m, ldb = B_BY_K ? k : n, ldd = n;
#endif
    Scales scales;
#if defined BETA && defined STRIDED
    scales = {C + blockIdx.z * stride_c, ldc, alpha, beta};
#elif defined ALPHA || defined BETA
    scales = {C, ldd, alpha, beta};
#endif
    A += A_BY_K ? size_t(blockIdx.y) * BLOCK_M * lda : size_t(blockIdx.y) * BLOCK_M;
    B += B_BY_K ? size_t(blockIdx.x) * BLOCK_N * ldb : size_t(blockIdx.x) * BLOCK_N;
    const Operands from{A, B, lda, ldb};

#ifdef ASYNC
#pragma unroll
    for (int t = 0; t < STAGES - 1; ++t) fetch(from, buffers + t * BUFFER, t * BLOCK_K, k);
    Sum sum[TILES_M][TILES_N][2];
    memset(sum, 0, sizeof sum);
    cp_async_wait_group<STAGES - 2>();  // this thread's part of the first tile has arrived
#else
    Prefetch next;
    next.load(from, 0);
    Sum sum[TILES_M][TILES_N][2];
    memset(sum, 0, sizeof sum);
    next.store(buffers);
#endif
    __syncthreads();
    Fragments sets[2];  // of k steps: one is multiplied while the other is loaded
    sets[0].load(buffers, 0);

    int present = 0;
#ifdef ASYNC
    int free = (STAGES - 1) * BUFFER;  // whose tile was multiplied before: every warp has read it
#endif
    // An iteration whose first fragments are in set FIRST; of an odd number of k steps the next one's are in the other.
    const auto iterate = [&](int k0, auto which) {
        constexpr int FIRST = decltype(which)::SET;
        const bool more = k0 + BLOCK_K < k;
#ifdef ASYNC
        fetch(from, buffers + free, k0 + (STAGES - 1) * BLOCK_K, k);
#else
        if (more) next.load(from, k0 + BLOCK_K);
#endif
#pragma unroll
        for (int step = 0; step < STEPS - 1; ++step) {
            sets[(FIRST + step + 1) % 2].load(buffers + present, step + 1);
            multiply(sum, sets[(FIRST + step) % 2]);
        }
#ifdef ASYNC
        cp_async_wait_group<STAGES - 2>();
        __syncthreads();  // every warp's part of the next tile has arrived, and every warp has read this one
        free = present;
        present = present == (STAGES - 1) * BUFFER ? 0 : present + BUFFER;
        if (more) sets[(FIRST + STEPS) % 2].load(buffers + present, 0);
#else
        if (more) {
            if (STAGES == 1) __syncthreads();  // every warp has read the last fragments of the tile
            present = BUFFER * (STAGES - 1) - present;
            next.store(buffers + present);
            __syncthreads();
            sets[(FIRST + STEPS) % 2].load(buffers + present, 0);
        }
#endif
        multiply(sum, sets[(FIRST + STEPS - 1) % 2]);
    };
#pragma unroll 1
    for (int k0 = 0; k0 < k; k0 += BLOCK_K) {
        iterate(k0, First<0>());
        if (STEPS % 2 && (k0 += BLOCK_K) < k) iterate(k0, First<1>());
    }
    write_back(sum, D, ldd, scales);
}
