// What a warp asks for behind N copies of 512 bytes past L1: `row` bytes of rows `stride` bytes apart that land `pitch` bytes apart,
// ROOM bytes into shared memory, with an LDGDEPBAR behind them or none. It asks three times, one after the other, in the second
// of two rounds, each of which begins at a barrier; told are its cycles when its copies have issued, when each answer was
// back, and when all had come.
#pragma once
static __device__ __forceinline__ unsigned now() {
  unsigned cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}
template <int N, int GROUP, class Ask>
static __device__ __forceinline__ void behind(char *data, unsigned *cycles, int row, int stride, int pitch) {
  extern __shared__ uint4 ring[];
  const int lanes = row / 16, rows = 32 / lanes;
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned base = (unsigned)__cvta_generic_to_shared(ring), home = base + Ask::ROOM + warp * N * rows * pitch;
  const unsigned to = home + lane / lanes * pitch + lane % lanes * 16;
  const char *from = data + warp * 262144 + lane / lanes * stride + lane % lanes * 16;
  const Ask ask(data, warp, lane);
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
      if (ask(base, lane, round, k, sum) == 0x12345) cycles[lane] = 1;
      at[k] = now() - start;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    at[4] = now() - start;
  }
  if (lane == 0)
    for (int i = 0; i < 5; ++i) cycles[warp * 5 + i] = at[i];
}
