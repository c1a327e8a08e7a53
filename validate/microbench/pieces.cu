// The epilogue of a GEMM taken apart: a warp's instruction reaches `bytes` (16 to 256) of each of several rows, `pitch`
// bytes apart, and the next one what lies beside them. What counts there is requests, of one line each, not bytes.
// Stores go to what lies `away` bytes behind what was loaded, or in its place.
#include "clock.cuh"

// Warps lie side by side, `count` instructions wide, and then below each other: where a lane's first T is.
template <typename T>
static __device__ __forceinline__ size_t first(int count, int bytes, int pitch) {
  const unsigned warp = warp_index(), byte = (threadIdx.x & 31) * sizeof(T);
  const unsigned beside = pitch / (count * bytes), rows = 32 * sizeof(T) / bytes;
  const size_t row = warp / beside * rows + byte / bytes;
  return row * pitch + warp % beside * count * bytes + byte % bytes;
}

static __device__ __forceinline__ float half_of(float x) { return x * 0.5f; }
static __device__ __forceinline__ float2 half_of(float2 x) { return make_float2(x.x * 0.5f, x.y * 0.5f); }
static __device__ __forceinline__ float all(float x) { return x; }
static __device__ __forceinline__ float all(float2 x) { return x.x + x.y; }

template <typename T, bool LOADS, bool STORES, int EACH>
static __device__ __forceinline__ void move(unsigned *times, char *data, int count, int bytes, int pitch, int away) {
  char *at = data + first<T>(count, bytes, pitch);
  T got[EACH];
#pragma unroll
  for (int k = 0; k < EACH; ++k) got[k] = T();
  float sum = 0.0f;
  __syncthreads();
  const unsigned start = now();
#pragma unroll(EACH == 1 ? 4 : 1)
  for (int i = 0; i < count; i += EACH, at += EACH * bytes) {
    if (LOADS) {
#pragma unroll
      for (int k = 0; k < EACH; ++k) got[k] = *reinterpret_cast<const T *>(at + k * bytes);
    }
#pragma unroll
    for (int k = 0; k < EACH; ++k) {
      if (STORES) *reinterpret_cast<T *>(at + k * bytes + away) = half_of(got[k]);
      if (!STORES) sum += all(got[k]);
    }
  }
  const unsigned end = now();
  use(times, __float_as_uint(sum));
  keep(times, start, end);
}

#define PIECES(NAME, T, LOADS, STORES, EACH)                                                                 \
  extern "C" __global__ void NAME(unsigned *times, char *data, int count, int bytes, int pitch, int away) {  \
    move<T, LOADS, STORES, EACH>(times, data, count, bytes, pitch, away);                                    \
  }

PIECES(load_pieces_x8, float2, true, false, 8)
PIECES(store_pieces_x8, float2, false, true, 8)
PIECES(scale_pieces_x8, float2, true, true, 8)
// One load and one store after the other: what a compiler makes of a GEMM whose C may be its D.
PIECES(scale_pieces_x1, float2, true, true, 1)
// The same in f16: parts of sectors.
PIECES(store_narrow_x8, float, false, true, 8)
PIECES(scale_narrow_x1, float, true, true, 1)
