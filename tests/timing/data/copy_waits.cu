// How long warps wait for a group of LDGSTS of rows that L2 has: cw_1_2 copies two times 16 bytes a lane through L1 and
// waits for them, cw_2_2 past L1, cw_0_2 loads and stores them. A warp's copy is of 512 bytes, in rows so many bytes apart;
// each round and each warp has its own. copy_waits.csv has, in cycles from the first warp's first clock of a round, the mean
// of the last five of six rounds: when the first and the last warp have waited, and the first warp's next round (period).
// The third launch of one block; the first 108 on one H200, where the rows are 1,040 bytes apart, the rest on another one.
// nvcc -arch=sm_90 -cubin; see test_copy_waits.py.
#include <cstdint>

#include "stamp.cuh"
template <int PATH, int P>
__device__ __forceinline__ void body(const char *g, unsigned *out, int zero, int warps, int row, int stride, int own, int step) {
  extern __shared__ __align__(128) char s[];
  unsigned opaque = (threadIdx.x & 31) + zero;
  int id = 1 + zero, T = warps * 32, w = threadIdx.x / 32;
  uint32_t sp = (uint32_t)__cvta_generic_to_shared(s) + threadIdx.x * 16;
  int per = row / 16;
  const char *src = g + (size_t)w * own + (size_t)(opaque / per) * stride + opaque % per * 16;
  unsigned st[6][5];
  for (int i = 0; i < 6; i++)
    for (int j = 0; j < 5; j++) st[i][j] = 0;
  unsigned acc = 0;
  *(unsigned *)(s + threadIdx.x * 16) = zero;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 6; i++) {
    asm volatile("bar.warp.sync -1;" ::: "memory");  // a NOP, which waits until a barrier opens
    STAMP(st[i][0])
    if (PATH == 0) {
      uint4 v[P];
#pragma unroll
      for (int p = 0; p < P; p++)
        asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v[p].x), "=r"(v[p].y), "=r"(v[p].z), "=r"(v[p].w) : "l"(src + (size_t)(i * P + p) * step) : "memory");
      STAMP(st[i][1])
#pragma unroll
      for (int p = 0; p < P; p++)
        asm volatile("st.shared.v4.u32 [%0],{%1,%2,%3,%4};" ::"r"(sp + p * 16384), "r"(v[p].x), "r"(v[p].y), "r"(v[p].z), "r"(v[p].w) : "memory");
      STAMP(st[i][2])
    } else {
#pragma unroll
      for (int p = 0; p < P; p++) {
        if (PATH == 1) asm volatile("cp.async.ca.shared.global [%0],[%1],16;" ::"r"(sp + p * 16384), "l"(src + (size_t)(i * P + p) * step) : "memory");
        else asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(sp + p * 16384), "l"(src + (size_t)(i * P + p) * step) : "memory");
      }
      asm volatile("cp.async.commit_group;" ::: "memory");
      STAMP(st[i][1])
      asm volatile("cp.async.wait_group 0;" ::: "memory");
      STAMP(st[i][2])
    }
    asm volatile("bar.sync %0,%1;" ::"r"(id), "r"(T) : "memory");
    asm volatile("bar.warp.sync -1;" ::: "memory");
    STAMP(st[i][3])
    unsigned v;
    asm volatile("ld.shared.u32 %0,[%1];" : "=r"(v) : "r"(sp) : "memory");
    acc ^= v;
    asm volatile("add.u32 %0,%0,%1;" : "+r"(acc) : "r"(zero) : "memory");
    STAMP(st[i][4])
    asm volatile("bar.sync %0,%1;" ::"r"(id), "r"(T) : "memory");
  }
  __syncthreads();
  unsigned *o = out + w * 30;
  if ((threadIdx.x & 31) == 0)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 5; j++) o[i * 5 + j] = st[i][j] + (acc == 12345);
}
#define K(A, P)                                                                                                                \
  extern "C" __global__ void cw_##A##_##P(const char *g, unsigned *out, int zero, int warps, int row, int stride, int own, int step) { \
    body<A, P>(g, out, zero, warps, row, stride, own, step);                                                                   \
  }
K(0, 1) K(1, 1) K(2, 1) K(0, 2) K(1, 2) K(2, 2)
