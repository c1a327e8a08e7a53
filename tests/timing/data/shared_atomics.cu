// Atomics of warps and blocks that share `spread` words: thread t of block b adds to word (t + turn * b) % spread, alone
// (red0, max0), beside loads from L2 (red1 to red4, max2), barriers, stores, hits in L1 and shared memory. `max` returns
// a value, `red` does not. shared_atomics.csv has the blocks' cycles on an H200: the least, the mean and the most.
// nvcc -O3 -arch=sm_90 -cubin -I validate/microbench, and simtc sass --write-listing; see test_shared_atomics.py.
#include "clock.cuh"

#define INLINE static __device__ __forceinline__
INLINE void red(unsigned *at) { asm volatile("red.global.add.u32 [%0], 1;" ::"l"(at) : "memory"); }
INLINE unsigned largest(unsigned *at) {
  unsigned old;
  asm volatile("atom.global.max.u32 %0, [%1], 7;" : "=r"(old) : "l"(at) : "memory");
  return old;
}
INLINE unsigned add(unsigned *at) {
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(at) : "memory");
  return old;
}
INLINE unsigned cg(const unsigned *from) {
  unsigned got;
  asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got) : "l"(from) : "memory");
  return got;
}
INLINE unsigned ca(const unsigned *from) {
  unsigned got;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(got) : "l"(from) : "memory");
  return got;
}

// LOADS lines of each warp's own (or of all blocks', SAME) from L2 before each atomic, which does not need them.
template <int RETURNS, int LOADS, int BARRIERS, int SAME>
INLINE void mixed(unsigned *times, unsigned *data, const unsigned *lines, int n, int spread, int turn) {
  unsigned *at = data + (threadIdx.x + blockIdx.x * turn) % spread, sum = 0;
  const unsigned *line =
      lines + (size_t)(SAME ? threadIdx.x / 32 : warp_index()) * n * LOADS * 32 + (threadIdx.x & 31);
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    unsigned got[LOADS + 1];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) got[k] = cg(line + 32 * k);
    line += 32 * LOADS;
    if (BARRIERS) __syncthreads();
    if (RETURNS)
      sum += largest(at) >> 31;
    else
      red(at);
#pragma unroll
    for (int k = 0; k < LOADS; ++k) sum ^= got[k];
    if (BARRIERS) __syncthreads();
    if (RETURNS || LOADS) at += sum >> 31;
  }
  if (!RETURNS && !LOADS) use(times, add(at));
  use(times, sum);
  keep(times, start, now());
}
#define MIXED(NAME, RETURNS, LOADS, BARRIERS, SAME)                                                                    \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, const unsigned *lines, int n, int spread,           \
                                  int turn) {                                                                          \
    mixed<RETURNS, LOADS, BARRIERS, SAME>(times, data, lines, n, spread, turn);                                        \
  }
MIXED(red0, 0, 0, 0, 0)
MIXED(max0, 1, 0, 0, 0)
MIXED(redbar, 0, 0, 1, 0)
MIXED(maxbar, 1, 0, 1, 0)
MIXED(red1, 0, 1, 0, 0)
MIXED(red2, 0, 2, 0, 0)
MIXED(red4, 0, 4, 0, 0)
MIXED(red2s, 0, 2, 0, 1)
MIXED(red2bar, 0, 2, 1, 0)
MIXED(max2, 1, 2, 0, 0)

// Behind each RED `stores` stores of lines of the warp's own, until the last one has issued; `turn` is `stores` here.
extern "C" __global__ void redstore(unsigned *times, unsigned *data, unsigned *lines, int n, int spread, int stores) {
  unsigned *at = data + (threadIdx.x + blockIdx.x) % spread;
  unsigned *line = lines + (size_t)warp_index() * 32 * 64 + (threadIdx.x & 31);
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    red(at);
    for (int k = 0; k < stores; ++k) {
      asm volatile("st.global.u32 [%0], %1;" ::"l"(line), "r"(start) : "memory");
      line += 32;
    }
  }
  const unsigned issued = now();
  keep(times, start, issued);
}

// A line that L1 has, behind each RED.
extern "C" __global__ void redhit(unsigned *times, unsigned *data, const unsigned *lines, int n, int spread, int turn) {
  unsigned *at = data + (threadIdx.x + blockIdx.x * turn) % spread;
  const unsigned *line = lines + warp_index() * 32 + (threadIdx.x & 31);
  unsigned sum = ca(line);
  at += sum >> 31;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    red(at);
    sum = ca(line + (sum >> 31));
    at += sum >> 31;
  }
  use(times, sum);
  keep(times, start, now());
}

// Shared memory beside REDs.
extern "C" __global__ void redshared(unsigned *times, unsigned *data, const unsigned *lines, int n, int spread,
                                     int turn) {
  __shared__ unsigned tile[1024];
  unsigned *at = data + (threadIdx.x + blockIdx.x * turn) % spread, sum = 0;
  tile[threadIdx.x] = 0;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    red(at + (sum >> 31));
    sum += *(volatile unsigned *)(tile + threadIdx.x + (sum >> 31));
  }
  use(times, sum);
  keep(times, start, now());
}
