// Rounds of loads that DRAM answers, whose L2 prefetch hint asks for no more than they load, for their line, or for two lines. A
// round is a load of 16 bytes of each lane, of each warp, and a barrier: a row of `row` bytes of as many lanes as that takes, rows
// `stride` bytes apart. The next round moves on along the rows. What rounds take that begin an aligned 256 bytes, and the others,
// is in line_pairs.csv: the mean of 8 launches behind one that reads 400 MB, of all blocks, and of two H100s. nvcc -arch=sm_90 -cubin; see
// test_line_pairs.py.

static __device__ __forceinline__ unsigned now() {
  unsigned c;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
  return c;
}

#define KERNEL(NAME, HINT)                                                                                                  \
  extern "C" __global__ void NAME(unsigned *out, const char *d, int row, long long stride, int rounds) {                    \
    __shared__ volatile unsigned s[32];                                                                                     \
    int lanes = row / 16, rows = blockDim.x / lanes, r = threadIdx.x / lanes;                                               \
    const char *p = d + (blockIdx.x * rows + r) * stride + threadIdx.x % lanes * 16;                                        \
    _Pragma("unroll 1") for (int i = 0; i < rounds; i++) {                                                                  \
      unsigned t0 = now(), a, b, c, e;                                                                                      \
      asm volatile("ld.global" HINT ".v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(e) : "l"(p) : "memory"); \
      s[threadIdx.x >> 5] = a ^ b ^ c ^ e;                                                                                  \
      __syncthreads();                                                                                                      \
      if (threadIdx.x == 0) out[blockIdx.x * rounds + i] = now() - t0;                                                      \
      p += row;                                                                                                             \
    }                                                                                                                       \
  }

KERNEL(plain, "")
KERNEL(line, ".L2::128B")
KERNEL(pair, ".L2::256B")
