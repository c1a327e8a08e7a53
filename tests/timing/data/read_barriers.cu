// Loads of shared memory between two barriers of all warps: bl_4_0 has four LDS and barriers whose number is in a register,
// bl_4_1 four LDS and barriers whose number is in the code. read_barriers.csv has in cycles from the first warp's going on
// behind the first barrier, the mean of the last four of five rounds: when the last warp has issued its LDS (issued), when
// the second barrier lets the first warp go (opens), and the first warp's next going on (period). The third launch of one
// block on an H200 at 1980 MHz. nvcc -arch=sm_90 -cubin; see test_read_barriers.py.
#include <cstdint>

#include "meet.cuh"
#include "stamp.cuh"
template <int NF, int IMM> __device__ __forceinline__ void body(unsigned *out, int zero, int warps) {
  __shared__ __align__(128) unsigned s[8192];
  unsigned opaque = (threadIdx.x & 31) + zero;
  int id = 1 + zero, T = warps * 32;
  uint32_t sp = (uint32_t)__cvta_generic_to_shared(s) + threadIdx.x * 4;
  unsigned st[5][4];
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 4; j++) st[i][j] = 0;
  unsigned acc = 0;
  s[threadIdx.x] = zero;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 5; i++) {
    MEET(IMM)
    STAMP(st[i][0])
    unsigned v[NF > 0 ? NF : 1];
#pragma unroll
    for (int f = 0; f < NF; f++) asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v[f]) : "r"(sp + f * 4096) : "memory");
    STAMP(st[i][1])
    MEET(IMM)
    STAMP(st[i][2])
#pragma unroll
    for (int f = 0; f < NF; f++) acc ^= v[f];
    asm volatile("add.u32 %0,%0,%1;" : "+r"(acc) : "r"(zero) : "memory");
    STAMP(st[i][3])
  }
  __syncthreads();
  unsigned *o = out + threadIdx.x / 32 * 20;
  if ((threadIdx.x & 31) == 0)
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 4; j++) o[i * 4 + j] = st[i][j] + (acc == 12345);
}
#define K(N, I) extern "C" __global__ void bl_##N##_##I(unsigned *out, int zero, int warps) { body<N, I>(out, zero, warps); }
K(0, 0) K(1, 0) K(2, 0) K(4, 0) K(8, 0) K(0, 1) K(1, 1) K(2, 1) K(4, 1) K(8, 1)
