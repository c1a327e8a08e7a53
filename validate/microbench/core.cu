// What one SM does by itself: arithmetic, shuffles, barriers, constants, instruction fetch.
#include "clock.cuh"

#define CHAIN(NAME, TYPE, BODY)                                                       \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int loops) {       \
    TYPE x = static_cast<TYPE>(data[threadIdx.x & 31]);                               \
    const TYPE y = static_cast<TYPE>(data[32 + (threadIdx.x & 31)]);                  \
    __syncthreads();                                                                  \
    const unsigned start = now();                                                     \
    for (int i = 0; i < loops; ++i) {                                                 \
      _Pragma("unroll") for (int k = 0; k < 32; ++k) { BODY; }                        \
    }                                                                                 \
    const unsigned end = now();                                                       \
    use(times, static_cast<unsigned>(x + y));                                         \
    keep(times, start, end);                                                          \
  }

CHAIN(chain_ffma, float, asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(y)))
CHAIN(chain_imad, unsigned, asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(x) : "r"(y)))
CHAIN(chain_iadd, unsigned, asm volatile("add.u32 %0, %0, %1;" : "+r"(x) : "r"(y)))
CHAIN(chain_dfma, double, asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(x) : "d"(y)))
CHAIN(chain_shfl, unsigned, asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x)))
CHAIN(chain_ex2, float, asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)))
CHAIN(chain_rsqrt, float, asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(x)))
CHAIN(chain_f2f, float, asm volatile("{.reg .f16 h; cvt.rn.f16.f32 h, %0; cvt.f32.f16 %0, h;}" : "+f"(x)))

// A reduction over the warp, as softmax does it: five shuffles with an addition each.
extern "C" __global__ void warp_sum(unsigned *times, unsigned *data, int loops) {
  float x = static_cast<float>(data[threadIdx.x & 31]);
  __syncthreads();
  const unsigned start = now();
  for (int i = 0; i < loops; ++i)
#pragma unroll
    for (int mask = 16; mask; mask >>= 1) x += __shfl_xor_sync(~0u, x, mask);
  const unsigned end = now();
  use(times, static_cast<unsigned>(x));
  keep(times, start, end);
}

// Barriers; the last warp comes `late` multiplications later than the others.
extern "C" __global__ void barriers(unsigned *times, unsigned *data, int loops, int late) {
  float x = static_cast<float>(data[threadIdx.x & 31]);
  const int extra = threadIdx.x + 32 >= blockDim.x ? late : 0;
  __syncthreads();
  const unsigned start = now();
  for (int i = 0; i < loops; ++i) {
    for (int k = 0; k < extra; ++k) x = x * 1.5f + 1.0f;
    __syncthreads();
  }
  const unsigned end = now();
  use(times, static_cast<unsigned>(x));
  keep(times, start, end);
}

// Stores to shared memory, a barrier, loads back: `bytes` a lane.
extern "C" __global__ void exchange(unsigned *times, unsigned *data, int loops) {
  __shared__ __align__(128) uint4 tile[1024];
  const unsigned other = threadIdx.x ^ 32;
  uint4 x = make_uint4(data[threadIdx.x & 31], 0, 0, 0);
  __syncthreads();
  const unsigned start = now();
  for (int i = 0; i < loops; ++i) {
    tile[threadIdx.x] = x;
    __syncthreads();
    x = tile[other];
    __syncthreads();
  }
  const unsigned end = now();
  use(times, x.x + x.y + x.z + x.w);
  keep(times, start, end);
}

// Kernel parameters, a word from each 64 bytes: the first touch of every line of constants.
struct Parameters {
  unsigned word[512];
};
extern "C" __global__ void constants(unsigned *times, unsigned *data, Parameters parameters) {
  unsigned sum = 0;
  const unsigned start = now();
#pragma unroll
  for (int i = 1; i < 32; ++i) {
    unsigned got;
    asm volatile("add.u32 %0, %1, %2;" : "=r"(got) : "r"(sum), "r"(parameters.word[16 * i]));
    sum = got;
  }
  const unsigned end = now();
  use(times, sum);
  keep(times, start, end);
}

// Straight code: the instruction caches. Each pass runs 1,024 multiplications.
extern "C" __global__ void straight(unsigned *times, unsigned *data, int passes) {
  float x = static_cast<float>(data[threadIdx.x & 31]), y = x, z = x, w = x;
  unsigned start = now();
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll
    for (int k = 0; k < 256; ++k) {
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(y));
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(z));
      asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(w));
    }
  }
  const unsigned end = now();
  use(times, static_cast<unsigned>(x + y + z + w));
  keep(times, start, end);
}

// Nothing: what a launch costs, by the profiler's counters.
extern "C" __global__ void nothing(unsigned *times, unsigned *data) {}
