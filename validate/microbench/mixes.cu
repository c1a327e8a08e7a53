// Arithmetic of several pipes in turn, none of which waits for another's result: what one pipe's instruction costs the
// next one of another pipe. The short forms read one register, the long ones three.
#include "clock.cuh"

#define REPEAT(COUNT, ...) \
  _Pragma("unroll") for (int k = 0; k < COUNT; ++k) { __VA_ARGS__; }
#define FMA(K) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x[K]))
#define IMAD(K) asm volatile("mad.lo.u32 %0, %0, %0, %0;" : "+r"(u[K]))
#define SHF(K) asm volatile("shf.l.wrap.b32 %0, %0, %0, 5;" : "+r"(v[K]))
#define HALF(K) asm volatile("fma.rn.f16x2 %0, %0, %0, %0;" : "+r"(h[K]))
#define FMA3(K) asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(x[K]) : "f"(x[6]), "f"(x[7]))
#define IMAD3(K) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(u[K]) : "r"(u[6]), "r"(u[7]))
#define PRMT3(K) asm volatile("prmt.b32 %0, %0, %1, %2;" : "+r"(v[K]) : "r"(v[6]), "r"(v[7]))
#define HALF3(K) asm volatile("fma.rn.f16x2 %0, %0, %1, %2;" : "+r"(h[K]) : "r"(h[6]), "r"(h[7]))

#define LOOP(NAME, ...)                                                                          \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int loops) {                  \
    const unsigned seed = data[threadIdx.x & 31] | (threadIdx.x & 31);                           \
    float x[8];                                                                                  \
    unsigned u[8], v[8], h[8];                                                                   \
    REPEAT(8, x[k] = seed * 0.001f + k; u[k] = seed + k; v[k] = seed * 3 + k; h[k] = seed * 5 + k) \
    __syncthreads();                                                                             \
    const unsigned start = now();                                                                \
    _Pragma("unroll 1") for (int i = 0; i < loops; ++i) { __VA_ARGS__; }                         \
    const unsigned end = now();                                                                  \
    float sum = 0;                                                                               \
    unsigned bits = 0;                                                                           \
    REPEAT(8, sum += x[k]; bits ^= u[k] + 3 * v[k] + 5 * h[k])                                   \
    use(data, __float_as_uint(sum) + bits);                                                      \
    keep(times, start, end);                                                                     \
  }
LOOP(mix_fma_imad, REPEAT(12, FMA(k % 6); IMAD(k % 6)))
LOOP(mix_fma_shf, REPEAT(12, FMA(k % 6); SHF(k % 6)))
LOOP(mix_imad_shf, REPEAT(12, IMAD(k % 6); SHF(k % 6)))
LOOP(mix_fma_half, REPEAT(12, FMA(k % 6); HALF(k % 6)))
LOOP(mix_imad_half, REPEAT(12, IMAD(k % 6); HALF(k % 6)))
LOOP(mix_half_shf, REPEAT(12, HALF(k % 6); SHF(k % 6)))
LOOP(mix_half, REPEAT(24, HALF(k % 6)))
LOOP(mix_fma_imad_shf, REPEAT(8, FMA(k % 6); IMAD(k % 6); SHF(k % 6)))
LOOP(mix_fma_shf_imad_shf, REPEAT(6, FMA(k % 6); SHF(2 * k % 6); IMAD(k % 6); SHF((2 * k + 1) % 6)))
LOOP(mix_fma_imad_half_shf, REPEAT(6, FMA(k % 6); IMAD(k % 6); HALF(k % 6); SHF(k % 6)))
LOOP(mix_runs, REPEAT(6, FMA(k)) REPEAT(6, IMAD(k)) REPEAT(6, HALF(k)) REPEAT(6, SHF(k)))
LOOP(long_fma_imad, REPEAT(12, FMA3(k % 6); IMAD3(k % 6)))
LOOP(long_fma_prmt, REPEAT(12, FMA3(k % 6); PRMT3(k % 6)))
LOOP(long_imad_prmt, REPEAT(12, IMAD3(k % 6); PRMT3(k % 6)))
LOOP(long_fma_half, REPEAT(12, FMA3(k % 6); HALF3(k % 6)))
LOOP(long_imad_half, REPEAT(12, IMAD3(k % 6); HALF3(k % 6)))
LOOP(long_fma_imad_prmt, REPEAT(8, FMA3(k % 6); IMAD3(k % 6); PRMT3(k % 6)))
LOOP(long_fma_imad_half_prmt, REPEAT(6, FMA3(k % 6); IMAD3(k % 6); HALF3(k % 6); PRMT3(k % 6)))
LOOP(mix_fma, REPEAT(24, FMA(k % 6)))
LOOP(long_fma, REPEAT(24, FMA3(k % 6)))
LOOP(long_prmt, REPEAT(12, PRMT3(k % 6)))
