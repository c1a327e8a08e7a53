// Rounds of loads that DRAM answers. A round is a load of each warp and a barrier: `lines` of a warp, `stride` bytes apart, those
// of the next warp `apart` bytes further, those of the next round `step`, those of the next block `block`. What a round takes in
// the mean of all, and of all blocks, is in cold_rounds.csv: on an H200, on one beside its profiler, which flushes L2 (elsewhere
// 256 MB are read before), and on an H100. nvcc -arch=sm_90 -cubin; see test_cold_rounds.py.

static __device__ __forceinline__ unsigned now() {
  unsigned c;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
  return c;
}

extern "C" __global__ void cold(unsigned *out, const char *d, int rounds, int lines, int stride, int apart, int step,
                                long long block) {
  __shared__ volatile unsigned s[32];
  int w = threadIdx.x >> 5, l = threadIdx.x & 31, per = 32 / lines;
  const char *p = d + blockIdx.x * block + (size_t)w * apart + (size_t)(l / per) * stride + (l % per) * 4;
  unsigned t0 = now();
#pragma unroll 1
  for (int r = 0; r < rounds; r++) {
    unsigned v;
    asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
    s[w] = v;
    __syncthreads();
    p += step;
  }
  unsigned t1 = now();
  if (threadIdx.x == 0) out[blockIdx.x] = t1 - t0;
}
