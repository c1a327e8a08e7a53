// C = alpha * op(A) * op(B) + beta * C for every type pair, shape and transpose that WMMA has, after B. Gannon, "GEMM on
// Jetson": operands straight from global memory, one tile of C a warp, blocks of (32, 4, 4) threads, blockIdx.x along
// the rows of C. C is scaled by beta before the product is added to it, and every fragment of A by alpha in A's own
// type: 8-bit integers wrap, f16 and bf16 round. A tf32 operand is an untouched f32, whose low 13 bits the tensor core
// does not read.
//
// -DPAIR=f16_f32 (or f16_f16, s8, u8, bf16, tf32, f64) gives wmma_gemm_PAIR_SHAPE_TRANSPOSE for its shapes and for nn,
// nt, tn and tt: n is a matrix by rows, t one whose transpose is. lda and ldb are the elements from one row in memory to
// the next. m, n and k are multiples of the shape.
//
// What the document prints takes k for lda and n for ldb whatever the transposes; so does the host that passes them.

#include <cuda_fp16.h>
#include <mma.h>
#if __CUDA_ARCH__ >= 800
#include <cuda_bf16.h>
#endif

using namespace nvcuda;

constexpr int kWarps = 4;  // along the rows of C, and along its columns

template <bool transpose>
struct Major {
    using type = wmma::row_major;
};
template <>
struct Major<true> {
    using type = wmma::col_major;
};

template <typename Sum, typename Scale>
__device__ Sum widened(Scale scale)
{
    return Sum(scale);
}
template <>
__device__ float widened<float, half>(half scale)
{
    return __half2float(scale);
}
#if __CUDA_ARCH__ >= 800
template <>
__device__ float widened<float, __nv_bfloat16>(__nv_bfloat16 scale)
{
    return __bfloat162float(scale);
}
#endif

template <int M, int N, int K, typename Type, typename Element, typename Sum, bool TransposeA, bool TransposeB>
__device__ void wmma_gemm(const Element* A, const Element* B, Sum* C, int m, int n, int k, int lda, int ldb, int ldc,
                          Element alpha, Element beta)
{
    using MajorA = typename Major<TransposeA>::type;
    using MajorB = typename Major<TransposeB>::type;
    const int row = (blockIdx.x * kWarps + threadIdx.y) * M, column = (blockIdx.y * kWarps + threadIdx.z) * N;
    if (row >= m || column >= n) return;

    wmma::fragment<wmma::accumulator, M, N, K, Sum> c;
    Sum* tile = C + size_t(row) * ldc + column;
    wmma::load_matrix_sync(c, tile, ldc, wmma::mem_row_major);
    for (int e = 0; e < c.num_elements; ++e) c.x[e] *= widened<Sum>(beta);

    for (int k0 = 0; k0 < k; k0 += K) {
        wmma::fragment<wmma::matrix_a, M, N, K, Type, MajorA> a;
        wmma::fragment<wmma::matrix_b, M, N, K, Type, MajorB> b;
        wmma::load_matrix_sync(a, A + (TransposeA ? size_t(k0) * lda + row : size_t(row) * lda + k0), lda);
        wmma::load_matrix_sync(b, B + (TransposeB ? size_t(column) * ldb + k0 : size_t(k0) * ldb + column), ldb);
        for (int e = 0; e < a.num_elements; ++e) a.x[e] *= alpha;
        wmma::mma_sync(c, a, b, c);
    }
    wmma::store_matrix_sync(tile, c, ldc, wmma::mem_row_major);
}

#define KERNEL(PAIR, M, N, K, TYPE, ELEMENT, SUM, NAME, TA, TB)                                                      \
    extern "C" __global__ void __launch_bounds__(512) wmma_gemm_##PAIR##_m##M##n##N##k##K##_##NAME(                  \
        const ELEMENT* A, const ELEMENT* B, SUM* C, int m, int n, int k, int lda, int ldb, int ldc, ELEMENT alpha,   \
        ELEMENT beta)                                                                                                \
    {                                                                                                                \
        wmma_gemm<M, N, K, TYPE, ELEMENT, SUM, TA, TB>(A, B, C, m, n, k, lda, ldb, ldc, alpha, beta);                \
    }
#define TRANSPOSES(...)                  \
    KERNEL(__VA_ARGS__, nn, false, false) \
    KERNEL(__VA_ARGS__, nt, false, true)  \
    KERNEL(__VA_ARGS__, tn, true, false)  \
    KERNEL(__VA_ARGS__, tt, true, true)
#define SHAPES(PAIR, ...)                  \
    TRANSPOSES(PAIR, 16, 16, 16, __VA_ARGS__) \
    TRANSPOSES(PAIR, 32, 8, 16, __VA_ARGS__)  \
    TRANSPOSES(PAIR, 8, 32, 16, __VA_ARGS__)

#define PAIR_f16_f32 SHAPES(f16_f32, half, half, float)
#define PAIR_f16_f16 SHAPES(f16_f16, half, half, half)
#define PAIR_s8 SHAPES(s8, signed char, signed char, int)
#define PAIR_u8 SHAPES(u8, unsigned char, unsigned char, int)
#define PAIR_bf16 SHAPES(bf16, __nv_bfloat16, __nv_bfloat16, float)
#define PAIR_tf32 TRANSPOSES(tf32, 16, 16, 8, wmma::precision::tf32, float, float)
#define PAIR_f64 TRANSPOSES(f64, 8, 8, 4, double, double, double)
#define JOIN(A, B) A##B
#define KERNELS(PAIR) JOIN(PAIR_, PAIR)

KERNELS(PAIR)
