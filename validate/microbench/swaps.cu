// LDGSTS past L1 of rows of which several lie in a line of global memory, into the stages of a ring, as stages.cu does:
// in place, or with their 16-byte words exchanged as swizzled tiles have them (`mask`: which bits of a row's number do
// that). `at` bytes lie before the first row on both sides. Between a step's copies and its wait, a warp reads shared
// memory `READS` times, without conflicts, and waits for what it reads: what copies under way let pass.
#include "clock.cuh"

extern __shared__ __align__(128) unsigned char tile[];

static __device__ __forceinline__ void copy(unsigned to, const unsigned char *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}

#define SWAPS(NAME, READS)                                                                                            \
  extern "C" __global__ void NAME(unsigned *times, const unsigned char *data, int steps, int row, int pitch,          \
                                  int stride, int mask, int at) {                                                     \
    const int lane = (threadIdx.x & 31) * 16, rows = 512 / row, first = 4 * (threadIdx.x >> 5) * rows + lane / row;   \
    const int size = (blockDim.x >> 5) * 4 * rows * pitch;                                                            \
    const unsigned to = shared_address(tile) + at + first * pitch + (lane % row ^ (first & mask) * 16);               \
    const unsigned own = shared_address(tile) + (threadIdx.x & 31) * 4;                                               \
    const unsigned char *from = data + at + static_cast<size_t>(first) * stride + lane % row;                         \
    unsigned sum = 0;                                                                                                 \
    __syncthreads();                                                                                                  \
    const unsigned start = now();                                                                                     \
    _Pragma("unroll 1") for (int i = 0; i < steps; ++i) {                                                             \
      _Pragma("unroll") for (int k = 0; k < 4; ++k)                                                                   \
          copy(to + (i & 3) * size + k * rows * pitch, from + (i & 7) * 262144 + k * rows * stride);                  \
      asm volatile("cp.async.commit_group;");                                                                         \
      _Pragma("unroll") for (int k = 0; k < READS; ++k) {                                                             \
        unsigned got;                                                                                                 \
        asm volatile("ld.shared.u32 %0, [%1];" : "=r"(got) : "r"(own + (sum & 128) + 128 * k));                       \
        sum += got;                                                                                                   \
      }                                                                                                               \
      asm volatile("cp.async.wait_group 3;" ::: "memory");                                                            \
    }                                                                                                                 \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                                  \
    use(times, sum);                                                                                                  \
    keep(times, start, now());                                                                                        \
  }
SWAPS(swap_copies, 0)
SWAPS(swap_read_copies, 4)
