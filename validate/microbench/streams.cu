// Stores of parts of sectors, and streams that are larger than L2: what is read, written, or copied passes through DRAM.
// A warp's lanes are `apart` bytes from each other, its next instruction is `step` bytes further, the next warp `own`.
#include "clock.cuh"

template <typename T>
static __device__ __forceinline__ T value_of(unsigned x);
template <>
__device__ __forceinline__ unsigned value_of<unsigned>(unsigned x) { return x; }
template <>
__device__ __forceinline__ uint4 value_of<uint4>(unsigned x) { return make_uint4(x, x, x, x); }
static __device__ __forceinline__ unsigned any(unsigned x) { return x; }
static __device__ __forceinline__ unsigned any(uint4 x) { return x.x | x.w; }

template <typename T>
static __device__ __forceinline__ T *first(char *data, int apart, int own) {
  return reinterpret_cast<T *>(data + static_cast<size_t>(warp_index()) * own + (threadIdx.x & 31) * apart);
}
template <typename T>
static __device__ __forceinline__ T *moved(T *at, size_t bytes) {
  return reinterpret_cast<T *>(reinterpret_cast<char *>(at) + bytes);
}

template <typename T>
static __device__ __forceinline__ void stores(unsigned *times, char *data, int count, int apart, int step, int own) {
  T *at = first<T>(data, apart, own);
  __syncthreads();
  const unsigned start = now();
#pragma unroll 4
  for (int i = 0; i < count; ++i, at = moved(at, step)) *at = value_of<T>(i);
  keep(times, start, now());
}

// Four under way: they are read, and `away` bytes further written where that is not 0.
template <typename T, bool STORES>
static __device__ __forceinline__ void loads(unsigned *times, char *data, int count, int apart, int step, int own, int away) {
  T *at = first<T>(data, apart, own);
  unsigned sum = 0;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; i += 4, at = moved(at, 4 * static_cast<size_t>(step))) {
    T got[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) got[k] = *moved(at, k * static_cast<size_t>(step));
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      if (STORES) *moved(at, k * static_cast<size_t>(step) + away) = got[k];
      if (!STORES) sum |= any(got[k]);
    }
  }
  use(times, sum);
  keep(times, start, now());
}

#define STORE(NAME, T)                                                                                            \
  extern "C" __global__ void NAME(unsigned *times, char *data, int count, int apart, int step, int own) {         \
    stores<T>(times, data, count, apart, step, own);                                                              \
  }
#define LOAD(NAME, T, STORES)                                                                                     \
  extern "C" __global__ void NAME(unsigned *times, char *data, int count, int apart, int step, int own, int away) { \
    loads<T, STORES>(times, data, count, apart, step, own, away);                                                 \
  }
STORE(store_apart, unsigned)
STORE(stream_stores, uint4)
LOAD(stream_loads, uint4, false)
LOAD(stream_copies, uint4, true)
LOAD(copy_apart, unsigned, true)
