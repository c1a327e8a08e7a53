// D = alpha * A * B + beta * C with mma.sync.m8n8k4, which is Volta's tensor-core instruction (HMMA.884). sm_70 only:
// later chips run it as a sequence of ordinary multiplications.
//
//   A: m x k, f16, row-major       B: k x n, f16, row-major       C, D: m x n, f32 or f16, row-major; C may be D.
//   m, n multiples of 16, k a multiple of 4; blocks of 4 warps, 2 x 2 tiles: grid = (ceil(n / 32), ceil(m / 32)).
//
// One instruction does four separate 8 x 8 x 4 products, one per quad pair: lanes 4q..4q+3 and 16+4q..16+4q+3. Here
// quad pair q takes rows 8 (q % 2).. and columns 8 (q / 2).. of the warp's 16 x 16 tile, so that two quad pairs share
// every operand, as the hardware's operand buses do.

#include "epilogue.cuh"

__device__ void mma_m8n8k4(float (&d)[8], uint2 a, uint2 b)
{
    asm volatile("mma.sync.aligned.m8n8k4.row.row.f32.f16.f16.f32 {%0, %1, %2, %3, %4, %5, %6, %7}, {%8, %9}, {%10, %11}, "
                 "{%0, %1, %2, %3, %4, %5, %6, %7};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7])
                 : "r"(a.x), "r"(a.y), "r"(b.x), "r"(b.y));
}

__device__ void mma_m8n8k4(half (&d)[8], uint2 a, uint2 b)
{
    unsigned (&r)[4] = reinterpret_cast<unsigned (&)[4]>(d);
    asm volatile("mma.sync.aligned.m8n8k4.row.row.f16.f16.f16.f16 {%0, %1, %2, %3}, {%4, %5}, {%6, %7}, {%0, %1, %2, %3};"
                 : "+r"(r[0]), "+r"(r[1]), "+r"(r[2]), "+r"(r[3])
                 : "r"(a.x), "r"(a.y), "r"(b.x), "r"(b.y));
}

// Which element of the quad pair's 8 x 8 result is a lane's ith: f32 accumulators lie in 2 x 2 squares, f16 in rows.
__device__ void place_of(float, int i, int lane, int& row, int& column)
{
    row = (lane & 1) + (i & 2) + (lane & 16) / 4;
    column = (i & 4) + (lane & 2) + (i & 1);
}
__device__ void place_of(half, int i, int lane, int& row, int& column)
{
    row = (lane & 3) + (lane & 16) / 4;
    column = i;
}

template <typename Element>
__device__ void gemm(const half* A, const half* B, const Element* C, Element* D, int m, int n, int k, float alpha,
                     float beta)
{
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, quad_pair = lane / 4 % 4;
    const int row = (blockIdx.y * 2 + warp / 2) * 16, column = (blockIdx.x * 2 + warp % 2) * 16;
    if (row >= m || column >= n) return;
    const int row8 = row + quad_pair % 2 * 8, column8 = column + quad_pair / 2 * 8;

    // Both operands are read along their rows, four halves a lane: A's row 0-7 of 4 columns, B's row 0-3 of 8 columns.
    const half* a = A + size_t(row8 + lane % 4 + lane / 16 * 4) * k;
    const half* b = B + size_t(lane % 4) * n + column8 + lane / 16 * 4;
    alignas(16) Element sum[8] = {};
    for (int k0 = 0; k0 < k; k0 += 4)
        mma_m8n8k4(sum, *reinterpret_cast<const uint2*>(a + k0), *reinterpret_cast<const uint2*>(b + size_t(k0) * n));

    for (int i = 0; i < 8; ++i) {
        int r, c;
        place_of(Element(), i, lane, r, c);
        const size_t at = size_t(row8 + r) * n + column8 + c;
        D[at] = combine(alpha, sum[i], beta, C[at]);
    }
}

extern "C" __global__ void __launch_bounds__(128)
mma_m8n8k4_f32(const half* A, const half* B, const float* C, float* D, int m, int n, int k, float alpha, float beta)
{
    gemm(A, B, C, D, m, n, k, alpha, beta);
}

extern "C" __global__ void __launch_bounds__(128)
mma_m8n8k4_f16(const half* A, const half* B, const half* C, half* D, int m, int n, int k, float alpha, float beta)
{
    gemm(A, B, C, D, m, n, k, alpha, beta);
}
