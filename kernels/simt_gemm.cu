// D = alpha op(A) op(B) + beta C outside the tensor cores, blocked for registers, after R. Nath, S. Tomov and J. Dongarra,
// "An Improved MAGMA GEMM for Fermi Graphics Processing Units": 16 x 16 threads compute a tile of 16 R x 16 R elements.
// Thread (x, y) computes R x R of them with stride 16, so that the threads of a row of warps store neighbours. Strips of
// A and B, kDepth deep, stand in shared memory; for each k a thread loads R elements of either into registers and
// multiplies all pairs. The next strips are on their way in registers meanwhile.
//
// -DREAL=float (or double) and -DPER=6 give simt_gemm_f32_r6_TRANSPOSE for nn, nt, tn and tt. Matrices lie by columns, as
// BLAS has them; t is one that is transposed. Any m, n and k: what lies outside is taken for 0, and not stored. The sum of
// an element is a chain of fused multiply-adds, k rising from 0. Where beta is 0, C is not read.

#include "simt.cuh"

template <typename Real, int R, bool TransposeA, bool TransposeB>
__device__ void simt_gemm(const Real* __restrict__ A, const Real* __restrict__ B, const Real* C, Real* D, int m, int n,
                          int k, int lda, int ldb, int ldc, int ldd, Real alpha, Real beta)
{
    constexpr int kTile = kSide * R;
    __shared__ Real a_strip[kDepth][kTile + kPad], b_strip[kDepth][kTile + kPad];
    const int x = threadIdx.x, y = threadIdx.y;
    const Strip<Real, R, !TransposeA> a(A, blockIdx.x * kTile, m, lda);
    const Strip<Real, R, TransposeB> b(B, blockIdx.y * kTile, n, ldb);
    Real sum[R][R] = {}, a_next[R], b_next[R];

    a.load(a_next, 0, k);
    b.load(b_next, 0, k);
    for (int k0 = 0; k0 < k; k0 += kDepth) {
        a.store(a_strip, a_next);
        b.store(b_strip, b_next);
        __syncthreads();
        a.load(a_next, k0 + kDepth, k);
        b.load(b_next, k0 + kDepth, k);
#pragma unroll kUnrolled
        for (int step = 0; step < kDepth; ++step) {
            Real a_now[R], b_now[R];
#pragma unroll
            for (int i = 0; i < R; ++i) a_now[i] = a_strip[step][x + kSide * i];
#pragma unroll
            for (int j = 0; j < R; ++j) b_now[j] = b_strip[step][y + kSide * j];
#pragma unroll
            for (int j = 0; j < R; ++j)
#pragma unroll
                for (int i = 0; i < R; ++i) sum[i][j] = fused(a_now[i], b_now[j], sum[i][j]);
        }
        __syncthreads();
    }
    const int row = blockIdx.x * kTile + x, column = blockIdx.y * kTile + y;
    Real* d = D + row + size_t(column) * ldd;
    const Real* c = C + row + size_t(column) * ldc;
#pragma unroll
    for (int j = 0; j < R; ++j, c += kSide * size_t(ldc), d += kSide * size_t(ldd))
#pragma unroll
        for (int i = 0; i < R; ++i) {
            const bool inside = row + kSide * i < m && column + kSide * j < n;
            store_scaled(d + kSide * i, c + kSide * i, alpha, sum[i][j], beta, inside);
        }
}

#define KERNEL(SHORT, TYPE, SIZE, NAME, TA, TB)                                                                  \
    extern "C" __global__ void __launch_bounds__(kSide* kSide) simt_gemm_##SHORT##_r##SIZE##_##NAME(             \
        const TYPE* __restrict__ A, const TYPE* __restrict__ B, const TYPE* C, TYPE* D, int m, int n, int k,     \
        int lda, int ldb, int ldc, int ldd, TYPE alpha, TYPE beta)                                               \
    {                                                                                                            \
        simt_gemm<TYPE, SIZE, TA, TB>(A, B, C, D, m, n, k, lda, ldb, ldc, ldd, alpha, beta);                     \
    }
#define TRANSPOSES(...)                   \
    KERNEL(__VA_ARGS__, nn, false, false) \
    KERNEL(__VA_ARGS__, nt, false, true)  \
    KERNEL(__VA_ARGS__, tn, true, false)  \
    KERNEL(__VA_ARGS__, tt, true, true)
#define KERNELS(...) TRANSPOSES(__VA_ARGS__)

KERNELS(SHORT(REAL), REAL, PER)
