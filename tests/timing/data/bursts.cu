// 32 copies or loads of each warp at once, all of other lines: LDGSTS through L1 (ca) or past it (cg), or LDG, `WIDTH` bytes a
// lane, rows of `row` bytes `stride` bytes apart. bursts.csv has the cycles from the first warp's beginning to the last one's
// end, in the mean of all blocks, the median of five launches on an H200 at 1980 MHz: `none` behind the same launch, `read`
// behind one that has read 512 MiB of other lines. `at` is where the rows of the last launch lie in a process's first array of
// 8 GiB. nvcc -arch=sm_90 -cubin; see test_bursts.py.
static __device__ __forceinline__ unsigned now() {
  unsigned cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}
// KIND 0: LDGSTS through L1, 1: past it, 2: LDG
template <int WIDTH, int KIND>
static __device__ __forceinline__ void all(const char *data, unsigned *out, int row, int stride) {
  extern __shared__ uint4 ring[];
  constexpr int N = 32;
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const int rows = 32 * WIDTH / row, step = rows * stride;
  const unsigned to = (unsigned)__cvta_generic_to_shared(ring) + warp * N * 32 * WIDTH + lane * WIDTH;
  const char *from = data + (long)(blockIdx.x * (blockDim.x >> 5) + warp) * N * step + lane * WIDTH / row * stride + lane * WIDTH % row;
  unsigned sum = 0, v[N];
  __syncthreads();
  const unsigned start = now();
#pragma unroll
  for (int i = 0; i < N; ++i) {
    const char *f = from + i * step;
    const unsigned t = to + i * 32 * WIDTH;
    if (KIND == 0 && WIDTH == 16) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(t), "l"(f) : "memory");
    if (KIND == 0 && WIDTH == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(t), "l"(f) : "memory");
    if (KIND == 0 && WIDTH == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(t), "l"(f) : "memory");
    if (KIND == 1) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(t), "l"(f) : "memory");
    if (KIND == 2) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(v[i]) : "l"(f) : "memory");
  }
  if (KIND == 2) {
#pragma unroll
    for (int i = 0; i < N; ++i) sum ^= v[i];
    if (sum == 0x12345) out[lane] = 1;
  } else asm volatile("cp.async.wait_all;" ::: "memory");
  const unsigned end = now();
  if (lane == 0) out[2 * (blockIdx.x * (blockDim.x >> 5) + warp)] = start, out[2 * (blockIdx.x * (blockDim.x >> 5) + warp) + 1] = end;
}
#define ONE(N, W, K) extern "C" __global__ void N(const char *d, unsigned *c, int row, int stride) { all<W, K>(d, c, row, stride); }
ONE(ca_4, 4, 0) ONE(ca_8, 8, 0) ONE(ca_16, 16, 0) ONE(cg_16, 16, 1) ONE(ldg_4, 4, 2)
