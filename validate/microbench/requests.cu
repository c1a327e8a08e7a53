// What L2 serves, by what a request asks for. Loads, past L1 or through it, four a step and warp: `row` bytes are next to
// each other, the second half of them `gap` bytes further, and rows `pitch` bytes apart. A warp's next load begins behind
// those of all warps, back at the start after `region` bytes (a power of two). `share` blocks read the same region; each
// has its own where that is 1. Stores go the same way.
#include "clock.cuh"

static __device__ __forceinline__ unsigned word(unsigned x) { return x; }
static __device__ __forceinline__ unsigned word(uint4 x) { return x.x ^ x.y ^ x.z ^ x.w; }

struct Way {
  int at, all, last;
  char *from;
  __device__ __forceinline__ Way(char *data, int width, int row, int gap, int pitch, int region, int share) {
    const int lanes = row / width, lane = threadIdx.x & 31, in = lane % lanes, size = 32 / lanes * pitch;
    from = data + static_cast<size_t>(blockIdx.x / share) * region + lane / lanes * pitch + in * width;
    from += 2 * in >= lanes && lanes > 1 ? gap : 0;
    last = region - 1;
    at = (threadIdx.x >> 5) * size & last;
    all = size * (blockDim.x >> 5);
  }
  __device__ __forceinline__ char *next() {
    char *const here = from + at;
    at = (at + all) & last;
    return here;
  }
};

#define REQUESTS(NAME, T, LOAD)                                                                                        \
  extern "C" __global__ void NAME(unsigned *times, char *data, int steps, int row, int gap, int pitch, int region,     \
                                  int share) {                                                                         \
    Way way(data, sizeof(T), row, gap, pitch, region, share);                                                          \
    unsigned sum = 0;                                                                                                  \
    __syncthreads();                                                                                                   \
    const unsigned start = now();                                                                                      \
    _Pragma("unroll 1") for (int i = 0; i < steps; ++i) {                                                              \
      T got[4];                                                                                                        \
      _Pragma("unroll") for (int k = 0; k < 4; ++k) got[k] = LOAD(reinterpret_cast<const T *>(way.next()));            \
      _Pragma("unroll") for (int k = 0; k < 4; ++k) sum ^= word(got[k]);                                               \
    }                                                                                                                  \
    use(times, sum);                                                                                                   \
    keep(times, start, now());                                                                                         \
  }
REQUESTS(requests_16, uint4, __ldcg)
REQUESTS(requests_4, unsigned, __ldcg)
REQUESTS(misses_16, uint4, *)

extern "C" __global__ void stored_16(unsigned *times, char *data, int steps, int row, int gap, int pitch, int region,
                                     int share) {
  Way way(data, sizeof(uint4), row, gap, pitch, region, share);
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (int k = 0; k < 4; ++k) *reinterpret_cast<uint4 *>(way.next()) = make_uint4(i, k, i, k);
  }
  keep(times, start, now());
}
