// What a loop takes that reads shared memory, or exchanges registers, while copies of later stages land. In each step all warps of a
// block wait for their stage and a barrier, each asks for four copies of 512 bytes, `row` bytes of rows `stride` bytes apart that land
// `pitch` bytes apart, then reads eight times: LDS.32 `ways` words apart, LDS.128, SHFL or LDS.32 one after the other, or nothing. One
// block of `warps` warps, 24 steps, shared memory of the stages or 100 KB; while_copies.csv says how many cycles a step took, the median
// of five launches on one H200. nvcc -arch=sm_90 -cubin; see test_while_copies.py.
#include "reads.cuh"
template <int CG> static __device__ __forceinline__ void copy(unsigned to, const char *from) {
  if constexpr (CG) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  else asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
#define KERNEL(NAME, KIND, CG, STAGES)                                                                                        \
  extern "C" __global__ void __launch_bounds__(1024) NAME(unsigned *out, const char *d, int row, int stride, int pitch, int ways, int steps) { \
    extern __shared__ __align__(1024) char s[];                                                                            \
    const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, threads = blockDim.x, lanes = row / 16;                \
    const unsigned home = (unsigned)__cvta_generic_to_shared(s), size = threads * 4 / lanes * pitch;                       \
    const unsigned r0 = threadIdx.x / lanes, b0 = threadIdx.x % lanes * 16, rows = threads / lanes;                        \
    const unsigned at = lane * (KIND == 2 ? 16 : 4 * ways) + warp * 1024 % (size / 2);                                       \
    const char *from = d + r0 * stride + b0;                                                                               \
    unsigned sum = lane, asks = 0, took = 0, waits = 0;                                                                    \
    for (int k = 0; k < STAGES - 1; k++) {                                                                                 \
      _Pragma("unroll") for (int p = 0; p < 4; p++) copy<CG>(home + k * size + (r0 + p * rows) * pitch + b0, from + (size_t)((k * 4 + p) * rows) * stride); \
      asm volatile("cp.async.commit_group;");                                                                              \
    }                                                                                                                      \
    __syncthreads();                                                                                                       \
    unsigned stage = 0;                                                                                                    \
    const unsigned begun = now();                                                                                          \
    unsigned t0 = begun;                                                                                                   \
    _Pragma("unroll 1") for (int i = 0; i < steps; ++i) {                                                                  \
      asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");                                                \
      __syncthreads();                                                                                                     \
      const unsigned next = stage ? stage - 1 : STAGES - 1, t1 = now();                                                    \
      const char *q = from + (size_t)((i + STAGES - 1) * 4 * rows) * stride;                                               \
      _Pragma("unroll") for (int p = 0; p < 4; p++) copy<CG>(home + next * size + (r0 + p * rows) * pitch + b0, q + (size_t)(p * rows) * stride); \
      asm volatile("cp.async.commit_group;");                                                                              \
      const unsigned t2 = now();                                                                                           \
      reads<KIND>(home + stage * size + at, sum);                                                                          \
      if (sum == 0x12345) asks++;                                                                                          \
      const unsigned t3 = now();                                                                                           \
      waits += t1 - t0; asks += t2 - t1; took += t3 - t2; t0 = t3;                                                         \
      stage = stage == STAGES - 1 ? 0 : stage + 1;                                                                         \
    }                                                                                                                      \
    const unsigned end = now();                                                                                            \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                                       \
    if (sum == 0x12345) out[200] = 1;                                                                                      \
    if (lane == 0) { unsigned *o = out + warp * 5; o[0] = begun; o[1] = end; o[2] = waits; o[3] = asks; o[4] = took; }     \
  }
#define KINDS(CG, S, X) KERNEL(none_##X, 0, CG, S) KERNEL(lds4_##X, 1, CG, S) KERNEL(lds16_##X, 2, CG, S) KERNEL(shfl_##X, 3, CG, S) KERNEL(chain_##X, 4, CG, S)
KINDS(1, 2, cg2) KINDS(1, 4, cg4) KINDS(0, 2, ca2) KINDS(0, 4, ca4)
