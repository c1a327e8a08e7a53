// What LDS take beside copies past L1 that land, by how many of these there are. In each step all warps of a block wait for their stage
// and a barrier, each asks for P copies of 512 bytes, `row` bytes of rows `stride` bytes apart that land `pitch` bytes apart, four stages,
// then reads eight times: LDS.32 `ways` words apart, LDS.128, SHFL one after the other, or nothing. One block, 24 steps, 200 KB of
// shared memory; beside_copies.csv says how many cycles a step took, the median of five launches on one H200.
// nvcc -arch=sm_90 -cubin; see test_beside_copies.py.
#include "reads.cuh"
static __device__ __forceinline__ void copy(unsigned to, const char *from) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
#define KERNEL(NAME, KIND, P)                                                                                              \
  extern "C" __global__ void __launch_bounds__(512) NAME(unsigned *out, const char *d, int row, int stride, int pitch, int ways, int steps) { \
    extern __shared__ __align__(1024) char s[];                                                                            \
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, threads = blockDim.x, lanes = row / 16;               \
    const unsigned r0 = threadIdx.x / lanes, b0 = threadIdx.x % lanes * 16, rows = threads / lanes;                        \
    const unsigned home = (unsigned)__cvta_generic_to_shared(s), size = rows * P * pitch;                                  \
    const unsigned at = lane * (KIND == 2 ? 16 : 4 * ways) + warp * 1024;                                                  \
    const char *from = d + r0 * stride + b0;                                                                               \
    unsigned sum = lane, stage = 0;                                                                                        \
    for (int k = 0; k < 3; k++) {                                                                                          \
      _Pragma("unroll") for (int p = 0; p < P; p++) copy(home + k * size + (r0 + p * rows) * pitch + b0, from + (size_t)((k * P + p) * rows) * stride); \
      asm volatile("cp.async.commit_group;");                                                                              \
    }                                                                                                                      \
    __syncthreads();                                                                                                       \
    const unsigned begun = now();                                                                                          \
    _Pragma("unroll 1") for (int i = 0; i < steps; ++i) {                                                                  \
      asm volatile("cp.async.wait_group 2;" ::: "memory");                                                                 \
      __syncthreads();                                                                                                     \
      const unsigned next = stage ? stage - 1 : 3;                                                                         \
      const char *q = from + (size_t)((i + 3) * P * rows) * stride;                                                        \
      _Pragma("unroll") for (int p = 0; p < P; p++) copy(home + next * size + (r0 + p * rows) * pitch + b0, q + (size_t)(p * rows) * stride); \
      asm volatile("cp.async.commit_group;");                                                                              \
      reads<KIND>(home + at, sum);                                                                                         \
      stage = stage == 3 ? 0 : stage + 1;                                                                                  \
    }                                                                                                                      \
    const unsigned end = now();                                                                                            \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                                       \
    if (sum == 0x12345) out[200] = 1;                                                                                      \
    if (lane == 0) { out[warp * 2] = begun; out[warp * 2 + 1] = end; }                                                     \
  }
#define READS(P) KERNEL(none_##P, 0, P) KERNEL(lds4_##P, 1, P) KERNEL(lds16_##P, 2, P) KERNEL(shfl_##P, 3, P)
READS(0) READS(1) READS(2) READS(4) READS(8)
