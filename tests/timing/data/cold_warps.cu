// Blocks that copy rows step by step, P LDGSTS a warp past L1 (cg) or through it (ca), S stages, behind a barrier each. Rows of
// `row` bytes, `stride` apart, of a warp `own` bytes behind those of another, of a block `block` bytes, of a step `next` bytes.
// cold_warps.csv has the cycles of all steps but the first four, in the mean of all blocks, the median of four launches on an
// H200 at 1980 MHz: `none` behind the same launch, `read` behind one that has read 512 MiB of other lines. `at` is where the
// rows of the last launch lie in a process's first array of 8 GiB. nvcc -arch=sm_90 -cubin; see test_cold_warps.py.
static __device__ __forceinline__ unsigned now() {
  unsigned cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}
template <int P, int S, int CA>
static __device__ __forceinline__ void steps(const char *data, unsigned *out, int row, int stride, int next, int own, int block, int count) {
  extern __shared__ uint4 ring[];
  const int lanes = row / 16, rows = 32 / lanes;
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned home = (unsigned)__cvta_generic_to_shared(ring) + threadIdx.x * 16;
  const char *from = data + blockIdx.x * (long)block + warp * own + lane / lanes * stride + lane % lanes * 16;
  const int step = rows * stride;
  unsigned stage = 0;
  unsigned start = 0;
  for (int i = 0; i < count; ++i) {
    if (i == 4) start = now();
#pragma unroll
    for (int j = 0; j < P; ++j)
      if (CA) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(home + (stage * P + j) * blockDim.x * 16), "l"(from + j * step) : "memory");
      else asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(home + (stage * P + j) * blockDim.x * 16), "l"(from + j * step) : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group %0;" ::"n"(S - 1) : "memory");
    __syncthreads();
    from += next;
    if (++stage == S) stage = 0;
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = now() - start;
}
#define ONE(C, P, S, N) extern "C" __global__ void N##_##P##_##S(const char *d, unsigned *o, int row, int stride, int next, int own, int block, int count) { steps<P, S, C>(d, o, row, stride, next, own, block, count); }
ONE(0, 1, 1, cg) ONE(0, 4, 1, cg) ONE(0, 1, 3, cg) ONE(0, 4, 3, cg) ONE(1, 1, 1, ca) ONE(1, 4, 1, ca) ONE(1, 1, 3, ca) ONE(1, 4, 3, ca)
