// Tiles that LDGSTS brings, in pieces of so many bytes of a row, and that LDSM reads, a barrier a step: the two meet in
// the queue of their sub-core and in the data stage. Two tiles are under way while the third is read.
#include "clock.cuh"

extern __shared__ __align__(128) unsigned char tile[];

template <int ROW, int COPIES, int LOADS>
static __device__ __forceinline__ void copies(unsigned *times, const unsigned char *data, int steps) {
  const unsigned warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const unsigned char *from = data + (warp * COPIES * (512 / ROW) + lane * 16 / ROW) * 4096 + lane * 16 % ROW;
  const unsigned to = shared_address(tile) + threadIdx.x * 16, bytes = blockDim.x * 16 * COPIES;
  unsigned r[LOADS][4], sum = 0;
  const auto fetch = [&](int step) {
    if (step < steps) {
#pragma unroll
      for (int k = 0; k < COPIES; ++k)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + step % 3 * bytes + k * blockDim.x * 16),
                     "l"(from + step % 8 * 512 + k * (512 / ROW) * 4096));
    }
    asm volatile("cp.async.commit_group;");
  };
  __syncthreads();
  const unsigned start = now();
  fetch(0), fetch(1);
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    fetch(step + 2);
#pragma unroll
    for (int k = 0; k < LOADS; ++k) ldmatrix4(r[k], shared_address(tile) + step % 3 * bytes + lane * 16 + k * 512 % bytes);
#pragma unroll
    for (int k = 0; k < LOADS; ++k) sum ^= r[k][0] ^ r[k][3];
  }
  const unsigned end = now();
  use(times, sum);
  keep(times, start, end);
}

#define COPIES(ROW, COPIES, LOADS)                                                                                 \
  extern "C" __global__ void copies_##ROW##_##COPIES##_##LOADS(unsigned *times, const unsigned char *data, int steps) { \
    copies<ROW, COPIES, LOADS>(times, data, steps);                                                                     \
  }
COPIES(64, 4, 6)
COPIES(64, 4, 12)
COPIES(256, 4, 6)
COPIES(256, 4, 12)
COPIES(512, 1, 12)
