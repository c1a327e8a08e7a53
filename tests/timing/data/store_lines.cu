// Rows that the warps of one SM store, to which other rows may have been loaded before. store_lines.csv has how many cycles went
// by from the first warp's first store until the last warp's last one had left it, on an H200: the median of eight launches behind
// one another, but for the first two. nvcc -arch=sm_90 -cubin; see test_store_lines.py.
#include "stores.cuh"

// So many lanes store a row; the next one is `gap` bytes further, the next warp's first one `apart`. Before, a warp has loaded
// a word of each of 32 lines `reads` times.
template <class T>
__device__ __forceinline__ void rows(unsigned *times, char *data, const char *others, int lanes, int gap, int apart, int stores, int reads) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  char *to = data + (size_t)warp * apart + lane / lanes * (size_t)gap + lane % lanes * sizeof(T);
  const size_t step = 32 / lanes * (size_t)gap;
  T v;
  fill(v, threadIdx.x);
  unsigned sum = 0;
  for (int i = 0; i < reads; i++) {
    unsigned one;
    asm volatile("ld.global.u32 %0, [%1];" : "=r"(one) : "l"(others + ((size_t)(warp * reads + i) * 32 + lane) * 128));
    sum += one;
  }
  if (sum == 1) times[0] = sum;
  __syncthreads();
  const unsigned begin = now();
#pragma unroll
  for (int s = 0; s < 16; s++)
    if (s < stores) store(to + s * step, v);
  const unsigned end = now();
  if (lane == 0) {
    times[2 * warp] = begin;
    times[2 * warp + 1] = end;
  }
}
#define KERNEL(T, BYTES)                                                                                                               \
  extern "C" __global__ void __launch_bounds__(1024) lines_##BYTES(unsigned *times, char *data, const char *others, int lanes, int gap, \
                                                                  int apart, int stores, int reads) {                               \
    rows<T>(times, data, others, lanes, gap, apart, stores, reads);                                                                    \
  }
KERNEL(uint4, 16)
KERNEL(uint2, 8)
KERNEL(unsigned, 4)
