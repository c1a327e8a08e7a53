// LDGSTS as a tile's loop has it: all warps of a block begin a step together, with eight copies each, and wait for them,
// or for those of the step before. `row` bytes of global memory are next to each other, rows `stride` bytes apart, and in
// shared memory `pitch`. A step begins `next` bytes behind the one before, back at the start after `wrap` bytes (a power
// of two); a warp's rows follow those of the warp before. `room` says how many kilobytes of shared memory the launch asks
// for: the rest is L1's.
#include "clock.cuh"

extern __shared__ __align__(128) unsigned char tile[];

#define BURST(NAME, CACHE, UNDER_WAY)                                                                                  \
  extern "C" __global__ void NAME(unsigned *times, const unsigned char *data, int steps, int row, int pitch, int stride, \
                                  int next, int wrap, int room) {                                                      \
    const int rows = 512 / row, at = (threadIdx.x & 31) * 16, first = 8 * (threadIdx.x >> 5) * rows + at / row;        \
    const unsigned to = shared_address(tile) + first * pitch + at % row;                                               \
    const unsigned char *from = data + static_cast<size_t>(first) * stride + at % row;                                 \
    __syncthreads();                                                                                                   \
    const unsigned start = now();                                                                                      \
    _Pragma("unroll 1") for (int i = 0; i < steps; ++i) {                                                              \
      const unsigned char *step = from + (i * next & (wrap - 1));                                                      \
      _Pragma("unroll") for (int k = 0; k < 8; ++k)                                                                    \
        asm volatile("cp.async." CACHE ".shared.global [%0], [%1], 16;" ::"r"(to + k * rows * pitch),                  \
                     "l"(step + k * rows * stride));                                                                   \
      asm volatile("cp.async.commit_group;");                                                                          \
      asm volatile("cp.async.wait_group %0;" ::"n"(UNDER_WAY) : "memory");                                             \
      __syncthreads();                                                                                                 \
    }                                                                                                                  \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                                   \
    keep(times, start, now());                                                                                         \
  }
BURST(past_burst_1, "cg", 1)
BURST(past_burst_0, "cg", 0)
BURST(fill_burst_1, "ca", 1)
