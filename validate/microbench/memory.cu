// Streams to and from L2 and DRAM, from one SM and from many, alone and mixed with shared memory.
#include "clock.cuh"

static __device__ __forceinline__ unsigned all(unsigned x) { return x; }
static __device__ __forceinline__ unsigned all(uint2 x) { return x.x ^ x.y; }
static __device__ __forceinline__ unsigned all(uint4 x) { return x.x ^ x.y ^ x.z ^ x.w; }

// Each warp loads `count` stretches of 32 T, EACH at a time. Blocks b and b + period read the same.
template <typename T, int EACH>
static __device__ __forceinline__ void load(unsigned *times, const T *data, int count, int period) {
  const unsigned warps = blockDim.x >> 5, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const T *from = data + ((blockIdx.x % period) * warps + warp) * 32 * count + lane;
  unsigned sum = 0;
  __syncthreads();
  const unsigned start = now();
  for (int i = 0; i < count; i += EACH) {
    T got[EACH];
#pragma unroll
    for (int k = 0; k < EACH; ++k) got[k] = from[32 * (i + k)];
#pragma unroll
    for (int k = 0; k < EACH; ++k) sum += all(got[k]);
  }
  const unsigned end = now();
  use(times, sum);
  keep(times, start, end);
}

extern "C" __global__ void load_32_x1(unsigned *times, const unsigned *data, int count, int period) {
  load<unsigned, 1>(times, data, count, period);
}
extern "C" __global__ void load_32_x8(unsigned *times, const unsigned *data, int count, int period) {
  load<unsigned, 8>(times, data, count, period);
}
extern "C" __global__ void load_64_x8(unsigned *times, const uint2 *data, int count, int period) {
  load<uint2, 8>(times, data, count, period);
}
extern "C" __global__ void load_128_x1(unsigned *times, const uint4 *data, int count, int period) {
  load<uint4, 1>(times, data, count, period);
}
extern "C" __global__ void load_128_x2(unsigned *times, const uint4 *data, int count, int period) {
  load<uint4, 2>(times, data, count, period);
}
extern "C" __global__ void load_128_x4(unsigned *times, const uint4 *data, int count, int period) {
  load<uint4, 4>(times, data, count, period);
}
extern "C" __global__ void load_128_x8(unsigned *times, const uint4 *data, int count, int period) {
  load<uint4, 8>(times, data, count, period);
}

// The rows of a tile: 8 rows of 64 bytes an instruction, `pitch` bytes apart, as a GEMM reads A.
extern "C" __global__ void load_rows_x4(unsigned *times, const char *data, int count, int pitch, int period) {
  const unsigned warps = blockDim.x >> 5, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const char *from = data + (((blockIdx.x % period) * warps + warp) * 32 + lane / 4) * pitch + 16 * (lane % 4);
  unsigned sum = 0;
  __syncthreads();
  const unsigned start = now();
  for (int i = 0; i < count; ++i) {
    uint4 got[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) got[k] = *reinterpret_cast<const uint4 *>(from + 8 * k * pitch + 64 * i);
#pragma unroll
    for (int k = 0; k < 4; ++k) sum += all(got[k]);
  }
  const unsigned end = now();
  use(times, sum);
  keep(times, start, end);
}

// One load after another, each address from the value before (0): the latency of every line.
extern "C" __global__ void chase(unsigned *times, const unsigned *data, int count, int step) {
  unsigned at = threadIdx.x & 31;
  __syncthreads();
  const unsigned start = now();
  for (int i = 0; i < count; ++i) at += data[at] + step;
  const unsigned end = now();
  use(times, at);
  keep(times, start, end);
}

template <typename T>
static __device__ __forceinline__ void store(unsigned *times, T *data, int count) {
  const unsigned warps = blockDim.x >> 5, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  T *to = data + (blockIdx.x * warps + warp) * 32 * count + lane;
  const T value = data[lane];
  __syncthreads();
  const unsigned start = now();
#pragma unroll 8
  for (int i = 0; i < count; ++i) to[32 * i] = value;
  const unsigned end = now();
  keep(times, start, end);
}

extern "C" __global__ void store_32(unsigned *times, unsigned *data, int count) { store(times, data, count); }
extern "C" __global__ void store_128(unsigned *times, uint4 *data, int count) { store(times, data, count); }

// The epilogue of a GEMM: 8 rows of 32 bytes an instruction are loaded, scaled and stored elsewhere, or in place.
static __device__ __forceinline__ void scale(unsigned *times, float *data, int count, int pitch, int distance) {
  const unsigned warps = blockDim.x >> 5, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  float2 *at = reinterpret_cast<float2 *>(data + ((blockIdx.x * warps + warp) * 32 + lane / 4) * pitch + 2 * (lane % 4));
  __syncthreads();
  const unsigned start = now();
  for (int i = 0; i < count; ++i, at += 4) {
    float2 got[4];
#pragma unroll
    for (int k = 0; k < 4; ++k) got[k] = at[4 * k * pitch];
#pragma unroll
    for (int k = 0; k < 4; ++k) at[4 * k * pitch + distance] = make_float2(got[k].x * 0.5f, got[k].y * 0.5f);
  }
  const unsigned end = now();
  keep(times, start, end);
}
extern "C" __global__ void scale_rows(unsigned *times, float *data, int count, int pitch) {
  scale(times, data, count, pitch, pitch / 4);
}
extern "C" __global__ void scale_in_place(unsigned *times, float *data, int count, int pitch) {
  scale(times, data, count, pitch, 0);
}

// Two roles: the first half of the warps reads shared memory, the other loads fresh lines (or the rows of a tile) or
// stores.
static __device__ __forceinline__ unsigned read_shared(unsigned from, int count) {
  unsigned sum = 0;
  for (int i = 0; i < count; i += 4) {
    unsigned r[4][4];
#pragma unroll
    for (int k = 0; k < 4; ++k) ldmatrix4(r[k], from + (512 * (i + k) & 0x3fff));
    sum += r[0][0] + r[1][1] + r[2][2] + r[3][3];
  }
  return sum;
}

#define BESIDE(NAME, DECLARE, OTHERS)                                                                         \
  extern "C" __global__ void NAME(unsigned *times, uint4 *data, int count, int others) {                      \
    __shared__ __align__(128) unsigned tile[4096];                                                            \
    for (int i = threadIdx.x; i < 4096; i += blockDim.x) tile[i] = 0;                                         \
    const unsigned warps = blockDim.x >> 5, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;                 \
    uint4 *at = data + (blockIdx.x * warps + warp) * 32 * others;                                             \
    DECLARE;                                                                                                  \
    unsigned sum = 0;                                                                                         \
    __syncthreads();                                                                                          \
    const unsigned start = now();                                                                             \
    if (warp < warps / 2) {                                                                                   \
      sum = read_shared(shared_address(tile) + lane * 16, count);                                             \
    } else {                                                                                                  \
      for (int i = 0; i < others; i += 4) {                                                                   \
        OTHERS;                                                                                               \
      }                                                                                                       \
    }                                                                                                         \
    const unsigned end = now();                                                                               \
    use(times, sum);                                                                                          \
    keep(times, start, end);                                                                                  \
  }
#define LOADS(PLACE)                                             \
  uint4 got[4];                                                  \
  _Pragma("unroll") for (int k = 0; k < 4; ++k) got[k] = PLACE;  \
  _Pragma("unroll") for (int k = 0; k < 4; ++k) sum += all(got[k])

BESIDE(shared_beside_loads, , LOADS(at[32 * (i + k) + lane]))
BESIDE(shared_beside_rows, , LOADS(at[8 * (lane / 4) * 4 + lane % 4 + 4 * ((i + k) % 8) + 256 * ((i + k) / 8)]))
BESIDE(shared_beside_stores, const uint4 value = data[lane],
       _Pragma("unroll") for (int k = 0; k < 4; ++k) at[32 * (i + k) + lane] = value)
