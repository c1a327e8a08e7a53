// Atomics on global memory: where lanes and warps meet at one word, in one sector, in one line, or nowhere.
// Lanes are `apart` words from each other, warps `beside` words: 0 for the same word.
#include "clock.cuh"

static __device__ __forceinline__ unsigned add(unsigned *at) {
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(at) : "memory");
  return old;
}

static __device__ __forceinline__ unsigned *own(unsigned *data, int apart, int beside) {
  return data + (threadIdx.x & 31) * apart + warp_index() * beside;
}

// Each waits for the one before.
extern "C" __global__ void atomic_chain(unsigned *times, unsigned *data, int count, int apart, int beside) {
  unsigned *at = own(data, apart, beside);
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) at += add(at) >> 31;
  const unsigned end = now();
  use(times, static_cast<unsigned>(at - data) | 1u);
  keep(times, start, end);
}

// Four under way.
extern "C" __global__ void atomic_x4(unsigned *times, unsigned *data, int count, int apart, int beside) {
  unsigned *at = own(data, apart, beside), sum = 0;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; i += 4) {
    unsigned old[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) old[k] = add(at);
#pragma unroll
    for (int k = 0; k < 4; ++k) sum |= old[k];
  }
  const unsigned end = now();
  use(times, sum);
  keep(times, start, end);
}

// Nothing comes back; one at the end does, behind the others.
extern "C" __global__ void reduce(unsigned *times, unsigned *data, int count, int apart, int beside) {
  unsigned *at = own(data, apart, beside);
  __syncthreads();
  const unsigned start = now();
#pragma unroll 4
  for (int i = 0; i < count; ++i) asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
  const unsigned old = add(at);
  use(times, old);
  const unsigned end = now();
  keep(times, start, end);
}
