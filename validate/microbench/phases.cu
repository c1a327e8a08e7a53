// Warps of a sub-core that multiply matrices for a while, then add for a while, over and over, each at its own pace:
// whether they come to do so in turn. Sums are one chain, which leaves the pipe free, or sixteen, which fill it.
#include "mma.cuh"

template <typename Mma, int CHAINS>
static __device__ __forceinline__ void phases(unsigned *times, const unsigned *data, int laps, int sums) {
  const unsigned zero = data[threadIdx.x & 31];
  const unsigned a[4] = {zero, zero + 1, zero + 2, zero + 3};
  unsigned r[CHAINS], sum = 0;
  Mma mma[8] = {};
#pragma unroll
  for (int k = 0; k < CHAINS; ++k) r[k] = zero + k;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int lap = 0; lap < laps; ++lap) {
#pragma unroll
    for (int k = 0; k < 32; ++k) mma[k % 8](a, zero + 4, zero + 5);
#pragma unroll 1
    for (int i = 0; i < sums; ++i)
#pragma unroll
      for (int k = 0; k < 32; ++k) asm volatile("add.u32 %0, %0, %1;" : "+r"(r[k % CHAINS]) : "r"(zero));
  }
  const unsigned end = now();
  for (int k = 0; k < 8; ++k) sum += static_cast<unsigned>(mma[k].d[0] + mma[k].d[1]);
#pragma unroll
  for (int k = 0; k < CHAINS; ++k) sum ^= r[k];
  use(times, sum);
  keep(times, start, end);
}

#define PHASES(NAME, MMA)                                                                                        \
  extern "C" __global__ void chain_phases_##NAME(unsigned *times, const unsigned *data, int laps, int sums) { \
    phases<MMA, 1>(times, data, laps, sums);                                                                     \
  }                                                                                                              \
  extern "C" __global__ void sum_phases_##NAME(unsigned *times, const unsigned *data, int laps, int sums) {   \
    phases<MMA, 16>(times, data, laps, sums);                                                                    \
  }
PHASES(16816_f32, Mma16816F32)
PHASES(16816_f16, Mma16816F16)
PHASES(1688_f32, Mma1688F32)
