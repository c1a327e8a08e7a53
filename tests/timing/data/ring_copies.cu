// LDGSTS into the stages of a ring, as main loops do: no copy goes where one before it is still on its way (but where
// `stages` is one). Each step a block copies COPIES pieces of WIDTH bytes a thread: `row` bytes of global memory are next
// to each other, rows `stride` bytes apart, and in shared memory `pitch`; 16 bytes are permuted within a row by `mask`.
// The rows begin `from_at` bytes behind a line's first in global, `to_at` in shared memory. A step begins `next` bytes
// behind the one before, back at the start after `wrap` bytes; of the blocks `share` copy rows of their own, `own` apart.
// A case of ring_copies.csv is its arguments; nvcc -arch=sm_90 -cubin, see test_copies.py.
static __device__ __forceinline__ unsigned now() {
  unsigned cycle;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycle)::"memory");
  return cycle;
}
extern __shared__ __align__(128) unsigned char tile[];
template <int WIDTH, int CACHE>
static __device__ __forceinline__ void copy(unsigned to, const unsigned char *from) {
  if constexpr (CACHE == 0)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
  else if constexpr (CACHE == 1)
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to), "l"(from));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(WIDTH));
}
template <int WIDTH, int CACHE, int COPIES, int UNDER_WAY, bool BARRIER>
static __device__ __forceinline__ void ring(unsigned *times, const unsigned char *data, int steps, int row, int pitch,
                                            int mask, int stride, int from_at, int to_at, int next, int wrap, int own,
                                            int share, int stages) {
  const unsigned home = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + to_at;
  const unsigned char *from = data + from_at + static_cast<size_t>(blockIdx.x % share) * own;
  unsigned to[COPIES], at[COPIES];
#pragma unroll
  for (int k = 0; k < COPIES; ++k) {
    const unsigned byte = (threadIdx.x + k * blockDim.x) * WIDTH, r = byte / row, c = byte % row;
    to[k] = home + r * pitch + (c ^ ((r & mask) * 16));
    at[k] = r * stride + c;
  }
  const unsigned size = (COPIES * blockDim.x * WIDTH / row * pitch + 127) / 128 * 128;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < steps; ++i) {
    const unsigned stage = i % stages * size;
    const unsigned char *step = from + (i * next & (wrap - 1));
#pragma unroll
    for (int k = 0; k < COPIES; ++k) copy<WIDTH, CACHE>(to[k] + stage, step + at[k]);
    asm volatile("cp.async.commit_group;");
    asm volatile("cp.async.wait_group %0;" ::"n"(UNDER_WAY) : "memory");
    if (BARRIER) __syncthreads();
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  const unsigned end = now();
  if ((threadIdx.x & 31) == 0) {
    const unsigned w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
    times[2 * w] = start;
    times[2 * w + 1] = end;
  }
}
#define RING(NAME, WIDTH, CACHE, COPIES, UNDER_WAY, BARRIER)                                                           \
  extern "C" __global__ void __launch_bounds__(1024) NAME(unsigned *times, const unsigned char *data, int steps, int row, int pitch, int mask,        \
                                  int stride, int from_at, int to_at, int next, int wrap, int own, int share,          \
                                  int stages) {                                                                        \
    ring<WIDTH, CACHE, COPIES, UNDER_WAY, BARRIER>(times, data, steps, row, pitch, mask, stride, from_at, to_at, next, \
                                                   wrap, own, share, stages);                                          \
  }
RING(past_ring, 16, 0, 4, 3, false)
RING(past_line_ring, 16, 1, 4, 3, false)
RING(past_ring_1, 16, 0, 4, 1, true)
RING(fill_ring_16, 16, 2, 4, 3, false)
RING(fill_ring_8, 8, 2, 4, 3, false)
RING(fill_ring_4, 4, 2, 4, 3, false)
RING(fill_ring_8_8, 8, 2, 8, 1, true)
RING(fill_ring_4_8, 4, 2, 8, 1, true)
RING(fill_ring_16_8, 16, 2, 8, 1, true)
RING(past_ring_8, 16, 0, 8, 1, true)
