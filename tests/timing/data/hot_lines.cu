// All warps of all blocks read the same 32 sectors, stride bytes apart, past L1, some rounds; those of each round lie
// 18,432 bytes further: read_cg by LDG, 4 bytes a lane, copy_cg by LDGSTS, 16 bytes a lane, and read_ca by LDG through L1.
// hot_lines.csv has the clocks of an SM from its first block's start to its last one's end, the mean of all SMs, in the
// fourth launch, on an H100. nvcc -arch=sm_90 -cubin; see test_hot_lines.py.

__device__ __forceinline__ unsigned read_one(const char *from, bool past) {
  unsigned found;
  if (past) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(found) : "l"(from));
  else asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(found) : "l"(from));
  return found;
}
template <int HOW>
__device__ __forceinline__ void rounds_of(const char *data, unsigned *stamps, int stride, int rounds) {
  __shared__ uint4 room[1024];
  const char *from = data + (threadIdx.x & 31) * stride;
  unsigned sum = 0, to = (unsigned)__cvta_generic_to_shared(room + threadIdx.x), sm;
  asm volatile("mov.u32 %0, %smid;" : "=r"(sm));
  __syncthreads();
  const unsigned start = clock();
  for (int r = 0; r < rounds; ++r, from += 18432) {
    if (HOW == 2) {
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
      asm volatile("cp.async.wait_all;" ::: "memory");
    } else {
      sum ^= read_one(from, HOW == 0);
    }
  }
  if (sum == 12345) stamps[0] = 1;
  __syncthreads();
  if (threadIdx.x == 0) {
    stamps[blockIdx.x * 3] = sm;
    stamps[blockIdx.x * 3 + 1] = start;
    stamps[blockIdx.x * 3 + 2] = clock();
  }
}
extern "C" __global__ void read_cg(const char *data, unsigned *stamps, int stride, int rounds) {
  rounds_of<0>(data, stamps, stride, rounds);
}
extern "C" __global__ void read_ca(const char *data, unsigned *stamps, int stride, int rounds) {
  rounds_of<1>(data, stamps, stride, rounds);
}
extern "C" __global__ void copy_cg(const char *data, unsigned *stamps, int stride, int rounds) {
  rounds_of<2>(data, stamps, stride, rounds);
}
