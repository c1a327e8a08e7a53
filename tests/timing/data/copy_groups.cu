// LDGSTS through L1 into a ring of three stages, G a group, or 32 of them as one group: WIDTH bytes a lane, rows of `row` bytes
// `stride` apart, to places `pitch` apart. All warps copy the same two pieces by turns.
// copy_groups.csv has the cycles of the second of two rounds, from the first warp's beginning to the last one's end, the last
// of three launches of one block on an H200 at 1980 MHz, L2 warm. nvcc -arch=sm_90 -cubin; see test_copy_groups.py.
static __device__ __forceinline__ unsigned now() {
  unsigned cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}
template <int WIDTH> __device__ __forceinline__ void copy(unsigned to, const char* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(WIDTH) : "memory");
}
template <int WIDTH, int G>
static __device__ __forceinline__ void ring(const char *data, unsigned *out, int row, int stride, int pitch, int rounds) {
  extern __shared__ uint4 shared[];
  constexpr int STAGES = G == 32 ? 1 : 3;
  const unsigned byte = threadIdx.x % 32 * WIDTH, warp = threadIdx.x >> 5;
  const int rows = 32 * WIDTH / row, along = rows * pitch, step = rows * stride;
  const unsigned home = (unsigned)__cvta_generic_to_shared(shared) + warp * STAGES * G * along + byte / row * pitch + byte % row;
  const char *from = data + byte / row * stride + byte % row;
  unsigned start = 0, end = 0;
  for (int time = 0; time < 2; ++time) {
    unsigned to = home, stage = 0;
    __syncthreads();
    start = now();
    for (int r = 0; r < rounds; ++r) {
#pragma unroll
      for (int j = 0; j < G; ++j) copy<WIDTH>(to + j * along, from + j % 2 * step);
      asm volatile("cp.async.commit_group;" ::: "memory");
      asm volatile("cp.async.wait_group 1;" ::: "memory");
      to += G * along;
      if (++stage == STAGES) stage = 0, to = home;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    end = now();
  }
  if (threadIdx.x % 32 == 0) out[2 * warp] = start, out[2 * warp + 1] = end;
}
#define ONE(W, G)                                                                                                       \
  extern "C" __global__ void hit_##W##_##G(const char *d, unsigned *c, int row, int stride, int pitch, int rounds) {     \
    ring<W, G>(d, c, row, stride, pitch, rounds);                                                                       \
  }
#define ALL(W) ONE(W, 1) ONE(W, 2) ONE(W, 4) ONE(W, 8) ONE(W, 32)
ALL(4) ALL(8) ALL(16)
