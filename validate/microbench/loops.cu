// Main loops of GEMMs, whole: loads from global memory, stores to shared memory, barriers, ldmatrix and mma.
#include "clock.cuh"

extern __shared__ __align__(128) uint4 tile[];

// Registers carry the next tile while this one is multiplied. Each warp moves MOVES stretches of 512 bytes a step and
// multiplies an (M, N) grid of tiles twice. Blocks b and b + period read the same.
template <int MOVES, int M, int N, bool ROWS = false>
static __device__ __forceinline__ void prefetched(unsigned *times, const uint4 *data, int steps, int period) {
  const unsigned warps = blockDim.x >> 5, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  // a stretch is 512 bytes in a row, or 8 rows of 64 bytes
  const int pitch = 4 * steps, stretch = ROWS ? 8 * pitch : 32, step_by = ROWS ? 4 : 32 * MOVES;
  const uint4 *from = data + ((blockIdx.x % period) * warps + warp) * 32 * MOVES * steps;
  from += ROWS ? lane / 4 * pitch + lane % 4 : lane;
  const unsigned base = shared_address(tile) + lane * 16;
  uint4 *to = tile + warp * 32 * MOVES + lane;
  float d[M][N][4] = {};
  uint4 next[MOVES];
  __syncthreads();
  const unsigned start = now();
#pragma unroll
  for (int k = 0; k < MOVES; ++k) next[k] = from[stretch * k];
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < MOVES; ++k) to[32 * k] = next[k];
    __syncthreads();
    if (step + 1 < steps) {
      from += step_by;
#pragma unroll
      for (int k = 0; k < MOVES; ++k) next[k] = from[stretch * k];
    }
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      unsigned a[M][4], b[(N + 1) / 2][4];
#pragma unroll
      for (int m = 0; m < M; ++m) ldmatrix4(a[m], base + 512 * ((m + half * M) % MOVES));
#pragma unroll
      for (int n = 0; n < (N + 1) / 2; ++n) ldmatrix4(b[n], base + 512 * ((n + half * N) % MOVES));
#pragma unroll
      for (int m = 0; m < M; ++m)
#pragma unroll
        for (int n = 0; n < N; ++n) mma(d[m][n], a[m], b[n / 2][2 * (n % 2)], b[n / 2][2 * (n % 2) + 1]);
    }
    __syncthreads();
  }
  const unsigned end = now();
  float sum = 0;
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) sum += d[m][n][0] + d[m][n][1] + d[m][n][2] + d[m][n][3];
  use(times, static_cast<unsigned>(sum));
  keep(times, start, end);
}

extern "C" __global__ void prefetched_2_2x2(unsigned *times, const uint4 *data, int steps, int period) {
  prefetched<2, 2, 2>(times, data, steps, period);
}
extern "C" __global__ void prefetched_4_2x4(unsigned *times, const uint4 *data, int steps, int period) {
  prefetched<4, 2, 4>(times, data, steps, period);
}
extern "C" __global__ void prefetched_4_4x4(unsigned *times, const uint4 *data, int steps, int period) {
  prefetched<4, 4, 4>(times, data, steps, period);
}

extern "C" __global__ void prefetched_rows_4_4x4(unsigned *times, const uint4 *data, int steps, int period) {
  prefetched<4, 4, 4, true>(times, data, steps, period);
}

#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
// The same with cp.async and STAGES tiles in flight.
template <int MOVES, int M, int N, int STAGES>
static __device__ __forceinline__ void copied(unsigned *times, const uint4 *data, int steps, int period) {
  const unsigned warps = blockDim.x >> 5, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const uint4 *from = data + ((blockIdx.x % period) * warps + warp) * 32 * MOVES * steps + lane;
  const unsigned stage_bytes = warps * MOVES * 512;
  const unsigned to = shared_address(tile) + warp * MOVES * 512 + lane * 16;
  const unsigned base = shared_address(tile) + lane * 16;
  float d[M][N][4] = {};
  auto fetch = [&](int step) {
    if (step < steps) {
#pragma unroll
      for (int k = 0; k < MOVES; ++k)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + (step % STAGES) * stage_bytes + 512 * k),
                     "l"(from + 32 * (step * MOVES + k)));
    }
    asm volatile("cp.async.commit_group;");
  };
  __syncthreads();
  const unsigned start = now();
  for (int step = 0; step < STAGES - 1; ++step) fetch(step);
  for (int step = 0; step < steps; ++step) {
    asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
    __syncthreads();
    fetch(step + STAGES - 1);
    const unsigned stage = base + (step % STAGES) * stage_bytes;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      unsigned a[M][4], b[(N + 1) / 2][4];
#pragma unroll
      for (int m = 0; m < M; ++m) ldmatrix4(a[m], stage + 512 * ((m + half * M) % MOVES));
#pragma unroll
      for (int n = 0; n < (N + 1) / 2; ++n) ldmatrix4(b[n], stage + 512 * ((n + half * N) % MOVES));
#pragma unroll
      for (int m = 0; m < M; ++m)
#pragma unroll
        for (int n = 0; n < N; ++n) mma(d[m][n], a[m], b[n / 2][2 * (n % 2)], b[n / 2][2 * (n % 2) + 1]);
    }
  }
  const unsigned end = now();
  float sum = 0;
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) sum += d[m][n][0] + d[m][n][1] + d[m][n][2] + d[m][n][3];
  use(times, static_cast<unsigned>(sum));
  keep(times, start, end);
}

extern "C" __global__ void copied_4_2x4_3(unsigned *times, const uint4 *data, int steps, int period) {
  copied<4, 2, 4, 3>(times, data, steps, period);
}
extern "C" __global__ void copied_2_2x2_4(unsigned *times, const uint4 *data, int steps, int period) {
  copied<2, 2, 2, 4>(times, data, steps, period);
}

// cp.async alone: each warp copies `count` stretches of 512 bytes, EACH to a group.
extern "C" __global__ void copy_x4(unsigned *times, const uint4 *data, int count, int period) {
  const unsigned warps = blockDim.x >> 5, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  const uint4 *from = data + ((blockIdx.x % period) * warps + warp) * 32 * count + lane;
  const unsigned to = shared_address(tile) + warp * 2048 + lane * 16;
  __syncthreads();
  const unsigned start = now();
  for (int i = 0; i < count; i += 4) {
#pragma unroll
    for (int k = 0; k < 4; ++k)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + 512 * k), "l"(from + 32 * (i + k)));
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  }
  const unsigned end = now();
  keep(times, start, end);
}
#endif

// The latency of L2 while the other warps keep the tensor cores, and so the clock, where kernels with mma have them.
extern "C" __global__ void chase_beside_mma(unsigned *times, const unsigned *data, int count, int step) {
  __shared__ volatile unsigned done, from, to;
  const unsigned before = now();
  if (threadIdx.x == 0) done = 0;
  __syncthreads();
  if (threadIdx.x >= 32) {
    float d[4] = {};
    const unsigned a[4] = {};
    while (!done)
      for (int i = 0; i < 8; ++i) mma(d, a, 0, 0);
    use(times, static_cast<unsigned>(d[0] + d[1] + d[2] + d[3]));
  } else {
    while (now() - before < 8000) continue;
    unsigned at = threadIdx.x & 31;
    const unsigned start = now();
    for (int i = 0; i < count; ++i) at += data[at] + step;
    const unsigned end = now();
    done = 1, from = start, to = end;
    use(times, at);
  }
  __syncthreads();
  keep(times, from, to);
}
