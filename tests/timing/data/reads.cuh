// A warp's eight reads of shared memory, of KIND: none, LDS.32, LDS.128, SHFL or LDS.32 one after the other; and the clock.
#pragma once
static __device__ __forceinline__ unsigned now() { unsigned c; asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory"); return c; }
template <int KIND> static __device__ __forceinline__ void reads(unsigned from, unsigned &sum) {
  unsigned v[8], b, c, d;
  if constexpr (KIND == 1) { // LDS.32
#pragma unroll
    for (int k = 0; k < 8; k++) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[k]) : "r"(from + 128 * k));
#pragma unroll
    for (int k = 0; k < 8; k++) sum ^= v[k];
  }
  if constexpr (KIND == 2) { // LDS.128
#pragma unroll
    for (int k = 0; k < 8; k++) { asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[k]), "=r"(b), "=r"(c), "=r"(d) : "r"(from + 128 * k)); v[k] ^= b ^ c ^ d; }
#pragma unroll
    for (int k = 0; k < 8; k++) sum ^= v[k];
  }
  if constexpr (KIND == 3) { // SHFL, one after the other
#pragma unroll
    for (int k = 0; k < 8; k++) sum = __shfl_xor_sync(~0u, sum, 1 + k);
  }
  if constexpr (KIND == 4) { // LDS.32, one after the other
#pragma unroll
    for (int k = 0; k < 8; k++) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(sum) : "r"(from + 128 * k + (sum & 0x80000000u ? 4 : 0)));
  }
}
