// What the warps of a sub-core take from each other: slots after branches, entries of the memory I/O queue, which MUFU
// and SHFL may enter as well, and registers that were kept for `reuse`. And code that lies far ahead.
#include "clock.cuh"

#define FMA(X) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(X))
#define EX2(X) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(X))
#define SHFL(U) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(U))
#define LDS(U) asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(U) : "r"(address))
#define STS(U) asm volatile("st.volatile.shared.b32 [%1], %0;" ::"r"(U), "r"(address))
#define REPEAT(COUNT, ...) \
  _Pragma("unroll") for (int k = 0; k < COUNT; ++k) { __VA_ARGS__; }

extern __shared__ __align__(128) unsigned tile[];

// Eight of each kind of value, none of which is known to the compiler, and what keeps them alive.
#define VALUES                                                                                   \
  const unsigned seed = data[threadIdx.x & 31] | (threadIdx.x & 31);                             \
  const unsigned address = shared_address(tile) + 4 * (threadIdx.x & 31);                        \
  float x[8];                                                                                    \
  unsigned u[8];                                                                                 \
  REPEAT(8, x[k] = seed * 0.001f + k; u[k] = seed + k)
#define KEPT                                                                                     \
  float sum = 0;                                                                                 \
  unsigned bits = address;                                                                       \
  REPEAT(8, sum += x[k]; bits ^= u[k])                                                           \
  use(times, __float_as_uint(sum) + bits);

// A loop that is not unrolled.
#define LOOP(NAME, ...)                                                                          \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int loops) {                  \
    VALUES                                                                                       \
    __syncthreads();                                                                             \
    const unsigned start = now();                                                                \
    _Pragma("unroll 1") for (int i = 0; i < loops; ++i) { __VA_ARGS__; }                         \
    const unsigned end = now();                                                                  \
    KEPT keep(times, start, end);                                                                \
  }
LOOP(turn_1, FMA(x[0]))
LOOP(turn_4, REPEAT(4, FMA(x[k % 8])))
LOOP(turn_8, REPEAT(8, FMA(x[k % 8])))
LOOP(turn_16, REPEAT(16, FMA(x[k % 8])))
LOOP(turn_32, REPEAT(32, FMA(x[k % 8])))

// Jumps ahead, or none: bit k of `mask` is for the k-th of 8 pieces.
extern "C" __global__ void hops(unsigned *times, unsigned *data, int loops, int mask) {
  VALUES
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < loops; ++i) {
    REPEAT(8, if (mask >> k & 1) { REPEAT(24, FMA(x[k % 8])) })
  }
  const unsigned end = now();
  KEPT keep(times, start, end);
}

// What the queue takes in: the last of `loops` times, the clock before and after `BODY` has issued, or is done.
#define RUN(NAME, ...)                                                                           \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int loops) {                  \
    VALUES                                                                                       \
    unsigned start, end;                                                                         \
    _Pragma("unroll 1") for (int i = 0; i < loops; ++i) {                                        \
      __syncthreads();                                                                           \
      start = now();                                                                             \
      __VA_ARGS__;                                                                               \
      end = now();                                                                               \
      REPEAT(8, x[k] += u[k])                                                                    \
    }                                                                                            \
    KEPT keep(times, start, end);                                                                \
  }
// What needs the first MUFU's value and comes behind all of them, and what waits for that.
#define LDS_BEHIND                                                                               \
  asm volatile("{.reg .b32 a; and.b32 a, %1, 4; add.u32 a, a, %2; ld.volatile.shared.b32 %0, [a]; xor.b32 %0, %0, 1;}" \
               : "=r"(u[0]) : "r"(__float_as_uint(x[0])), "r"(address))
#define SHFL_BEHIND                                                                              \
  asm volatile("{shfl.sync.bfly.b32 %0, %1, 1, 31, -1; xor.b32 %0, %0, 1;}" : "=r"(u[0]) : "r"(__float_as_uint(x[0])))
LOOP(mufu_in_turn, REPEAT(8, EX2(x[k])))
RUN(mufu_run_2, REPEAT(2, EX2(x[k])))
RUN(mufu_run_4, REPEAT(4, EX2(x[k])))
RUN(mufu_run_6, REPEAT(6, EX2(x[k])))
RUN(mufu_run_8, REPEAT(8, EX2(x[k])))
RUN(shfl_run_8, REPEAT(8, SHFL(u[k])))
RUN(mufu_1_lds, EX2(x[0]); LDS_BEHIND)
RUN(mufu_4_lds, REPEAT(4, EX2(x[k])) LDS_BEHIND)
RUN(mufu_7_lds, REPEAT(7, EX2(x[k])) LDS_BEHIND)
RUN(mufu_1_shfl, EX2(x[0]); SHFL_BEHIND)
RUN(mufu_4_shfl, REPEAT(4, EX2(x[k])) SHFL_BEHIND)
RUN(mufu_7_shfl, REPEAT(7, EX2(x[k])) SHFL_BEHIND)

LOOP(shfl_x8, REPEAT(8, SHFL(u[k])))
LOOP(shfl_lds, REPEAT(4, SHFL(u[k])) REPEAT(4, LDS(u[4 + k])))
LOOP(mufu_shfl, EX2(x[0]); EX2(x[1]); REPEAT(6, SHFL(u[k])))
LOOP(mufu_lds, EX2(x[0]); EX2(x[1]); REPEAT(6, LDS(u[k])))
LOOP(mufu_sts, EX2(x[0]); EX2(x[1]); REPEAT(4, STS(u[k])))
LOOP(mufu_fma, EX2(x[0]); EX2(x[1]); REPEAT(24, FMA(x[2 + k % 6])))

// Sums whose factors are the same again and again: the compiler keeps both for `reuse`.
#define REUSED(NAME, COUNT, ROUNDS)                                                              \
  LOOP(NAME, REPEAT(ROUNDS, _Pragma("unroll") for (int j = 0; j < COUNT; ++j)                     \
                                asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(x[j]) : "f"(x[6]), "f"(x[7]))))
REUSED(reuse_1, 1, 24)
REUSED(reuse_2, 2, 12)
REUSED(reuse_3, 3, 8)
REUSED(reuse_6, 6, 4)
LOOP(reuse_imad, REPEAT(8, _Pragma("unroll") for (int j = 0; j < 3; ++j)
                               asm volatile("mad.lo.u32 %0, %1, %2, %0;" : "+r"(u[j]) : "r"(u[6]), "r"(u[7]))))
LOOP(reuse_lop, REPEAT(8, _Pragma("unroll") for (int j = 0; j < 3; ++j) {
       asm volatile("lop3.b32 %0, %1, %2, %0, 0x96;" : "+r"(u[j]) : "r"(u[6]), "r"(u[7]));
       asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(x[j]) : "f"(x[6]), "f"(x[7]));
     }))

// Products of 64 bits, and of two words' upper half.
#define WIDE(K)                                                                                  \
  asm volatile("{.reg .b64 t; .reg .b32 a, b; mad.wide.u32 t, %0, %1, %2; mov.b64 {a, b}, t; xor.b32 %0, a, b;}" \
               : "+r"(u[K]) : "r"(u[7]), "l"(d[K]))
#define LONG(NAME, ...)                                                                          \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int loops) {                  \
    VALUES                                                                                       \
    unsigned long long d[4] = {u[0], u[1], u[2], u[3]};                                          \
    __syncthreads();                                                                             \
    const unsigned start = now();                                                                \
    _Pragma("unroll 1") for (int i = 0; i < loops; ++i) { __VA_ARGS__; }                         \
    const unsigned end = now();                                                                  \
    u[0] ^= static_cast<unsigned>((d[0] + d[1] + d[2] + d[3]) >> 7);                              \
    KEPT keep(times, start, end);                                                                \
  }
LONG(wide_chain, REPEAT(8, WIDE(0)))
LONG(wide_x4, REPEAT(8, WIDE(k % 4)))
LONG(wide_fma, REPEAT(8, WIDE(k % 4); FMA(x[0]); FMA(x[1]); FMA(x[2])))
LONG(product_u64, REPEAT(4, d[0] = d[0] * d[1] + 1))
LOOP(hi_chain, REPEAT(8, asm volatile("mul.hi.u32 %0, %0, %1;" : "+r"(u[0]) : "r"(u[1]))))
LOOP(hi_x4, REPEAT(8, asm volatile("mul.hi.u32 %0, %0, %1;" : "+r"(u[k % 4]) : "r"(u[7]))))

// Conversions: there and back, and four at a time.
#define THERE_U32(K) asm volatile("{.reg .f32 f; cvt.rp.f32.u32 f, %0; cvt.rzi.u32.f32 %0, f;}" : "+r"(u[K]))
#define THERE_U64(K) asm volatile("{.reg .f32 f; cvt.rp.f32.u64 f, %0; cvt.rzi.u64.f32 %0, f;}" : "+l"(d[K]))
#define THERE_F64(K) asm volatile("{.reg .f64 f; cvt.f64.f32 f, %0; cvt.rn.f32.f64 %0, f;}" : "+f"(x[K]))
LOOP(convert_u32, REPEAT(8, THERE_U32(0)))
LOOP(convert_u32_x4, REPEAT(8, THERE_U32(k % 4)))
LONG(convert_u64, REPEAT(8, THERE_U64(0)))
LONG(convert_u64_x4, REPEAT(8, THERE_U64(k % 4)))
LOOP(convert_f64, REPEAT(8, THERE_F64(0)))
LOOP(convert_f64_x4, REPEAT(8, THERE_F64(k % 4)))
LOOP(divided_x4, REPEAT(4, x[k] = x[k] / (x[7] * x[7] + 1.25f)))

// Functions that do next to nothing: one, two in a row, one that calls another.
static __device__ __noinline__ float leaf(float x, float y) { return x * 0.5f + y; }
static __device__ __noinline__ float branch(float x, float y) { return leaf(x, y) * 0.25f + y; }
LOOP(called_leaf, x[0] = leaf(x[0], x[1]))
LOOP(called_leaves, x[0] = leaf(x[0], x[1]); x[0] = leaf(x[0], x[1]))
LOOP(called_branch, x[0] = branch(x[0], x[1]))

// One jump over many instructions, or none over them, the first time and again.
#define FAR(NAME, COUNT)                                                                         \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int loops, int mask) {        \
    float x = static_cast<float>(data[threadIdx.x & 31]), y = x;                                 \
    const unsigned start = now();                                                                \
    _Pragma("unroll 1") for (int i = 0; i < loops; ++i) {                                        \
      if (mask) { REPEAT(COUNT, FMA(x); FMA(y)) }                                                \
      FMA(x);                                                                                    \
    }                                                                                            \
    const unsigned end = now();                                                                  \
    use(times, static_cast<unsigned>(x + y));                                                    \
    keep(times, start, end);                                                                     \
  }
FAR(far_128, 64)
FAR(far_512, 256)
FAR(far_1024, 512)
