// Loops whose warps meet at a barrier in each step, with arithmetic between it and the next branch: a warp that waits at
// BAR issues that. Eleven loops of one measurement on an H200; their cycles are in meetings.csv (the median of five, from the
// first warp that starts to the last that ends). nvcc -arch=sm_90 -cubin -I validate/microbench; see test_barriers.py.
#include "clock.cuh"

#define REPEAT(COUNT, ...) \
  _Pragma("unroll") for (int k = 0; k < COUNT; ++k) { __VA_ARGS__; }
#define FMA(K) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x[K]))
#define SHFL(K) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(u[K]))
#define LDS4(K) asm volatile("ld.shared.b32 %0, [%1];" : "=r"(v[4 * K]) : "r"(address))
#define LDS16(K)                                          \
  asm volatile("ld.shared.v4.b32 {%0, %1, %2, %3}, [%4];" \
               : "=r"(v[4 * K]), "=r"(v[4 * K + 1]), "=r"(v[4 * K + 2]), "=r"(v[4 * K + 3]) : "r"(address))
#define LDSM4(K)                                                                    \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"   \
               : "=r"(v[4 * K]), "=r"(v[4 * K + 1]), "=r"(v[4 * K + 2]), "=r"(v[4 * K + 3]) : "r"(address))
#define STS16(K) asm volatile("st.shared.v4.b32 [%4], {%0, %1, %2, %3};" ::"r"(w[K]), "r"(w[K ^ 1]), "r"(w[K ^ 2]), "r"(w[K ^ 3]), "r"(address))
#define BAR asm volatile("bar.sync 0;" ::: "memory")
#define GROUP asm volatile("bar.sync %0, 128;" ::"r"(1 + threadIdx.x / 128) : "memory")
#define TAKE(N) REPEAT(N, u[0] ^= v[4 * k])
#define TAKE16(N) REPEAT(N, u[0] ^= v[4 * k] ^ v[4 * k + 1] ^ v[4 * k + 2] ^ v[4 * k + 3])

extern __shared__ __align__(128) unsigned char tile[];

#define LOOP(NAME, ...)                                                                            \
  extern "C" __global__ void __launch_bounds__(1024) NAME(unsigned *times, unsigned *data, int loops, int pitch) { \
    const unsigned lane = threadIdx.x & 31, seed = data[lane] | lane;                              \
    const unsigned address = shared_address(tile) + (lane * pitch & 16383);                        \
    float x[8], y[8], d[2][4];                                                                     \
    unsigned u[8], v[32], w[8];                                                                    \
    REPEAT(8, x[k] = seed * 0.001f + k; y[k] = x[k]; u[k] = seed + k; w[k] = seed * 3 + k)         \
    REPEAT(8, d[k / 4][k % 4] = 0.0f)                                                              \
    REPEAT(32, v[k] = 0)                                                                           \
    __syncthreads();                                                                               \
    const unsigned start = now();                                                                  \
    _Pragma("unroll 1") for (int i = 0; i < loops; ++i) { __VA_ARGS__; }                           \
    const unsigned end = now();                                                                    \
    float sum = 0;                                                                                 \
    unsigned bits = 0;                                                                             \
    REPEAT(8, sum += x[k] + y[k] + d[k / 4][k % 4]; bits ^= u[k] ^ w[k])                           \
    REPEAT(32, bits ^= v[k])                                                                       \
    use(times, __float_as_uint(sum) + bits);                                                       \
    keep(times, start, end);                                                                       \
  }
LOOP(lds4_bar, REPEAT(4, LDS4(k)) TAKE(4) BAR)
LOOP(lds16_bar, REPEAT(4, LDS16(k)) TAKE16(4) BAR)
LOOP(ldsm4_bar, REPEAT(4, LDSM4(k)) TAKE16(4) BAR)
LOOP(lds4_group, REPEAT(4, LDS4(k)) TAKE(4) GROUP)
LOOP(lds16_group, REPEAT(4, LDS16(k)) TAKE16(4) GROUP)
LOOP(ldsm4_group, REPEAT(4, LDSM4(k)) TAKE16(4) GROUP)
LOOP(sts_lds_bar, STS16(0); STS16(1); BAR; REPEAT(4, LDS16(k)) TAKE16(4) BAR)
LOOP(sts_lds_group, STS16(0); STS16(1); GROUP; REPEAT(4, LDS16(k)) TAKE16(4) GROUP)
LOOP(shfl_bar, REPEAT(4, SHFL(k)) BAR)
LOOP(fma_bar, REPEAT(8, FMA(k)) BAR)
LOOP(fma_group, REPEAT(8, FMA(k)) GROUP)
