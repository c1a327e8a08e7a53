// The SM's clock beside the nanosecond timer: bursts of one instruction, and pauses in which nothing but shuffles execute.
// Behind the pairs of clock readings `times` takes as many of the timer.
#include "clock.cuh"

static __device__ __forceinline__ unsigned nanoseconds() {
  unsigned time;
  asm volatile("mov.u32 %0, %%globaltimer_lo;" : "=r"(time)::"memory");
  return time;
}

struct Ffma {
  float x;
  __device__ void go(const unsigned (&a)[4]) {
    asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(__uint_as_float(a[0])));
  }
  __device__ unsigned result() const { return __float_as_uint(x); }
};
struct Hmma {
  float d[4];
  __device__ void go(const unsigned (&a)[4]) { mma(d, a, a[0], a[1]); }
  __device__ unsigned result() const { return __float_as_uint(d[0] + d[1] + d[2] + d[3]); }
};
#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
struct Imma {
  unsigned d[4];
  __device__ void go(const unsigned (&a)[4]) {
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%4, %5}, {%0, %1, %2, %3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]));
  }
  __device__ unsigned result() const { return d[0] + d[1] + d[2] + d[3]; }
};
struct Dmma {
  double d[2];
  __device__ void go(const unsigned (&a)[4]) {
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                 : "+d"(d[0]), "+d"(d[1])
                 : "d"(__hiloint2double(a[0], a[1])), "d"(__hiloint2double(a[2], a[3])));
  }
  __device__ unsigned result() const { return __double2loint(d[0] + d[1]); }
};
#endif

template <typename Burst>
static __device__ __forceinline__ void pulses(unsigned *times, unsigned *data, int bursts, int length, int pause) {
  unsigned x = data[threadIdx.x & 31];
  const unsigned a[4] = {x, x, x, x}, warps = (gridDim.x * blockDim.x) >> 5;
  Burst burst = {};
  __syncthreads();
  const unsigned start = now(), from = nanoseconds();
#pragma unroll 1
  for (int i = 0; i < bursts; ++i) {
#pragma unroll 1
    for (int k = 0; k < length; k += 4) {
#pragma unroll
      for (int j = 0; j < 4; ++j) burst.go(a);
    }
#pragma unroll 1
    for (int k = 0; k < pause; k += 8) {
#pragma unroll
      for (int j = 0; j < 8; ++j) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x));
    }
  }
  const unsigned end = now(), until = nanoseconds();
  use(times, x + burst.result());
  keep(times, start, end);
  keep(times + 2 * warps, from, until);
}

#define PULSES(NAME, BURST)                                                                             \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int bursts, int length, int pause) { \
    pulses<BURST>(times, data, bursts, length, pause);                                                  \
  }

PULSES(pulses_ffma, Ffma)
PULSES(pulses_hmma, Hmma)
#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
PULSES(pulses_imma, Imma)
PULSES(pulses_dmma, Dmma)
#endif
