// C = alpha A B + beta C over a batch of tiny square matrices of halves, without tensor cores: N x N threads a problem,
// one element of C each, the loop over k unrolled while N is at most 16; several problems a block, one behind the other along z. After the
// kernel of A. Abdelfattah, S. Tomov, J. Dongarra (2020), section 8. Matrices lie by columns with any leading dimension;
// A, B and C are arrays of pointers.
//
//   -DPLANES=1     gemm_small_1 to gemm_small_32 of real numbers, and gemm_small_packed_1 to 8
//   -DPLANES=2     gemm_small_complex_1 to 32: __half2, the real part in the low half
//
// packed: a warp puts 16 / N problems into one 16 x 16 x 16 product of the tensor cores, A's along the diagonal, B's
// below one another; C's then stand below one another too.

#include <cuda_fp16.h>
#include <mma.h>

#if PLANES == 2
using Element = __half2;
// a b + c, each part rounded twice.
__device__ __half2 fused(__half2 a, __half2 b, __half2 c)
{
    const __half re = __hfma(__hneg(__high2half(a)), __high2half(b), __hfma(__low2half(a), __low2half(b), __low2half(c)));
    const __half im = __hfma(__high2half(a), __low2half(b), __hfma(__low2half(a), __high2half(b), __high2half(c)));
    return __halves2half2(re, im);
}
__device__ __half2 times(__half2 a, __half2 b)
{
    const __half re = __hfma(__hneg(__high2half(a)), __high2half(b), __hmul_rn(__low2half(a), __low2half(b)));
    const __half im = __hfma(__high2half(a), __low2half(b), __hmul_rn(__low2half(a), __high2half(b)));
    return __halves2half2(re, im);
}
__device__ bool is_zero(__half2 x) { return __heq(__low2half(x), __half(0.0f)) && __heq(__high2half(x), __half(0.0f)); }
__device__ __half2 nothing() { return __floats2half2_rn(0.0f, 0.0f); }
#else
using Element = __half;
__device__ __half fused(__half a, __half b, __half c) { return __hfma(a, b, c); }
__device__ __half times(__half a, __half b) { return __hmul_rn(a, b); }
__device__ bool is_zero(__half x) { return __heq(x, __half(0.0f)); }
__device__ __half nothing() { return __float2half(0.0f); }
#endif

template <typename T>
__device__ T* global(T* pointer)
{
    __builtin_assume(__isGlobal(pointer));
    return pointer;
}

// C is not read where beta is 0.
__device__ void write(Element* c, Element sum, Element alpha, Element beta)
{
    *c = is_zero(beta) ? times(alpha, sum) : fused(alpha, sum, times(beta, *c));
}

// Problems a block: threads enough for two warps and more, while N is small.
template <int N>
constexpr int kPerBlock = 128 / (N * N) > 64 ? 64 : 128 / (N * N) > 0 ? 128 / (N * N) : 1;

template <int N>
constexpr int kUnrolled = N > 16 ? 8 : N;

template <int N>
__device__ void one_each(int batch, Element alpha, const Element* const* A, int lda, const Element* const* B, int ldb,
                         Element beta, Element* const* C, int ldc)
{
    __shared__ Element a[kPerBlock<N>][N][N], b[kPerBlock<N>][N][N];  // by columns
    const int i = threadIdx.x, j = threadIdx.y, z = threadIdx.z;
    const int one = blockIdx.x * kPerBlock<N> + z;
    const bool there = one < batch;
    if (there) {
        a[z][j][i] = global(A[one])[j * lda + i];
        b[z][j][i] = global(B[one])[j * ldb + i];
    }
    __syncthreads();
    if (!there) return;
    Element sum = nothing();
#pragma unroll kUnrolled<N>
    for (int k = 0; k < N; ++k) sum = fused(a[z][k][i], b[z][j][k], sum);
    write(global(C[one]) + j * ldc + i, sum, alpha, beta);
}

#if PLANES == 1
template <int N>
__device__ void packed(int batch, __half alpha, const __half* const* A, int lda, const __half* const* B, int ldb,
                       __half beta, __half* const* C, int ldc)
{
    using namespace nvcuda;
    constexpr int kTogether = 16 / N;
    __shared__ __align__(32) __half a[256], b[256], c[256];  // by columns
    const int first = blockIdx.x * kTogether;
#pragma unroll 2
    for (int e = threadIdx.x; e < 256; e += 32) {
        const int row = e % 16, column = e / 16, one = row / N;
        const bool there = one < kTogether && first + one < batch;
        const bool in_a = there && column / N == one, in_b = there && column < N;
        a[e] = in_a ? global(A[first + one])[column % N * lda + row % N] : nothing();
        b[e] = in_b ? global(B[first + one])[column * ldb + row % N] : nothing();
    }
    __syncwarp();
    wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::col_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, __half> sum;
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::fill_fragment(sum, __half(0.0f));
    wmma::mma_sync(sum, fa, fb, sum);
    wmma::store_matrix_sync(c, sum, 16, wmma::mem_col_major);
    __syncwarp();
#pragma unroll 2
    for (int e = threadIdx.x; e < 16 * N; e += 32) {
        const int row = e % 16, column = e / 16, one = row / N;
        if (one < kTogether && first + one < batch)
            write(global(C[first + one]) + column * ldc + row % N, c[e], alpha, beta);
    }
}
#endif

#define KERNEL(NAME, BODY, THREADS, N)                                                                                \
    extern "C" __global__ void __launch_bounds__(THREADS)                                                             \
        NAME##_##N(int batch, Element alpha, const Element* const* A, int lda, const Element* const* B, int ldb,      \
                   Element beta, Element* const* C, int ldc)                                                          \
    {                                                                                                                 \
        BODY<N>(batch, alpha, A, lda, B, ldb, beta, C, ldc);                                                          \
    }
#if PLANES == 2
#define SMALL(N) KERNEL(gemm_small_complex, one_each, N * N * kPerBlock<N>, N)
#define PACKED(N)
#else
#define SMALL(N) KERNEL(gemm_small, one_each, N * N * kPerBlock<N>, N)
#define PACKED(N) KERNEL(gemm_small_packed, packed, 32, N)
#endif
#define EIGHT(EACH, A, B, C, D, E, F, G, H) EACH(A) EACH(B) EACH(C) EACH(D) EACH(E) EACH(F) EACH(G) EACH(H)

EIGHT(SMALL, 1, 2, 3, 4, 5, 6, 7, 8)
EIGHT(SMALL, 9, 10, 11, 12, 13, 14, 15, 16)
EIGHT(SMALL, 17, 18, 19, 20, 21, 22, 23, 24)
EIGHT(SMALL, 25, 26, 27, 28, 29, 30, 31, 32)
EIGHT(PACKED, 1, 2, 3, 4, 5, 6, 7, 8)
