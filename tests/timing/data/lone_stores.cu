// Stores of rows, so many of each warp behind one another: stw_BYTES_STORES. Their cycles on an H200 are in lone_stores.csv
// (sm__cycles_active.max of one pass, L2 warm, the least of two launches). nvcc -arch=sm_90 -cubin; see test_lone_stores.py.
#include "stores.cuh"

// So many lanes store a row; the next one is `gap` bytes further.
template <class T, int STORES>
__device__ __forceinline__ void rows(unsigned *times, char *data, int lanes, int gap) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5, pieces = 32 / lanes;
  const size_t first = ((size_t)blockIdx.x * warps + warp) * STORES * pieces + lane / lanes;
  char *to = data + first * gap + lane % lanes * sizeof(T);
  T v;
  fill(v, threadIdx.x);
  const size_t step = (size_t)pieces * gap;
  __syncthreads();
  const unsigned begin = now();
#pragma unroll
  for (int s = 0; s < STORES; s++) store(to + s * step, v);
  const unsigned end = now();
  if (lane == 0) {
    const unsigned k = 2 * (blockIdx.x * warps + warp);
    times[k] = begin;
    times[k + 1] = end;
  }
}

#define KERNEL(T, BYTES, STORES)                                                                                              \
  extern "C" __global__ void __launch_bounds__(1024) stw_##BYTES##_##STORES(unsigned *times, char *data, int lanes, int gap) { \
    rows<T, STORES>(times, data, lanes, gap);                                                                                 \
  }
#define BOTH(STORES) KERNEL(uint4, 16, STORES) KERNEL(unsigned, 4, STORES)
BOTH(1)
BOTH(2)
BOTH(4)
BOTH(8)
BOTH(16)
