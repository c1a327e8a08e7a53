// Which SMs share a port: all store, or read the same lines, but for a pair of SMs. Who shares a port with those is faster.
// `times` is in the order of the SMs, of which each has one block.
#include "clock.cuh"

static __device__ __forceinline__ unsigned sm() {
  unsigned number;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(number));
  return number;
}

static __device__ __forceinline__ void keep_here(unsigned *times, unsigned start, unsigned end) {
  if ((threadIdx.x & 31) == 0) {
    const unsigned warp = (sm() * blockDim.x + threadIdx.x) >> 5;
    times[2 * warp] = start;
    times[2 * warp + 1] = end;
  }
}

// Each warp a sector of each of eight lines, then the next sector of each, and so on.
extern "C" __global__ void store_but(unsigned *times, char *data, int count, int idle) {
  if (static_cast<int>(sm() >> 1) == idle) return;
  const unsigned warp = (sm() * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  float2 *at = reinterpret_cast<float2 *>(data + static_cast<size_t>(warp) * count * 256 + lane / 4 * count * 32) + lane % 4;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 4
  for (int i = 0; i < count; ++i) at[4 * i] = make_float2(0.0f, 0.0f);
  keep_here(times, start, now());
}

// All SMs the same lines, which are new to each.
extern "C" __global__ void load_but(unsigned *times, const float4 *data, int count, int idle) {
  if (static_cast<int>(sm() >> 1) == idle) return;
  const float4 *at = data + threadIdx.x;
  float sum = 0.0f;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; i += 8) {
    float4 got[8];
#pragma unroll
    for (int k = 0; k < 8; ++k) got[k] = at[(i + k) * blockDim.x];
#pragma unroll
    for (int k = 0; k < 8; ++k) sum += got[k].x + got[k].y + got[k].z + got[k].w;
  }
  const unsigned end = now();
  use(times, __float_as_uint(sum));
  keep_here(times, start, end);
}

// Both halves of 64 bytes, one a while after the other: are they one request or two?
extern "C" __global__ void store_halves(unsigned *times, char *data, int count, int between) {
  const unsigned warp = warp_index(), lane = threadIdx.x & 31;
  float2 *at = reinterpret_cast<float2 *>(data + static_cast<size_t>(warp) * count * 512 + lane / 4 * count * 64) + lane % 4;
  unsigned x = lane;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    at[8 * i] = make_float2(0.0f, 0.0f);
#pragma unroll 1
    for (int k = 0; k < between; ++k) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x));
    at[8 * i + 4] = make_float2(0.0f, __uint_as_float(x & 32));
#pragma unroll 1
    for (int k = 0; k < between; ++k) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(x));
  }
  const unsigned end = now();
  use(times, x);
  keep(times, start, end);
}
