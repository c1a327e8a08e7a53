// What a warp waits for a group of N copies that L1 holds: LDGSTS of WIDTH bytes a lane, a line's worth beside another,
// right behind a barrier of all warps. Warps' lines lie `apart`, 0 for the same ones.
// held_waits.csv has the cycles from the first copy to where its group has come, of the last six of ten times together
// and the mean of the warps (waits), and the last time's from the first warp's beginning to the last one's end (span),
// the middle of three launches of one block on an H200 at 1980 MHz, L2 warm. nvcc -arch=sm_90 -cubin; see test_held_waits.py.
#include "stamp.cuh"
template <int WIDTH, int N> static __device__ __forceinline__ void body(unsigned *out, const char *data, int apart, int never) {
  extern __shared__ __align__(1024) char shared[];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, opaque = lane + never;
  const unsigned to = (unsigned)__cvta_generic_to_shared(shared) + (warp * N * 32 + lane) * WIDTH;
  const char *from = data + warp * apart + lane * WIDTH;
  unsigned a = 0, b = 0, c = 0, sum = 0;
#pragma unroll 1
  for (int i = 0; i < 10; i++) {
    __syncthreads();
    if (never == 7) {
      __syncthreads();
      out[0] = a;
    }
    STAMP(a)
#pragma unroll
    for (int j = 0; j < N; j++)
      asm volatile("cp.async.ca.shared.global [%0],[%1],%2;" ::"r"(to + j * 32 * WIDTH), "l"(from + j * 32 * WIDTH), "n"(WIDTH));
    STAMP(c)
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    STAMP(b)
    if (i >= 4) sum += b - a;
  }
  if (lane == 0) out[warp * 4] = a, out[warp * 4 + 1] = c, out[warp * 4 + 2] = b, out[warp * 4 + 3] = sum;
}
#define K(W, N) \
  extern "C" __global__ void __launch_bounds__(1024) hold_##W##_##N(unsigned *o, const char *d, int apart, int never) { body<W, N>(o, d, apart, never); }
#define KK(W) K(W, 1) K(W, 2) K(W, 4) K(W, 8)
KK(4) KK(8) KK(16)
