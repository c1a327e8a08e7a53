// Which warps of a sub-core go on: 16 times four FFMA of eight chains and a clock, straight on, behind a barrier that all
// pass at once. The clocks' stall count, and whether they ask for another warp (y), were set in the cubin: kernel
// fours_5y has a stall count of 5 and asks. active_warps.csv has when each warp of the first sub-core ends, in cycles from
// the first clock of any warp, the last of three rounds, one block on an H200 at 1980 MHz. nvcc -arch=sm_90 -cubin; see
// test_active_warps.py.
#include "stamp.cuh"
#define FMA(k) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x[k]) : "f"(y));
extern __shared__ __align__(1024) char shared[];
extern "C" __global__ void __launch_bounds__(1024) fours(unsigned *out, const char *g0, int never, int per) {
  unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, t[17], u[8], opaque = lane + never;
  float x[8], y = 1.5f + never;
  for (int k = 0; k < 17; k++) t[k] = lane;
  for (int k = 0; k < 8; k++) u[k] = lane * k, x[k] = 0.25f * lane + k;
#pragma unroll 1
  for (int p = 0; p < 3; p++) {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    if (never == 7) {
      __syncthreads();
      out[0] = u[0];
    }
    STAMP(t[0])
#pragma unroll
    for (int s = 1; s < 17; s++) {
#pragma unroll
      for (int k = 0; k < 4; k++) FMA((4 * (s - 1) + k) % 8)
      STAMP(t[s])
    }
  }
  unsigned f = 0;
  for (int k = 0; k < 8; k++) f ^= u[k] ^ __float_as_uint(x[k]);
  if (f == 12345u) out[1] = f;
  if (lane == 0)
    for (int k = 0; k < 17; k++) out[(blockIdx.x * (blockDim.x / 32) + warp) * 17 + k] = t[k];
}
