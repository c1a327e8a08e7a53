// When SHFL behind LDGSTS past L1 bring something: each warp of one block copies N times 512 bytes, `row` bytes of rows `stride` bytes
// apart that land `pitch` bytes apart, with an LDGDEPBAR behind them (grouped_N) or none (loose_N), then exchanges three times, one after
// the other. The second of two rounds is told, which begins at a barrier when all has come: behind_copies.csv has the cycles, on
// an H200 at 1980 MHz, L2 warm, the last of three launches: of the first warp and of the last one, when its copies had
// issued, when each SHFL was back, and when all had come. nvcc -arch=sm_90 -cubin; see test_behind_copies.py.
#include "behind.cuh"
struct Shfl {
  static constexpr int ROOM = 0;
  __device__ __forceinline__ Shfl(char *, unsigned, unsigned) {}
  __device__ __forceinline__ unsigned operator()(unsigned, unsigned, int, int, unsigned &sum) const {
    asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(sum) :: "memory");
    return sum;
  }
};
#define COPIES(N)                                                                                        \
  extern "C" __global__ void loose_##N(char *data, unsigned *cycles, int row, int stride, int pitch) {   \
    behind<N, 0, Shfl>(data, cycles, row, stride, pitch);                                                \
  }                                                                                                      \
  extern "C" __global__ void grouped_##N(char *data, unsigned *cycles, int row, int stride, int pitch) { \
    behind<N, 1, Shfl>(data, cycles, row, stride, pitch);                                                \
  }
COPIES(1) COPIES(2) COPIES(3) COPIES(4) COPIES(6) COPIES(8) COPIES(12) COPIES(16) COPIES(24)
