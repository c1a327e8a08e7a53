// What the GEMMs outside the tensor cores share: how 16 x 16 threads bring a strip of a matrix to shared memory, and how
// an element of D comes of its sum.
#pragma once

constexpr int kSide = 16;                 // threads of a block each way
constexpr int kDepth = 16;               // of a strip along k
constexpr int kUnrolled = 4;             // of its steps: straight-line code
constexpr int kPad = 1;                  // keeps apart the banks of a strip that is stored across
constexpr int kThreads = kSide * kSide;

#define SHORT_float f32
#define SHORT_double f64
#define JOIN(A, B) A##B
#define SHORT(TYPE) JOIN(SHORT_, TYPE)

__device__ inline float fused(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double fused(double a, double b, double c) { return __fma_rn(a, b, c); }
__device__ inline float times(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double times(double a, double b) { return __dmul_rn(a, b); }
__device__ inline float plus(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double plus(double a, double b) { return __dadd_rn(a, b); }

// Hides a flag from the compiler, which would else make code for either case.
__device__ inline bool hidden(bool flag)
{
    int word = flag;
    asm("" : "+r"(word));
    return word;
}

// alpha sum + beta c: the product with beta is rounded, the rest is one fused step. Where beta is 0, c is not read: -0
// leaves the product as it is, whatever its sign.
template <typename Real>
__device__ void store_scaled(Real* d, const Real* c, Real alpha, Real sum, Real beta, bool inside)
{
    const bool reads = hidden(inside && beta != Real(0));
    Real addend = Real(-0.0);
    if (reads) addend = times(beta, *c);
    const Real result = fused(alpha, sum, addend);
    if (inside) *d = result;
}

// A strip of 16 R lines along m (or n) and kDepth elements along k, R of its elements a thread. Where the lines lie
// together in memory, neighbouring threads take neighbouring lines: 64 x 4 threads where the strip has 64 of them, 32 x 8
// where it has 96. Otherwise the elements along k do, and 16 x 16 threads take them.
template <typename Real, int R, bool LinesTogether>
struct Strip {
    static constexpr int kLines = kSide * R;
    static constexpr int kAcross = !LinesTogether ? kDepth : kLines % 64 ? (kLines % 32 ? kSide : 32) : 64;
    static constexpr int kDown = kThreads / kAcross;
    const Real* from;
    int first, limit, leading;

    __device__ Strip(const Real* matrix, int line, int lines, int ld) : from(matrix), first(line), limit(lines), leading(ld)
    {
    }
    __device__ static int line(int i)
    {
        const int thread = threadIdx.x + kSide * threadIdx.y;
        return LinesTogether ? thread % kAcross + kAcross * (i % (kLines / kAcross)) : thread / kAcross + kDown * i;
    }
    __device__ static int depth(int i)
    {
        const int thread = threadIdx.x + kSide * threadIdx.y;
        return LinesTogether ? thread / kAcross + kDown * (i / (kLines / kAcross)) : thread % kAcross;
    }
    __device__ void load(Real (&to)[R], int k0, int k) const
    {
#pragma unroll
        for (int i = 0; i < R; ++i) {
            const int at = first + line(i), deep = k0 + depth(i);
            const size_t place = LinesTogether ? at + size_t(deep) * leading : deep + size_t(at) * leading;
            to[i] = at < limit && deep < k ? from[place] : Real(0);
        }
    }
    template <int Pitch>
    __device__ void store(Real (&strip)[kDepth][Pitch], const Real (&loaded)[R]) const
    {
#pragma unroll
        for (int i = 0; i < R; ++i) strip[depth(i)][line(i)] = loaded[i];
    }
};
