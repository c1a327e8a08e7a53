// LDGSTS of 16 bytes a lane into the stages of a ring, four of each thread a step, through L1 (0) and past it (1). The cycles of
// one block on an H200 are in copy_rings.csv: the least of three launches one after the other, from the first warp that starts to
// the last whose copies have come. nvcc -arch=sm_90 -cubin; see test_copies.py.

static __device__ __forceinline__ unsigned now() {
  unsigned c;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
  return c;
}

template <int PAST>
__device__ __forceinline__ void copy(unsigned to, const char *from) {
  if (PAST)
    asm volatile("cp.async.cg.shared.global [%0],[%1],16;" ::"r"(to), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0],[%1],16;" ::"r"(to), "l"(from) : "memory");
}

extern __shared__ char tile[];

// Rows of 1 << row_log bytes, `stride` bytes apart in global and `pitch` bytes apart in shared memory; a step on they are `next`
// bytes further.
template <int PAST, int STAGES>
__device__ __forceinline__ void ring(unsigned *times, const char *data, int steps, int row_log, int stride, int pitch, int next) {
  const unsigned base = (unsigned)__cvta_generic_to_shared(tile);
  const int threads = blockDim.x, thread = threadIdx.x;
  const char *from[4];
  unsigned to[4];
#pragma unroll
  for (int i = 0; i < 4; i++) {
    const unsigned at = (thread + i * threads) * 16u, row = at >> row_log, column = at & ((1u << row_log) - 1);
    from[i] = data + (size_t)blockIdx.x * (64u << 20) / 64 + (size_t)row * stride + column;
    to[i] = base + row * pitch + column;
  }
  const unsigned stage = ((unsigned)(threads * 64) >> row_log) * pitch;
  __syncthreads();
  const unsigned begin = now();
#pragma unroll
  for (int k = 0; k < STAGES - 1; k++) {
#pragma unroll
    for (int i = 0; i < 4; i++) copy<PAST>(to[i] + k * stage, from[i] + (size_t)k * next);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
  int write = STAGES - 1;
  for (int step = 0; step < steps; step++) {
    if (STAGES > 1) asm volatile("cp.async.wait_group %0;" ::"n"(STAGES > 1 ? STAGES - 2 : 0) : "memory");
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; i++) copy<PAST>(to[i] + write * stage, from[i] + (size_t)(step + STAGES - 1) * next);
    asm volatile("cp.async.commit_group;" ::: "memory");
    if (STAGES == 1) asm volatile("cp.async.wait_group 0;" ::: "memory");
    write = write + 1 == STAGES ? 0 : write + 1;
  }
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  const unsigned end = now();
  if ((thread & 31) == 0) {
    const unsigned k = 2 * (blockIdx.x * (threads / 32) + thread / 32);
    times[k] = begin;
    times[k + 1] = end;
  }
}

#define RING(PAST, STAGES)                                                                                                   \
  extern "C" __global__ void __launch_bounds__(1024) ring_##PAST##_##STAGES(unsigned *times, const char *data, int steps,     \
                                                                            int row_log, int stride, int pitch, int next) {   \
    ring<PAST, STAGES>(times, data, steps, row_log, stride, pitch, next);                                                     \
  }
RING(0, 1)
RING(0, 2)
RING(0, 4)
RING(1, 1)
RING(1, 2)
RING(1, 4)
