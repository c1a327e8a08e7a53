// Stores of a word of each of 16 sectors, four of a line, until they have been answered: four by four they fill the same
// sectors, or each those of lines of its own.
#include "clock.cuh"

template <int BESIDE>
static __device__ __forceinline__ void store_words(unsigned *times, char *data, int count) {
  char *at = data + (static_cast<size_t>(warp_index()) * count * 2048) + (threadIdx.x & 31) * 16;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k) *reinterpret_cast<volatile unsigned *>(at + 2048 * i + BESIDE * k) = start;
  }
  __threadfence();
  keep(times, start, now());
}
extern "C" __global__ void store_words(unsigned *times, char *data, int count) { store_words<4>(times, data, count); }
extern "C" __global__ void store_words_apart(unsigned *times, char *data, int count) {
  store_words<512>(times, data, count);
}
