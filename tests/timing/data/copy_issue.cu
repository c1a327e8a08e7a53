// When LDGSTS issue that follow one another, past L1 (cg_ROW) or through it (ca_ROW): 24 of 16 bytes a lane, of rows of ROW bytes
// `stride` bytes apart. The clock behind each goes to a register of its address, as soon as that may be overwritten; the second of
// two rounds is told, which begins at a barrier when all has come. copy_issue.csv has the cycles of each LDGSTS of the first
// warp and of the last one, one block on an H200 at 1980 MHz, L2 warm, the last of three launches. nvcc -arch=sm_90 -cubin; see
// test_copy_issue.py.

static __device__ __forceinline__ unsigned now() {
  unsigned cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}

template <int ROW, int THROUGH>
static __device__ __forceinline__ void issue(const char *data, unsigned *cycles, int stride) {
  extern __shared__ uint4 ring[];
  constexpr int LANES = ROW / 16, ROWS = 32 / LANES;
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned to = (unsigned)__cvta_generic_to_shared(ring) + warp * 12288 + lane * 16;
  const char *from = data + warp * 262144 + lane / LANES * stride + lane % LANES * 16;
  unsigned at[24];
  for (int round = 0; round < 2; ++round) {
    __syncthreads();
    const unsigned start = now();
#pragma unroll
    for (int i = 0; i < 24; ++i) {
      if (THROUGH)
        asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to + i * 512), "l"(from + i * ROWS * stride) : "memory");
      else
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + i * 512), "l"(from + i * ROWS * stride) : "memory");
      at[i] = now() - start;
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
  }
  if (lane == 0)
    for (int i = 0; i < 24; ++i) cycles[(blockIdx.x * (blockDim.x >> 5) + warp) * 24 + i] = at[i];
}

#define ISSUE(ROW)                                                                        \
  extern "C" __global__ void cg_##ROW(const char *data, unsigned *cycles, int stride) {   \
    issue<ROW, 0>(data, cycles, stride);                                                  \
  }                                                                                       \
  extern "C" __global__ void ca_##ROW(const char *data, unsigned *cycles, int stride) {   \
    issue<ROW, 1>(data, cycles, stride);                                                  \
  }
ISSUE(16)
ISSUE(32)
ISSUE(128)
ISSUE(512)
