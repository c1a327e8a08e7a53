// Warps read rows STRIDE bytes apart past L1, 16 or 32 bytes of each by LDGSTS into a ring of four steps, or a word by LDG;
// each step goes on SHIFT bytes in the same rows. Every block reads the same ones; its warps' are 64 KiB apart.
// same_rows.csv has the clocks of a step, the mean of all blocks: what 96 steps take longer than 32, over 64.
// nvcc -arch=sm_90 -cubin; see test_same_rows.py.

template <int ROW>
__device__ __forceinline__ void copy(const char *data, unsigned *times, int steps, int stride, int shift) {
  extern __shared__ uint4 ring[];
  constexpr int LANES = ROW / 16, ROWS = 32 / LANES;
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  const unsigned to = (unsigned)__cvta_generic_to_shared(ring) + warp * 2048 + lane * 16;
  const char *from = data + warp * 65536 + lane / LANES * stride + lane % LANES * 16;
  __syncthreads();
  const unsigned start = clock();
  for (int i = 0; i < steps; ++i) {
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const char *row = from + (i * shift & 1023) + j * ROWS * stride;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + j * 512 + (i & 3) * warps * 2048), "l"(row));
    }
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group 3;");
  }
  asm volatile("cp.async.wait_all;");
  __syncthreads();
  if (threadIdx.x == 0) times[blockIdx.x] = clock() - start;
}
extern "C" __global__ void copy_16(const char *data, unsigned *times, int steps, int stride, int shift) {
  copy<16>(data, times, steps, stride, shift);
}
extern "C" __global__ void copy_32(const char *data, unsigned *times, int steps, int stride, int shift) {
  copy<32>(data, times, steps, stride, shift);
}
extern "C" __global__ void load(const char *data, unsigned *times, int steps, int stride, int shift) {
  const char *from = data + (threadIdx.x >> 5) * 65536 + (threadIdx.x & 31) * stride;
  unsigned sum = 0;
  __syncthreads();
  const unsigned start = clock();
  for (int i = 0; i < steps; ++i) {
    unsigned found[8];
#pragma unroll
    for (int j = 0; j < 8; ++j)
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(found[j]) : "l"(from + (i * shift & 1023) + j * 32 * stride));
#pragma unroll
    for (int j = 0; j < 8; ++j) sum ^= found[j];
  }
  __syncthreads();
  if (threadIdx.x == 0) times[blockIdx.x] = clock() - start + (sum == 12345);
}
