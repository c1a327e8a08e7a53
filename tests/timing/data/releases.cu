// When a barrier lets the warps of a block go that came to it at different times: of all of them, or of groups of `per`.
// Each warp comes after `delays` loops of eight FFMA. releases.csv has by pattern of delays the cycles from the last
// warp's coming to the first (first) and the last instruction (last) behind the barrier that waits for it, of the warps
// of that barrier, in the last of three launches of one block on an H200 at 1980 MHz. nvcc -arch=sm_90 -cubin; see
// test_releases.py.
#include "stamp.cuh"
template <int NAMED> static __device__ __forceinline__ void body(unsigned *out, const int *delays, int per, int never) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, opaque = lane + never;
  unsigned t0 = lane, t1 = lane;
  const int d = delays[warp];
  const unsigned id = 1 + warp / per, n = 32 * per;
  float x = lane;
  __shared__ unsigned s[64];
  s[lane] = 0;
#pragma unroll 1
  for (int p = 0; p < 4; p++) {
    __syncthreads();
#pragma unroll 1
    for (int k = 0; k < 16; k++) asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x));
#pragma unroll 1
    for (int k = 0; k < d; k++) {
#pragma unroll
      for (int j = 0; j < 8; j++) asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x));
    }
    STAMP(t0)
    if (NAMED) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory");
    else __syncthreads();
    if (never == 7) s[lane] = warp;
    STAMP(t1)
  }
  if (x == 1.2345f) out[0] = s[0];
  if (lane == 0) out[warp * 2] = t0, out[warp * 2 + 1] = t1;
}
extern "C" __global__ void __launch_bounds__(1024) bar_all(unsigned *out, const int *d, int per, int never) { body<0>(out, d, per, never); }
extern "C" __global__ void __launch_bounds__(1024) bar_named(unsigned *out, const int *d, int per, int never) { body<1>(out, d, per, never); }
