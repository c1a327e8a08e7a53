// C = alpha op(A) op(B) + beta C over a batch, half precision, after A. Abdelfattah, S. Tomov, J. Dongarra, "Matrix
// multiplication on batches of small matrices in half and half-complex precisions" (2020). Matrices lie by columns with
// any leading dimension; A, B and C are arrays of pointers, one matrix for each blockIdx.z.
//
// A block has DIM_X x DIM_Y threads. To read and write, they stand as that; to multiply, as 32 x WARPS. Tiles of A and B
// go from global memory to registers, and from there to shared memory, while the tiles before them are multiplied. What
// lies outside a matrix reads as zero. Sub-blocks of TC_M x TC_N of C are dealt to the warps in turn.
//
//   -DNAME=... -DDIM_X= -DDIM_Y= -DBLK_M= -DBLK_N= -DBLK_K= -DTC_M= -DTC_N= -DTC_K= -DTRANS_A=0|1 -DTRANS_B=0|1
//   -DSUM=half|float   type of the accumulators
//   -DPAD=0|8          halves between the columns of a tile in shared memory
//   -DPLANES=1|2       real, or complex: __half2, the real part in the low half; complex sums are halves
//
// Shared memory, all of it dynamic: C, A, B side by side, of complex numbers real parts before imaginary ones.

#include <cuda_fp16.h>
#include <mma.h>

using namespace nvcuda;

constexpr int kThreads = DIM_X * DIM_Y, kWarps = kThreads / 32;
constexpr int kRows = BLK_M / TC_M, kBlocks = kRows * (BLK_N / TC_N);  // sub-blocks of C
constexpr int kSums = (kBlocks + kWarps - 1) / kWarps;                 // at most, of a warp

// A tile as it lies in memory: `kLong` elements in each of `kLines` columns.
constexpr int kLongA = TRANS_A ? BLK_K : BLK_M, kLinesA = TRANS_A ? BLK_M : BLK_K;
constexpr int kLongB = TRANS_B ? BLK_N : BLK_K, kLinesB = TRANS_B ? BLK_K : BLK_N;
constexpr int kStepA = kLongA + PAD, kStepB = kLongB + PAD, kStepC = BLK_M + PAD;
constexpr int kPlaneA = kLinesA * kStepA, kPlaneB = kLinesB * kStepB, kPlaneC = BLK_N * kStepC;

// Epilogues of many elements a thread are not unrolled whole: their code would outgrow the instruction cache.
constexpr int kUnrolled = 8 * DIM_X > BLK_M ? 8 * DIM_X / BLK_M : 1;  // columns

#if PLANES == 2
using Element = __half2;
#else
using Element = __half;
#endif

template <bool by_rows>
struct Major {
    using type = wmma::col_major;
};
template <>
struct Major<true> {
    using type = wmma::row_major;
};
using MajorA = typename Major<TRANS_A>::type;
using MajorB = typename Major<TRANS_B>::type;

__device__ Element nothing()
{
#if PLANES == 2
    return __floats2half2_rn(0.0f, 0.0f);
#else
    return __float2half(0.0f);
#endif
}

template <int kLong, int kLines>
struct Tile {
    Element part[kLines / DIM_Y][kLong / DIM_X];

    // `rows` and `lines` are what is left of the matrix from here on.
    __device__ void read(const Element* from, int ld, int rows, int lines, int x, int y)
    {
#pragma unroll
        for (int j = 0; j < kLines / DIM_Y; ++j)
#pragma unroll
            for (int i = 0; i < kLong / DIM_X; ++i) {
                const int row = x + i * DIM_X, line = y + j * DIM_Y;
                part[j][i] = row < rows && line < lines ? from[line * ld + row] : nothing();
            }
    }

    template <int kStep, int kPlane>
    __device__ void store(__half* to, int x, int y) const
    {
#pragma unroll
        for (int j = 0; j < kLines / DIM_Y; ++j)
#pragma unroll
            for (int i = 0; i < kLong / DIM_X; ++i) {
                const int at = (y + j * DIM_Y) * kStep + x + i * DIM_X;
#if PLANES == 2
                to[at] = __low2half(part[j][i]);
                to[at + kPlane] = __high2half(part[j][i]);
#else
                to[at] = part[j][i];
#endif
            }
    }
};

using FragmentA = wmma::fragment<wmma::matrix_a, TC_M, TC_N, TC_K, __half, MajorA>;
using FragmentB = wmma::fragment<wmma::matrix_b, TC_M, TC_N, TC_K, __half, MajorB>;
using Sum = wmma::fragment<wmma::accumulator, TC_M, TC_N, TC_K, SUM>;

__device__ const __half* at_a(const __half* A, int i, int k) { return TRANS_A ? A + i * kStepA + k : A + k * kStepA + i; }
__device__ const __half* at_b(const __half* B, int k, int j) { return TRANS_B ? B + k * kStepB + j : B + j * kStepB + k; }

// One sub-block of C, at (i, j): along the tiles' whole depth.
__device__ void multiply(const __half* A, const __half* B, Sum (&sum)[PLANES], int i, int j)
{
#pragma unroll
    for (int k = 0; k < BLK_K; k += TC_K) {
        FragmentA a;
        FragmentB b;
        wmma::load_matrix_sync(a, at_a(A, i, k), kStepA);
        wmma::load_matrix_sync(b, at_b(B, k, j), kStepB);
        wmma::mma_sync(sum[0], a, b, sum[0]);
#if PLANES == 2
        FragmentA ai;
        FragmentB bi;
        wmma::load_matrix_sync(bi, at_b(B + kPlaneB, k, j), kStepB);
        wmma::mma_sync(sum[1], a, bi, sum[1]);
        wmma::load_matrix_sync(ai, at_a(A + kPlaneA, i, k), kStepA);
        wmma::mma_sync(sum[1], ai, b, sum[1]);
#pragma unroll
        for (int e = 0; e < ai.num_elements; ++e) ai.x[e] = __hneg(ai.x[e]);
        wmma::mma_sync(sum[0], ai, bi, sum[0]);
#endif
    }
}

#if PLANES == 2
// (a + b i)(c + d i), and the same added to what is there: a chain of two or three roundings for each part.
__device__ __half2 times(__half2 s, __half2 x)
{
    const __half a = __low2half(s), b = __high2half(s), c = __low2half(x), d = __high2half(x);
    return __halves2half2(__hfma(__hneg(b), d, __hmul_rn(a, c)), __hfma(b, c, __hmul_rn(a, d)));
}
__device__ __half2 added(__half2 s, __half2 x, __half2 to)
{
    const __half a = __low2half(s), b = __high2half(s), c = __low2half(x), d = __high2half(x);
    return __halves2half2(__hfma(__hneg(b), d, __hfma(a, c, __low2half(to))),
                          __hfma(b, c, __hfma(a, d, __high2half(to))));
}
__device__ __half2 scaled(__half2 alpha, const __half* sum) { return times(alpha, __halves2half2(sum[0], sum[kPlaneC])); }
__device__ __half2 combined(__half2 alpha, const __half* sum, __half2 beta, __half2 c)
{
    return added(alpha, __halves2half2(sum[0], sum[kPlaneC]), times(beta, c));
}
__device__ bool is_zero(__half2 x) { return __heq(__low2half(x), __half(0.0f)) && __heq(__high2half(x), __half(0.0f)); }
#else
__device__ __half scaled(__half alpha, const __half* sum) { return __hmul_rn(alpha, *sum); }
__device__ __half scaled(__half alpha, const float* sum) { return __float2half(__half2float(alpha) * *sum); }
__device__ __half combined(__half alpha, const __half* sum, __half beta, __half c)
{
    return __hfma(alpha, *sum, __hmul_rn(beta, c));
}
__device__ __half combined(__half alpha, const float* sum, __half beta, __half c)
{
    return __float2half(__fmaf_rn(__half2float(alpha), *sum, __half2float(beta) * __half2float(c)));
}
__device__ bool is_zero(__half x) { return __heq(x, __half(0.0f)); }
#endif

// C = alpha times what shared memory holds, plus beta C.
template <bool reads>
__device__ void write(const SUM* sums, Element* C, int ldc, int rows, int columns, Element alpha, Element beta, int x,
                      int y)
{
#pragma unroll kUnrolled
    for (int j = 0; j < BLK_N; j += DIM_Y)
#pragma unroll
        for (int i = 0; i < BLK_M; i += DIM_X)
            if (i + x < rows && j + y < columns) {
                const SUM* sum = sums + (j + y) * kStepC + i + x;
                Element* c = C + (j + y) * ldc + i + x;
                *c = reads ? combined(alpha, sum, beta, *c) : scaled(alpha, sum);
            }
}

// A pointer from an array of pointers could point anywhere; these point to global memory.
template <typename T>
__device__ T* global(T* pointer)
{
    __builtin_assume(__isGlobal(pointer));
    return pointer;
}

extern "C" __global__ void __launch_bounds__(kThreads)
    NAME(int m, int n, int k, Element alpha, const Element* const* A_array, int lda, const Element* const* B_array,
         int ldb, Element beta, Element* const* C_array, int ldc)
{
    extern __shared__ __align__(32) char shared[];
    SUM* sC = reinterpret_cast<SUM*>(shared);
    __half* sA = reinterpret_cast<__half*>(sC + PLANES * kPlaneC);
    __half* sB = sA + PLANES * kPlaneA;

    const int x = threadIdx.x % DIM_X, y = threadIdx.x / DIM_X, warp = threadIdx.x / 32;
    const int row = blockIdx.x * BLK_M, column = blockIdx.y * BLK_N;
    const Element* A = global(A_array[blockIdx.z]) + (TRANS_A ? size_t(row) * lda : size_t(row));
    const Element* B = global(B_array[blockIdx.z]) + (TRANS_B ? size_t(column) : size_t(column) * ldb);

    Sum sums[kSums][PLANES];
#pragma unroll
    for (int s = 0; s < kSums; ++s)
#pragma unroll
        for (int p = 0; p < PLANES; ++p) wmma::fill_fragment(sums[s][p], SUM(0.0f));

    // One turn reads a pair of tiles and multiplies the pair before it.
#pragma unroll 1
    for (int k0 = 0; k0 < k + BLK_K; k0 += BLK_K) {
        Tile<kLongA, kLinesA> a;
        Tile<kLongB, kLinesB> b;
        const bool reads = k0 < k;
        if (reads) {
            const int left = k - k0;
            a.read(A, lda, TRANS_A ? left : m - row, TRANS_A ? m - row : left, x, y);
            b.read(B, ldb, TRANS_B ? n - column : left, TRANS_B ? left : n - column, x, y);
            A += TRANS_A ? size_t(BLK_K) : size_t(BLK_K) * lda;
            B += TRANS_B ? size_t(BLK_K) * ldb : size_t(BLK_K);
        }
        if (k0 > 0) {
#pragma unroll
            for (int s = 0; s < kSums; ++s) {
                const int block = warp + s * kWarps;  // down the columns of C
                if ((s + 1) * kWarps <= kBlocks || block < kBlocks)
                    multiply(sA, sB, sums[s], block % kRows * TC_M, block / kRows * TC_N);
            }
            __syncthreads();
        }
        if (reads) {
            a.template store<kStepA, kPlaneA>(sA, x, y);
            b.template store<kStepB, kPlaneB>(sB, x, y);
            __syncthreads();
        }
    }

#pragma unroll
    for (int s = 0; s < kSums; ++s) {
        const int block = warp + s * kWarps;
        if ((s + 1) * kWarps <= kBlocks || block < kBlocks)
#pragma unroll
            for (int p = 0; p < PLANES; ++p) {
                SUM* to = sC + p * kPlaneC + block / kRows * TC_N * kStepC + block % kRows * TC_M;
                wmma::store_matrix_sync(to, sums[s][p], kStepC, wmma::mem_col_major);
            }
    }
    __syncthreads();
    Element* C = global(C_array[blockIdx.z]) + size_t(column) * ldc + row;
    if (is_zero(beta))  // C is not read: no NaN of it comes through
        write<false>(sC, C, ldc, m - row, n - column, alpha, beta, x, y);
    else
        write<true>(sC, C, ldc, m - row, n - column, alpha, beta, x, y);
}
