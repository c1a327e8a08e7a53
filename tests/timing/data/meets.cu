// SMs that ask L2 for the same lines at times of their own: a warp of each asks for LINES lines past L1, by loads or LDGSTS, at
// `delay` cycles of its SM's clock after the beginning of a trial, `offset` bytes into each of them; delays below 0: not at all.
// The lines of each trial are others, 1 KiB apart; all had been loaded before. meets.csv has the requests that reached L2 for a
// line and a trial (`lts__t_requests_srcunit_tex.sum` less that of a launch in which nobody asks; 48 trials, 4,000 cycles apart),
// on an H200, and the cycles that SMs waited, in the mean. nvcc -arch=sm_90 -cubin; see test_meets.py.

static __device__ __forceinline__ unsigned now() {
  unsigned cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}

template <int LINES, int COPY>
static __device__ __forceinline__ void meet(const char *data, const int4 *plan, unsigned *out, int trials, int period, int stride) {
  __shared__ __align__(128) uint4 ring[1024];
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  const int4 own = plan[sm];
  const unsigned lane = threadIdx.x, to = (unsigned)__cvta_generic_to_shared(ring) + lane * 16;
  unsigned begin = ((now() >> 18) + 1) << 18, first = 0, second = 0, sum = 0;
  begin = __shfl_sync(~0u, begin, 0);
  for (int trial = 0; trial < trials; ++trial) {
    const char *base = data + (size_t)trial * LINES * stride + lane * stride;
#pragma unroll 1
    for (int again = 0; again < 2; ++again) {
      const int delay = again ? own.z : own.x, offset = again ? own.w : own.y;
      if (delay < 0) continue;
      const unsigned due = begin + trial * period + delay;
      while ((int)(now() - due) < 0);
      const unsigned start = now();
      if (lane < (LINES < 32 ? LINES : 32)) {
        if (COPY) {
#pragma unroll
          for (int j = 0; j < (LINES + 31) / 32; ++j)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + j * 512), "l"(base + j * 32 * stride + offset) : "memory");
          asm volatile("cp.async.wait_all;" ::: "memory");
        } else {
          unsigned found[(LINES + 31) / 32];
#pragma unroll
          for (int j = 0; j < (LINES + 31) / 32; ++j)
            asm volatile("ld.global.cg.u32 %0,[%1];" : "=r"(found[j]) : "l"(base + j * 32 * stride + offset) : "memory");
#pragma unroll
          for (int j = 0; j < (LINES + 31) / 32; ++j) sum ^= found[j];
        }
      }
      const unsigned end = now() + (sum == 12345);
      __syncwarp();
      (again ? second : first) += end - start;
    }
  }
  if (lane == 0) {
    out[sm * 2] = first;
    out[sm * 2 + 1] = second;
  }
}

#define MEET(LINES)                                                                                                         \
  extern "C" __global__ void load_##LINES(const char *data, const int4 *plan, unsigned *out, int trials, int period, int stride) { \
    meet<LINES, 0>(data, plan, out, trials, period, stride);                                                                \
  }                                                                                                                         \
  extern "C" __global__ void copy_##LINES(const char *data, const int4 *plan, unsigned *out, int trials, int period, int stride) { \
    meet<LINES, 1>(data, plan, out, trials, period, stride);                                                                \
  }
MEET(1)
MEET(32)
MEET(128)
