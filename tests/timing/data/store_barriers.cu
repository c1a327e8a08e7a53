// Stores and wide loads of shared memory between two barriers of all warps: sts16_2_0 has two STS.128 of each warp and
// barriers whose number is in a register, ldsm4_4_1 four LDSM.x4 and barriers whose number is in the code.
// store_barriers.csv has what read_barriers.csv has of LDS. The third launch of one block on an H200 at 1980 MHz. nvcc
// -arch=sm_90 -cubin; see test_read_barriers.py.
#include <cstdint>

#include "meet.cuh"
#include "stamp.cuh"
enum { STS4, STS16, LDS16, LDSM4 };
template <int KIND, int N, int IMM> __device__ __forceinline__ void body(unsigned *out, int zero, int warps) {
  __shared__ __align__(128) unsigned s[8192];
  unsigned opaque = (threadIdx.x & 31) + zero;
  int id = 1 + zero, T = warps * 32;
  uint32_t sp = (uint32_t)__cvta_generic_to_shared(s) + threadIdx.x * (KIND == STS4 ? 4 : 16);
  unsigned st[5][3];
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 3; j++) st[i][j] = 0;
  unsigned acc = 0, a = threadIdx.x, b = a * 3, c = a + zero, d = b ^ c;
  s[threadIdx.x] = zero;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 5; i++) {
    MEET(IMM)
    STAMP(st[i][0])
    unsigned v[N][4];
#pragma unroll
    for (int f = 0; f < N; f++) {
      uint32_t at = sp + f * (KIND == STS4 ? 4096 : 16384) % 32768;
      if (KIND == STS4) asm volatile("st.shared.u32 [%0],%1;" ::"r"(at), "r"(a) : "memory");
      if (KIND == STS16) asm volatile("st.shared.v4.u32 [%0],{%1,%2,%3,%4};" ::"r"(at), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
      if (KIND == LDS16) asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v[f][0]), "=r"(v[f][1]), "=r"(v[f][2]), "=r"(v[f][3]) : "r"(at) : "memory");
      if (KIND == LDSM4) asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3},[%4];" : "=r"(v[f][0]), "=r"(v[f][1]), "=r"(v[f][2]), "=r"(v[f][3]) : "r"(at) : "memory");
    }
    STAMP(st[i][1])
    MEET(IMM)
    STAMP(st[i][2])
    if (KIND >= LDS16)
#pragma unroll
      for (int f = 0; f < N; f++) acc ^= v[f][0] ^ v[f][1] ^ v[f][2] ^ v[f][3];
    asm volatile("add.u32 %0,%0,%1;" : "+r"(acc) : "r"(zero) : "memory");
  }
  __syncthreads();
  unsigned *o = out + threadIdx.x / 32 * 15;
  if ((threadIdx.x & 31) == 0)
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 3; j++) o[i * 3 + j] = st[i][j] + (acc == 12345);
}
#define K(NAME, KIND, N)                                                                                              \
  extern "C" __global__ void NAME##_##N##_0(unsigned *out, int zero, int warps) { body<KIND, N, 0>(out, zero, warps); } \
  extern "C" __global__ void NAME##_##N##_1(unsigned *out, int zero, int warps) { body<KIND, N, 1>(out, zero, warps); }
#define KK(NAME, KIND) K(NAME, KIND, 1) K(NAME, KIND, 2) K(NAME, KIND, 4)
KK(sts4, STS4) KK(sts16, STS16) KK(lds16, LDS16) KK(ldsm4, LDSM4)
