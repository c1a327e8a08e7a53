// Rows of a tile, as an epilogue moves them: each instruction touches 256 / BYTES rows (of 4-byte words 128 / BYTES).
#include "clock.cuh"

template <typename T>
static __device__ __forceinline__ T load(const T *from);
template <>
__device__ __forceinline__ unsigned load(const unsigned *from) {
  unsigned value;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
  return value;
}
template <>
__device__ __forceinline__ uint2 load(const uint2 *from) {
  uint2 value;
  asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(value.x), "=r"(value.y) : "l"(from) : "memory");
  return value;
}
static __device__ __forceinline__ unsigned word(unsigned value) { return value; }
static __device__ __forceinline__ unsigned word(uint2 value) { return value.x; }
static __device__ __forceinline__ void store(unsigned *to, unsigned value) {
  asm volatile("st.global.u32 [%0], %1;" ::"l"(to), "r"(value) : "memory");
}
static __device__ __forceinline__ void store(uint2 *to, uint2 value) {
  asm volatile("st.global.v2.u32 [%0], {%1, %2};" ::"l"(to), "r"(value.x), "r"(value.y) : "memory");
}

// Six rounds: LOADS pieces side by side, then STORES of what came, in place. Without stores, the next address depends on
// what was loaded. `pitch` and the place of a warp are in bytes.
template <typename T, int BYTES, int LOADS, int STORES>
static __device__ __forceinline__ void rows(unsigned *times, char *data, int pitch, int warp_bytes) {
  constexpr int each = BYTES / sizeof(T);
  const int lane = threadIdx.x & 31;
  char *at = data + warp_index() * warp_bytes + lane / each * pitch + lane % each * sizeof(T);
  T got[LOADS ? LOADS : 1] = {};
  __syncthreads();
  const unsigned start = now();
#pragma unroll
  for (int round = 0; round < 6; ++round) {
#pragma unroll
    for (int k = 0; k < LOADS; ++k) got[k] = load(reinterpret_cast<const T *>(at + BYTES * k));
#pragma unroll
    for (int k = 0; k < STORES; ++k) store(reinterpret_cast<T *>(at + BYTES * k), got[LOADS ? k : 0]);
    if (!STORES) {
      unsigned sum = 0;
#pragma unroll
      for (int k = 0; k < LOADS; ++k) sum += word(got[k]);
      at += sum;
    }
    at += BYTES * (LOADS > STORES ? LOADS : STORES);
  }
  const unsigned end = now();
  use(times, static_cast<unsigned>(at - data));
  keep(times, start, end);
}

#define ROWS(T, BYTES, LOADS, STORES)                                                                             \
  extern "C" __global__ void rows_##BYTES##_##LOADS##_##STORES(unsigned *times, char *data, int pitch, int each) { \
    rows<T, BYTES, LOADS, STORES>(times, data, pitch, each);                                                       \
  }
#define SHAPE(T, BYTES) \
  ROWS(T, BYTES, 1, 0) ROWS(T, BYTES, 8, 0) ROWS(T, BYTES, 0, 8) ROWS(T, BYTES, 1, 1) ROWS(T, BYTES, 4, 4) ROWS(T, BYTES, 8, 8)
SHAPE(unsigned, 16)
SHAPE(uint2, 32)
SHAPE(uint2, 64)
SHAPE(uint2, 256)
