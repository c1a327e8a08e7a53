// Rounds of REDs of each warp on words that all blocks share, then of its stores of pieces of 16 bytes, a line each:
// red_REDS_STORES. Cycles of a round on an H100 are in red_stores.csv: launches of 220 and of 20 rounds, by events, their
// difference at 1980 MHz. nvcc -arch=sm_90 -cubin; see test_red_stores.py.

template <int REDS, int STORES>
__device__ __forceinline__ void rounds_of(unsigned *words, unsigned *rows, int rounds, int spread, unsigned *times) {
  const unsigned warp = threadIdx.x >> 5, lane = threadIdx.x & 31, warps = blockDim.x >> 5;
  const unsigned start = clock();
  for (int r = 0; r < rounds; ++r) {
#pragma unroll
    for (int i = 0; i < REDS; ++i) atomicAdd(words + (threadIdx.x + blockIdx.x) % spread, 1u + r);
#pragma unroll
    for (int i = 0; i < STORES; ++i) rows[(((blockIdx.x * warps + warp) * 8 + i) * 8 + lane / 4) * 32 + lane % 4] = r;
  }
  __syncthreads();
  if (threadIdx.x == 0) times[blockIdx.x] = clock() - start;
}
#define KERNEL(REDS, STORES)                                                                                             \
  extern "C" __global__ void red_##REDS##_##STORES(unsigned *words, unsigned *rows, int rounds, int spread,              \
                                                   unsigned *times) {                                                    \
    rounds_of<REDS, STORES>(words, rows, rounds, spread, times);                                                         \
  }
KERNEL(4, 0)
KERNEL(0, 8)
KERNEL(4, 8)
KERNEL(1, 2)
