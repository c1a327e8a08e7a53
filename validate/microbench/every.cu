// What every generation has: WMMA products one after another, and shared memory read with conflicts.
#include <mma.h>

#include "clock.cuh"

using namespace nvcuda;

// CHAINS products side by side, each adding to its own accumulator.
template <typename T, int CHAINS>
static __device__ __forceinline__ void products(unsigned *times, const half *data, int loops) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 16, 16, 16, T> d[CHAINS];
  wmma::load_matrix_sync(a, data, 16);
  wmma::load_matrix_sync(b, data + 256, 16);
  for (int c = 0; c < CHAINS; ++c) wmma::fill_fragment(d[c], static_cast<T>(0.0f));
  __syncthreads();
  const unsigned start = now();
  for (int i = 0; i < loops; ++i)
#pragma unroll
    for (int k = 0; k < 8; ++k)
#pragma unroll
      for (int c = 0; c < CHAINS; ++c) wmma::mma_sync(d[c], a, b, d[c]);
  const unsigned end = now();
  float sum = 0;
  for (int c = 0; c < CHAINS; ++c)
    for (int i = 0; i < d[c].num_elements; ++i) sum += static_cast<float>(d[c].x[i]);
  use(times, static_cast<unsigned>(sum));
  keep(times, start, end);
}

extern "C" __global__ void wmma_f32_x1(unsigned *times, const half *data, int loops) {
  products<float, 1>(times, data, loops);
}
extern "C" __global__ void wmma_f32_x2(unsigned *times, const half *data, int loops) {
  products<float, 2>(times, data, loops);
}
extern "C" __global__ void wmma_f16_x1(unsigned *times, const half *data, int loops) {
  products<half, 1>(times, data, loops);
}
extern "C" __global__ void wmma_f16_x2(unsigned *times, const half *data, int loops) {
  products<half, 2>(times, data, loops);
}

// Each lane reads the word `stride` words after its neighbour's, and the next address is what it read (0) more.
extern "C" __global__ void shared_chase(unsigned *times, const unsigned *data, int loops, int stride) {
  __shared__ unsigned words[1024];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) words[i] = data[i % 32];
  unsigned at = (threadIdx.x * stride) % 1024;
  __syncthreads();
  const unsigned start = now();
  for (int i = 0; i < loops; ++i)
#pragma unroll
    for (int k = 0; k < 16; ++k) at += words[at];
  const unsigned end = now();
  use(times, at);
  keep(times, start, end);
}
