// Rows at any stride, fresh ones in each step: how many lines a kernel's copies and loads bring at a time, from L2 and
// from DRAM. Four copies or loads a step and warp. `row` bytes of global memory are next to each other, rows `stride`
// bytes apart; a warp's rows follow those of the warp before. A step begins `next` bytes behind the one before, back at
// the start after `wrap` bytes (a power of two). Copies go into two stages, a step under way while the next one is asked
// for. `room` says how many kilobytes of shared memory the launch asks for: the rest is L1's.
#include "clock.cuh"

extern __shared__ __align__(128) unsigned char tile[];

struct Strided {
  const unsigned char *from;
  int next, wrap, down;  // bytes from a step to the next, until it begins anew, and from an instruction to the next
  __device__ __forceinline__ Strided(const unsigned char *data, int width, int row, int stride, int next, int wrap)
      : next(next), wrap(wrap) {
    const int at = (threadIdx.x & 31) * width, rows = 32 * width / row;
    from = data + static_cast<size_t>(4 * (threadIdx.x >> 5) * rows + at / row) * stride + at % row;
    down = rows * stride;
  }
  __device__ __forceinline__ const unsigned char *at(int step, int k) const {
    return from + (static_cast<size_t>(step) * next & (wrap - 1)) + static_cast<size_t>(k) * down;
  }
};

static __device__ __forceinline__ unsigned word(unsigned x) { return x; }
static __device__ __forceinline__ unsigned word(uint4 x) { return x.x | x.w; }
static __device__ __forceinline__ unsigned weak(const unsigned *from) { return *from; }
static __device__ __forceinline__ uint4 weak(const uint4 *from) { return *from; }
static __device__ __forceinline__ unsigned strong(const unsigned *from) {
  unsigned got;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(got) : "l"(from));
  return got;
}
static __device__ __forceinline__ uint4 strong(const uint4 *from) { return __ldcg(from); }

#define LOAD(NAME, T, HOW)                                                                                             \
  extern "C" __global__ void NAME(unsigned *times, const unsigned char *data, int steps, int row, int stride, int next, \
                                  int wrap, int room) {                                                                \
    const Strided place(data, sizeof(T), row, stride, next, wrap);                                                     \
    unsigned sum = 0;                                                                                                  \
    __syncthreads();                                                                                                   \
    const unsigned start = now();                                                                                      \
    _Pragma("unroll 1") for (int i = 0; i < steps; ++i) {                                                              \
      T got[4];                                                                                                        \
      _Pragma("unroll") for (int k = 0; k < 4; ++k) got[k] = HOW(reinterpret_cast<const T *>(place.at(i, k)));         \
      _Pragma("unroll") for (int k = 0; k < 4; ++k) sum |= word(got[k]);                                               \
    }                                                                                                                  \
    use(times, sum);                                                                                                   \
    keep(times, start, now());                                                                                         \
  }
LOAD(stride_load_16, uint4, weak)
LOAD(stride_load_4, unsigned, weak)
LOAD(stride_strong_16, uint4, strong)
LOAD(stride_strong_4, unsigned, strong)

#define COPY(NAME, WIDTH, CACHE)                                                                                       \
  extern "C" __global__ void NAME(unsigned *times, const unsigned char *data, int steps, int row, int stride, int next, \
                                  int wrap, int room) {                                                                \
    const Strided place(data, WIDTH, row, stride, next, wrap);                                                         \
    const int lanes = (threadIdx.x >> 5) * 128 + (threadIdx.x & 31), size = blockDim.x * 4 * WIDTH;                    \
    const unsigned to = shared_address(tile) + lanes * WIDTH;                                                          \
    __syncthreads();                                                                                                   \
    const unsigned start = now();                                                                                      \
    _Pragma("unroll 1") for (int i = 0; i < steps; ++i) {                                                              \
      _Pragma("unroll") for (int k = 0; k < 4; ++k)                                                                    \
        asm volatile("cp.async." CACHE ".shared.global [%0], [%1], %2;" ::"r"(to + (i & 1) * size + k * 32 * WIDTH),   \
                     "l"(place.at(i, k)), "n"(WIDTH));                                                                 \
      asm volatile("cp.async.commit_group;");                                                                          \
      asm volatile("cp.async.wait_group 1;" ::: "memory");                                                             \
    }                                                                                                                  \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                                   \
    keep(times, start, now());                                                                                         \
  }
COPY(stride_fill_16, 16, "ca")
COPY(stride_fill_8, 8, "ca")
COPY(stride_fill_4, 4, "ca")
COPY(stride_past_16, 16, "cg")
