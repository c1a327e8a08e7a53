// LDG that hits L1, many warps: what it costs by the lines and words that a warp reaches. `words` lanes lie side by side,
// the next ones `pitch` bytes further; all begin `offset` bytes behind a line. The first of two passes fills L1.
#include "clock.cuh"

static __device__ __forceinline__ unsigned any(unsigned x) { return x; }
static __device__ __forceinline__ unsigned any(uint2 x) { return x.x | x.y; }
static __device__ __forceinline__ unsigned any(uint4 x) { return x.x | x.w; }

template <typename T>
static __device__ __forceinline__ void hits(unsigned *times, const char *data, int count, int words, int pitch, int offset) {
  const unsigned lane = threadIdx.x & 31;
  const char *from = data + offset + lane / words * pitch + lane % words * sizeof(T);
  unsigned sum = 0, start = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    __syncthreads();
    start = now();
#pragma unroll 1
    for (int i = 0; i < count; i += 8) {
      T got[8];
#pragma unroll
      for (int k = 0; k < 8; ++k) got[k] = *reinterpret_cast<const T *>(from + 8192 * k);
#pragma unroll
      for (int k = 0; k < 8; ++k) sum |= any(got[k]);
      from += sum;
    }
  }
  use(times, sum);
  keep(times, start, now());
}
extern "C" __global__ void hits_32(unsigned *times, const char *data, int count, int words, int pitch, int offset) {
  hits<unsigned>(times, data, count, words, pitch, offset);
}
extern "C" __global__ void hits_64(unsigned *times, const char *data, int count, int words, int pitch, int offset) {
  hits<uint2>(times, data, count, words, pitch, offset);
}
extern "C" __global__ void hits_128(unsigned *times, const char *data, int count, int words, int pitch, int offset) {
  hits<uint4>(times, data, count, words, pitch, offset);
}
