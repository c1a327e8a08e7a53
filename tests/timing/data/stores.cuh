// The SM's clock, and stores of 4, 8 and 16 bytes a lane: of lone_stores.cu and store_lines.cu.
#pragma once
static __device__ __forceinline__ unsigned now() {
  unsigned c;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
  return c;
}
static __device__ __forceinline__ void store(char *p, unsigned v) { asm volatile("st.global.u32 [%0],%1;" ::"l"(p), "r"(v) : "memory"); }
static __device__ __forceinline__ void store(char *p, uint2 v) {
  asm volatile("st.global.v2.u32 [%0],{%1,%2};" ::"l"(p), "r"(v.x), "r"(v.y) : "memory");
}
static __device__ __forceinline__ void store(char *p, uint4 v) {
  asm volatile("st.global.v4.u32 [%0],{%1,%2,%3,%4};" ::"l"(p), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w) : "memory");
}
static __device__ __forceinline__ void fill(unsigned &v, unsigned a) { v = a; }
static __device__ __forceinline__ void fill(uint2 &v, unsigned a) { v = make_uint2(a, a + 1); }
static __device__ __forceinline__ void fill(uint4 &v, unsigned a) { v = make_uint4(a, a + 1, a + 2, a + 3); }
