// D = alpha op(A) op(B) + beta C outside the tensor cores as chips before Fermi had it, after V. Volkov and J. Demmel,
// "Benchmarking GPUs to Tune Dense Linear Algebra", in the words of R. Nath, S. Tomov and J. Dongarra: 64 threads compute
// a tile of 64 x 16 elements, each a row of it. Elements of A come straight from memory to registers; a strip of B, kDepth
// deep, stands in shared memory, from where all threads read the same element at a time.
//
// -DREAL=float (or double) gives gemm_volkov_f32_nn and _nt: a row a thread is coalesced where A lies by columns. The sums
// and the edges are those of simt_gemm.cu.

#include "simt.cuh"

constexpr int kRows = 64, kColumns = 16;

template <typename Real, bool TransposeB>
__device__ void gemm_volkov(const Real* __restrict__ A, const Real* __restrict__ B, const Real* C, Real* D, int m, int n,
                            int k, int lda, int ldb, int ldc, int ldd, Real alpha, Real beta)
{
    constexpr int kLoads = kDepth * kColumns / kRows, kSteps = kRows / kSide;
    __shared__ Real b_strip[kDepth][kColumns + kPad];
    const int thread = threadIdx.x, row = blockIdx.x * kRows + thread, first = blockIdx.y * kColumns;
    const int near = thread % kSide, far = thread / kSide;  // along what lies together in memory, and across it
    Real sum[kColumns] = {};

    for (int k0 = 0; k0 < k; k0 += kDepth) {
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
            const int column = TransposeB ? near : far + kSteps * i, step = TransposeB ? far + kSteps * i : near;
            const int j = first + column, deep = k0 + step;
            const size_t place = TransposeB ? j + size_t(deep) * ldb : deep + size_t(j) * ldb;
            b_strip[step][column] = j < n && deep < k ? B[place] : Real(0);
        }
        __syncthreads();
#pragma unroll kUnrolled
        for (int step = 0; step < kDepth; ++step) {
            const Real a = row < m && k0 + step < k ? A[row + size_t(k0 + step) * lda] : Real(0);
#pragma unroll
            for (int j = 0; j < kColumns; ++j) sum[j] = fused(a, b_strip[step][j], sum[j]);
        }
        __syncthreads();
    }
    Real* d = D + row + size_t(first) * ldd;
    const Real* c = C + row + size_t(first) * ldc;
#pragma unroll
    for (int j = 0; j < kColumns; ++j, c += ldc, d += ldd)
        store_scaled(d, c, alpha, sum[j], beta, row < m && first + j < n);
}

#define KERNEL(SHORT, TYPE, NAME, TB)                                                                             \
    extern "C" __global__ void __launch_bounds__(kRows) gemm_volkov_##SHORT##_##NAME(                             \
        const TYPE* __restrict__ A, const TYPE* __restrict__ B, const TYPE* C, TYPE* D, int m, int n, int k,      \
        int lda, int ldb, int ldc, int ldd, TYPE alpha, TYPE beta)                                                \
    {                                                                                                             \
        gemm_volkov<TYPE, TB>(A, B, C, D, m, n, k, lda, ldb, ldc, ldd, alpha, beta);                              \
    }
#define KERNELS(...)               \
    KERNEL(__VA_ARGS__, nn, false) \
    KERNEL(__VA_ARGS__, nt, true)
#define EXPANDED(...) KERNELS(__VA_ARGS__)

EXPANDED(SHORT(REAL), REAL)
