// LDGSTS of rows, step after step, some steps of copies under way: four copies a step and warp. `row` bytes of global
// memory are next to each other, rows `stride` bytes apart, and in shared memory `pitch`. A step begins `next` bytes
// behind the one before, back at the start after `wrap` bytes (a power of two); warps begin `apart` bytes apart, and all
// blocks copy the same. `room` says how many kilobytes of shared memory the launch asks for: the rest is L1's.
#include "clock.cuh"

extern __shared__ __align__(128) unsigned char tile[];

template <int WIDTH, int CACHE>
static __device__ __forceinline__ void copy(unsigned to, const unsigned char *from) {
  if constexpr (CACHE == 0)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(WIDTH));
  else if constexpr (CACHE == 1)
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(WIDTH));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(WIDTH));
}

template <int WIDTH, int CACHE, int UNDER_WAY>
static __device__ __forceinline__ void stream(unsigned *times, const unsigned char *data, int steps, int row, int pitch,
                                              int stride, int next, int wrap, int apart) {
  const int warp = threadIdx.x >> 5, at = (threadIdx.x & 31) * WIDTH, rows = 32 * WIDTH / row;
  const unsigned to = shared_address(tile) + (4 * warp * rows + at / row) * pitch + at % row;
  const unsigned char *from = data + static_cast<size_t>(warp) * apart + at / row * stride + at % row;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k)
      copy<WIDTH, CACHE>(to + k * rows * pitch, from + (i * next & (wrap - 1)) + k * rows * stride);
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;" ::"n"(UNDER_WAY) : "memory");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  keep(times, start, now());
}
#define STREAM(NAME, WIDTH, CACHE, UNDER_WAY)                                                                       \
  extern "C" __global__ void NAME(unsigned *times, const unsigned char *data, int steps, int row, int pitch, int stride, \
                                  int next, int wrap, int apart, int room) {                                        \
    stream<WIDTH, CACHE, UNDER_WAY>(times, data, steps, row, pitch, stride, next, wrap, apart);                     \
  }
STREAM(line_stream_16_3, 16, 0, 3)
STREAM(line_stream_16_0, 16, 0, 0)
STREAM(past_stream_16_3, 16, 1, 3)
STREAM(fill_stream_16_3, 16, 2, 3)
STREAM(fill_stream_8_3, 8, 2, 3)
STREAM(fill_stream_4_3, 4, 2, 3)
