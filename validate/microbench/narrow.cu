// Narrow rows of global memory, step by step: how much may be under way at once, and how quickly it comes. Each step's
// rows are fresh, and all have come before the next step. `row` bytes are next to each other, and rows `stride` bytes
// apart. `room` says how many kilobytes of shared memory the launch asks for: the rest is L1's. Blocks beyond the first
// 132 bring what those do.
#include "clock.cuh"

extern __shared__ __align__(128) unsigned char tile[];

struct Rows {
  size_t step, next;  // bytes from a step to the next, and from an instruction's rows to the next ones
  const unsigned char *from;
  __device__ __forceinline__ Rows(const unsigned char *data, int width, int count, int steps, int row, int stride) {
    const unsigned at = threadIdx.x * width;
    next = static_cast<size_t>(blockDim.x * width / row) * stride;
    step = next * count;
    from = data + blockIdx.x % 132 * step * steps + static_cast<size_t>(at / row) * stride + at % row;
  }
};

template <int WIDTH, int PAST_L1>
static __device__ __forceinline__ void copy(unsigned to, const unsigned char *from) {
  if constexpr (PAST_L1)
    asm volatile("cp.async.cg.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(WIDTH));
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(WIDTH));
}

template <int WIDTH, int PAST_L1, int COPIES, int GROUP>
static __device__ __forceinline__ void copy_rows(unsigned *times, const unsigned char *data, int steps, int row, int stride) {
  Rows rows(data, WIDTH, COPIES, steps, row, stride);
  const unsigned to = shared_address(tile) + threadIdx.x * WIDTH;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < steps; ++i, rows.from += rows.step) {
#pragma unroll
    for (int k = 0; k < COPIES; ++k) {
      copy<WIDTH, PAST_L1>(to, rows.from + k * rows.next);
      if (k % GROUP == GROUP - 1) asm volatile("cp.async.commit_group;");
    }
    asm volatile("cp.async.wait_group 0;" ::: "memory");
  }
  keep(times, start, now());
}
#define COPY(NAME, WIDTH, PAST_L1, COPIES, GROUP)                                                                \
  extern "C" __global__ void NAME(unsigned *times, const unsigned char *data, int steps, int row, int stride, int room) { \
    copy_rows<WIDTH, PAST_L1, COPIES, GROUP>(times, data, steps, row, stride);                                   \
  }
COPY(fill_16_x1, 16, 0, 1, 1)
COPY(fill_16_x4, 16, 0, 4, 4)
COPY(fill_16_x8, 16, 0, 8, 8)
COPY(fill_8_x4, 8, 0, 4, 4)
COPY(fill_8_x8, 8, 0, 8, 8)
COPY(fill_4_x4, 4, 0, 4, 4)
COPY(past_16_x1, 16, 1, 1, 1)
COPY(past_16_x4, 16, 1, 4, 4)
COPY(past_16_x8, 16, 1, 8, 8)
COPY(past_16_alone_x8, 16, 1, 8, 1)

static __device__ __forceinline__ unsigned word(unsigned x) { return x; }
static __device__ __forceinline__ unsigned word(uint4 x) { return x.x | x.w; }

template <typename T, int LOADS>
static __device__ __forceinline__ void load_rows(unsigned *times, const unsigned char *data, int steps, int row, int stride) {
  Rows rows(data, sizeof(T), LOADS, steps, row, stride);
  unsigned sum = 0;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < steps; ++i, rows.from += rows.step) {
    T got[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) got[k] = *reinterpret_cast<const T *>(rows.from + k * rows.next);
#pragma unroll
    for (int k = 0; k < LOADS; ++k) sum |= word(got[k]);
    rows.from += sum;
  }
  use(times, sum);
  keep(times, start, now());
}
#define LOAD(NAME, TYPE, LOADS)                                                                                  \
  extern "C" __global__ void NAME(unsigned *times, const unsigned char *data, int steps, int row, int stride, int room) { \
    load_rows<TYPE, LOADS>(times, data, steps, row, stride);                                                     \
  }
LOAD(narrow_16_x4, uint4, 4)
LOAD(narrow_4_x8, unsigned, 8)

// What L1 keeps beside `room` kilobytes of shared memory: a warp loads lines, and loads them again.
extern "C" __global__ void again(unsigned *times, const unsigned char *data, int lines, int room) {
  const unsigned char *from = data + (threadIdx.x & 31) * 128;
  unsigned sum = 0, start = 0;
#pragma unroll 1
  for (int pass = 0; pass < 2; ++pass) {
    start = now();
#pragma unroll 1
    for (int i = 0; i < lines; i += 32) sum |= *reinterpret_cast<const unsigned *>(from + 128 * (i + sum));
  }
  use(times, sum);
  keep(times, start, now());
}
