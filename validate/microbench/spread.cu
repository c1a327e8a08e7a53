// Atomics of warps that spread over few words, as counters do: thread t of block b adds to word (t + turn * b) % spread,
// `shift` words from the start. Warps of a block, and blocks, meet at words, in sectors, or in lines.
#include "clock.cuh"

static __device__ __forceinline__ unsigned *own(unsigned *data, unsigned spread, unsigned turn, unsigned shift) {
  return data + shift + (threadIdx.x + blockIdx.x * turn) % spread;
}
static __device__ __forceinline__ void red(unsigned *at) {
  asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory");
}
static __device__ __forceinline__ unsigned add(unsigned *at) {
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(at) : "memory");
  return old;
}
static __device__ __forceinline__ unsigned largest(unsigned *at) {
  unsigned old;
  asm volatile("atom.global.max.u32 %0, [%1], 7;" : "=r"(old) : "l"(at) : "memory");
  return old;
}

// Until the last one is answered.
extern "C" __global__ void red_spread(unsigned *times, unsigned *data, int count, int spread, int turn, int shift) {
  unsigned *at = own(data, spread, turn, shift);
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) red(at);
  use(times, add(at));
  keep(times, start, now());
}

// Until the last one has issued.
extern "C" __global__ void red_issued(unsigned *times, unsigned *data, int count, int spread, int turn, int shift) {
  unsigned *at = own(data, spread, turn, shift);
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) red(at);
  keep(times, start, now());
}

// Each waits for the one before.
extern "C" __global__ void add_spread(unsigned *times, unsigned *data, int count, int spread, int turn, int shift) {
  unsigned *at = own(data, spread, turn, shift);
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) at += add(at) >> 31;
  use(times, static_cast<unsigned>(at - data) | 1u);
  keep(times, start, now());
}
extern "C" __global__ void max_spread(unsigned *times, unsigned *data, int count, int spread, int turn, int shift) {
  unsigned *at = own(data, spread, turn, shift);
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) at += largest(at) >> 31;
  use(times, static_cast<unsigned>(at - data) | 1u);
  keep(times, start, now());
}

// After each one a line from L2, `away` bytes further and another one each time, is waited for.
extern "C" __global__ void red_beside_load(unsigned *times, unsigned *data, int count, int spread, int turn, int away) {
  unsigned *at = own(data, spread, turn, 0), sum = 0;
  const unsigned *line = data + away / 4 + static_cast<size_t>(warp_index()) * count * 32 + (threadIdx.x & 31);
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i, line += 32) {
    unsigned got;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got) : "l"(line) : "memory");
    sum += got;
    red(at + (sum >> 31));
  }
  use(times, sum);
  keep(times, start, now());
}
