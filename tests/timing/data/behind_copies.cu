// When SHFL behind LDGSTS past L1 bring something: each warp of one block copies N times 512 bytes, `row` bytes of rows `stride` bytes
// apart that land `pitch` bytes apart, with an LDGDEPBAR behind them (grouped_N) or none (loose_N), then exchanges three times, one after
// the other. The second of two rounds is told, which begins at a barrier when all has come: behind_copies.csv has the cycles, on
// an H200 at 1980 MHz, L2 warm, the last of three launches: of the first warp and of the last one, when its copies had
// issued, when each SHFL was back, and when all had come. nvcc -arch=sm_90 -cubin; see test_behind_copies.py.
static __device__ __forceinline__ unsigned now() {
  unsigned cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}
template <int N, int GROUP>
static __device__ __forceinline__ void copies(const char *data, unsigned *cycles, int row, int stride, int pitch) {
  extern __shared__ uint4 ring[];
  const int lanes = row / 16, rows = 32 / lanes;
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned home = (unsigned)__cvta_generic_to_shared(ring) + warp * N * rows * pitch;
  const unsigned to = home + lane / lanes * pitch + lane % lanes * 16;
  const char *from = data + warp * 262144 + lane / lanes * stride + lane % lanes * 16;
  const int step = rows * stride, along = rows * pitch;
  unsigned at[5], sum = lane;
  for (int round = 0; round < 2; ++round) {
    __syncthreads();
    const unsigned start = now();
#pragma unroll
    for (int i = 0; i < N; ++i)
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + i * along), "l"(from + i * step) : "memory");
    if (GROUP) asm volatile("cp.async.commit_group;" ::: "memory");
    at[0] = now() - start;
#pragma unroll
    for (int k = 1; k < 4; ++k) {
      asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, 0xffffffff;" : "+r"(sum) :: "memory");
      if (sum == 0x12345) cycles[lane] = 1;
      at[k] = now() - start;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    at[4] = now() - start;
  }
  if (lane == 0)
    for (int i = 0; i < 5; ++i) cycles[warp * 5 + i] = at[i];
}
#define COPIES(N)                                                                                              \
  extern "C" __global__ void loose_##N(const char *data, unsigned *cycles, int row, int stride, int pitch) {   \
    copies<N, 0>(data, cycles, row, stride, pitch);                                                            \
  }                                                                                                            \
  extern "C" __global__ void grouped_##N(const char *data, unsigned *cycles, int row, int stride, int pitch) { \
    copies<N, 1>(data, cycles, row, stride, pitch);                                                            \
  }
COPIES(1) COPIES(2) COPIES(3) COPIES(4) COPIES(6) COPIES(8) COPIES(12) COPIES(16) COPIES(24)
