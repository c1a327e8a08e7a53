// LDGSTS of rows into the stages of a ring, as main loops do: no copy goes where one before it is still on its way, but
// with one stage. Four copies a step and warp, four steps under way. `row` bytes of global memory are next to each other,
// rows `stride` bytes apart, and in shared memory `pitch`; a warp's rows follow those of the warp before. A step begins
// `next` bytes behind the one before, back at the start after `wrap` bytes; the next block's rows are `own` bytes further.
#include "clock.cuh"

extern __shared__ __align__(128) unsigned char tile[];

static __device__ __forceinline__ void copy(unsigned to, const unsigned char *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

extern "C" __global__ void stage_copies(unsigned *times, const unsigned char *data, int steps, int row, int pitch,
                                        int stride, int next, int wrap, int own, int stages) {
  const int at = (threadIdx.x & 31) * 16, rows = 512 / row, first = 4 * (threadIdx.x >> 5) * rows + at / row;
  const unsigned to = shared_address(tile) + first * pitch + at % row;
  const unsigned char *from = data + static_cast<size_t>(blockIdx.x) * own + static_cast<size_t>(first) * stride + at % row;
  const int size = (blockDim.x >> 5) * 4 * rows * pitch;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k)
      copy(to + (i & (stages - 1)) * size + k * rows * pitch, from + (i * next & (wrap - 1)) + k * rows * stride);
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 3;" ::: "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  keep(times, start, now());
}
