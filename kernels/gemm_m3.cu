// D = alpha op(A) op(B) + beta C of complex numbers, blocked as simt_gemm.cu is: 64 x 64 elements a block, 4 x 4 a thread.
// The strips of A and B stand in shared memory with their real and imaginary parts apart.
//
//   gemm_4m   four real products: for each k, re += ar br, re -= ai bi, im += ar bi, im += ai br, each a fused step
//   gemm_m3   three, after N. Higham, "Stability of a Method for Multiplying Complex Matrices with Three Real Matrix
//             Multiplications": t1 = Ar Br, t2 = Ai Bi, t3 = (Ar + Ai)(Br + Bi), each a chain of fused steps, k rising;
//             re = t1 - t2, im = t3 - t1 - t2. Nath, Tomov and Dongarra made them of three calls of the real GEMM; here
//             one kernel makes all three, with the same bits.
//
// -DREAL=float (or double) gives gemm_4m_f32 and gemm_m3_f32. Matrices lie by columns; an operation is 0 for a matrix as
// it is, 1 for its transpose, 2 for its conjugate transpose.

#include "simt.cuh"

constexpr int kEach = 4;              // elements of D a thread, each way
constexpr int kTile = kSide * kEach;

template <typename Real>
struct __align__(2 * sizeof(Real)) Complex {
    Real re, im;
};

template <typename Real>
using Parts = Real[2][kDepth][kTile + kPad];

// As Strip of simt.cuh, of complex elements, with an operation that is known at run time.
template <typename Real>
struct ComplexStrip {
    const Complex<Real>* from;
    int line, line_step, depth, depth_step, first, limit;
    size_t line_stride, depth_stride;
    Real sign;

    __device__ ComplexStrip(const Complex<Real>* matrix, int start, int lines, int ld, bool together, bool conjugate)
        : from(matrix), first(start), limit(lines)
    {
        const int thread = threadIdx.x + kSide * threadIdx.y;
        line = together ? thread % kTile : thread / kDepth;
        line_step = together ? 0 : kThreads / kDepth;
        depth = together ? thread / kTile : thread % kDepth;
        depth_step = together ? kThreads / kTile : 0;
        line_stride = together ? 1 : ld;
        depth_stride = together ? ld : 1;
        sign = conjugate ? Real(-1) : Real(1);
    }
    __device__ void load(Complex<Real> (&to)[kEach], int k0, int k) const
    {
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const int at = first + line + line_step * i, deep = k0 + depth + depth_step * i;
            to[i] = at < limit && deep < k ? from[at * line_stride + deep * depth_stride] : Complex<Real>{0, 0};
        }
    }
    __device__ void store(Parts<Real>& strip, const Complex<Real> (&loaded)[kEach]) const
    {
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            strip[0][depth + depth_step * i][line + line_step * i] = loaded[i].re;
            strip[1][depth + depth_step * i][line + line_step * i] = times(sign, loaded[i].im);
        }
    }
};

template <typename Real>
struct FourProducts {
    Real re = 0, im = 0;
    __device__ void add(Complex<Real> a, Complex<Real> b, Real, Real)
    {
        re = fused(-a.im, b.im, fused(a.re, b.re, re));
        im = fused(a.im, b.re, fused(a.re, b.im, im));
    }
    __device__ Complex<Real> sum() const { return {re, im}; }
};

template <typename Real>
struct ThreeProducts {
    Real t1 = 0, t2 = 0, t3 = 0;
    __device__ void add(Complex<Real> a, Complex<Real> b, Real a_sum, Real b_sum)
    {
        t1 = fused(a.re, b.re, t1);
        t2 = fused(a.im, b.im, t2);
        t3 = fused(a_sum, b_sum, t3);
    }
    __device__ Complex<Real> sum() const { return {plus(t1, -t2), plus(plus(t3, -t1), -t2)}; }
};

// As store_scaled of simt.cuh: a product of complex numbers is two fused steps a part, the imaginary factor's first.
template <typename Real>
__device__ void store_scaled(Complex<Real>* d, const Complex<Real>* c, Complex<Real> alpha, Complex<Real> sum,
                             Complex<Real> beta, bool inside)
{
    const bool reads = hidden(inside && (beta.re != Real(0) || beta.im != Real(0)));
    Complex<Real> addend = {Real(-0.0), Real(-0.0)};
    if (reads) {
        const Complex<Real> old = *c;
        addend = {fused(-beta.im, old.im, times(beta.re, old.re)), fused(beta.im, old.re, times(beta.re, old.im))};
    }
    addend = {fused(alpha.re, sum.re, fused(-alpha.im, sum.im, addend.re)),
              fused(alpha.re, sum.im, fused(alpha.im, sum.re, addend.im))};
    if (inside) *d = addend;
}

template <typename Real, typename Products>
__device__ void gemm(const Complex<Real>* __restrict__ A, const Complex<Real>* __restrict__ B, const Complex<Real>* C,
                     Complex<Real>* D, int m, int n, int k, int lda, int ldb, int ldc, int ldd, int op_a, int op_b,
                     Complex<Real> alpha, Complex<Real> beta)
{
    __shared__ Parts<Real> a_strip, b_strip;
    const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.x * kTile + x, column = blockIdx.y * kTile + y;
    const ComplexStrip<Real> a(A, blockIdx.x * kTile, m, lda, op_a == 0, op_a == 2);
    const ComplexStrip<Real> b(B, blockIdx.y * kTile, n, ldb, op_b != 0, op_b == 2);
    Products products[kEach][kEach];

    for (int k0 = 0; k0 < k; k0 += kDepth) {
        Complex<Real> a_next[kEach], b_next[kEach];
        a.load(a_next, k0, k);
        b.load(b_next, k0, k);
        __syncthreads();
        a.store(a_strip, a_next);
        b.store(b_strip, b_next);
        __syncthreads();
#pragma unroll 2
        for (int step = 0; step < kDepth; ++step) {
            Complex<Real> a_now[kEach], b_now[kEach];
            Real a_sum[kEach], b_sum[kEach];
#pragma unroll
            for (int i = 0; i < kEach; ++i) {
                a_now[i] = {a_strip[0][step][x + kSide * i], a_strip[1][step][x + kSide * i]};
                b_now[i] = {b_strip[0][step][y + kSide * i], b_strip[1][step][y + kSide * i]};
                a_sum[i] = plus(a_now[i].re, a_now[i].im);
                b_sum[i] = plus(b_now[i].re, b_now[i].im);
            }
#pragma unroll
            for (int j = 0; j < kEach; ++j)
#pragma unroll
                for (int i = 0; i < kEach; ++i) products[i][j].add(a_now[i], b_now[j], a_sum[i], b_sum[j]);
        }
    }
#pragma unroll
    for (int j = 0; j < kEach; ++j)
#pragma unroll
        for (int i = 0; i < kEach; ++i) {
            const int down = row + kSide * i, across = column + kSide * j;
            store_scaled(D + down + size_t(across) * ldd, C + down + size_t(across) * ldc, alpha,
                         products[i][j].sum(), beta, down < m && across < n);
        }
}

#define KERNEL(SHORT, TYPE, NAME, PRODUCTS)                                                                        \
    extern "C" __global__ void __launch_bounds__(kThreads) gemm_##NAME##_##SHORT(                                  \
        const Complex<TYPE>* __restrict__ A, const Complex<TYPE>* __restrict__ B, const Complex<TYPE>* C,          \
        Complex<TYPE>* D, int m, int n, int k, int lda, int ldb, int ldc, int ldd, int op_a, int op_b,             \
        Complex<TYPE> alpha, Complex<TYPE> beta)                                                                   \
    {                                                                                                              \
        gemm<TYPE, PRODUCTS<TYPE>>(A, B, C, D, m, n, k, lda, ldb, ldc, ldd, op_a, op_b, alpha, beta);              \
    }
#define KERNELS(...)                       \
    KERNEL(__VA_ARGS__, 4m, FourProducts)  \
    KERNEL(__VA_ARGS__, m3, ThreeProducts)
#define EXPANDED(...) KERNELS(__VA_ARGS__)

EXPANDED(SHORT(REAL), REAL)
