// One warp, one tile of D, operands straight from global memory: for any shape, types and majors that WMMA has.
#pragma once

#include <mma.h>

#include "epilogue.cuh"

template <typename, typename>
constexpr bool same_type = false;
template <typename T>
constexpr bool same_type<T, T> = true;

// The tensor core reads only the upper 19 bits of a tf32 operand; whoever wants them rounded rounds them first.
template <typename Fragment>
__device__ void round_operand(Fragment&)
{
}
#if __CUDA_ARCH__ >= 800
template <typename Use, typename Major>
__device__ void round_operand(nvcuda::wmma::fragment<Use, 16, 16, 8, nvcuda::wmma::precision::tf32, Major>& operand)
{
#pragma unroll
    for (int e = 0; e < operand.num_elements; ++e) operand.x[e] = nvcuda::wmma::__float_to_tf32(operand.x[e]);
}
#endif

// A's element (i, j) is at i * lda + j when row-major, at j * lda + i when column-major; B alike; C and D are row-major.
// Blocks of 4 warps, 2 x 2 tiles: grid = (ceil(n / 2N), ceil(m / 2M)).
template <int M, int N, int K, typename Type, typename MajorA, typename MajorB, typename Element, typename Sum,
          typename Scale>
__device__ void wmma_direct(const Element* A, const Element* B, const Sum* C, Sum* D, int m, int n, int k, int lda,
                            int ldb, int ldc, int ldd, Scale alpha, Scale beta)
{
    using namespace nvcuda::wmma;
    constexpr bool a_by_rows = same_type<MajorA, row_major>, b_by_rows = same_type<MajorB, row_major>;
    const unsigned warp = threadIdx.x / 32;
    const int row = (blockIdx.y * 2 + warp / 2) * M, column = (blockIdx.x * 2 + warp % 2) * N;
    if (row >= m || column >= n) return;

    fragment<accumulator, M, N, K, Sum> sum, c;
    fill_fragment(sum, Sum(0));
#pragma unroll 1
    for (int k0 = 0; k0 < k; k0 += K) {
        fragment<matrix_a, M, N, K, Type, MajorA> a;
        fragment<matrix_b, M, N, K, Type, MajorB> b;
        load_matrix_sync(a, A + (a_by_rows ? size_t(row) * lda + k0 : size_t(k0) * lda + row), lda);
        load_matrix_sync(b, B + (b_by_rows ? size_t(k0) * ldb + column : size_t(column) * ldb + k0), ldb);
        round_operand(a);
        round_operand(b);
        mma_sync(sum, a, b, sum);
    }

    load_matrix_sync(c, C + size_t(row) * ldc + column, ldc, mem_row_major);
#pragma unroll
    for (int e = 0; e < c.num_elements; ++e) c.x[e] = combine(alpha, sum.x[e], beta, c.x[e]);
    store_matrix_sync(D + size_t(row) * ldd + column, c, ldd, mem_row_major);
}
