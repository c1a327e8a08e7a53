// Rows that begin at other places of their lines, step after step: what L1 reads, fills and looks up at a time. Four
// loads or copies a step and warp. `row` bytes of global memory are next to each other, rows `stride` bytes apart (where
// that is not a multiple of 128, they begin at other banks), and in shared memory `pitch`. A step begins `next` bytes
// behind the one before (0: it finds all in L1), back at the start after `wrap` bytes (a power of two); warps begin
// `apart` bytes apart. Of copies three steps are under way. `room` says how many kilobytes of shared memory the launch
// asks for: the rest is L1's.
#include "clock.cuh"

extern __shared__ __align__(128) unsigned char tile[];

struct Place {
  const unsigned char *from;
  int next, wrap, down;  // bytes from a step to the next, until it begins anew, and from an instruction to the next
  __device__ __forceinline__ Place(const unsigned char *data, int width, int row, int stride, int next, int wrap, int apart)
      : next(next), wrap(wrap) {
    const int at = (threadIdx.x & 31) * width;
    from = data + static_cast<size_t>(threadIdx.x >> 5) * apart + at / row * stride + at % row;
    down = 32 * width / row * stride;
  }
  __device__ __forceinline__ const unsigned char *at(int step, int k) const { return from + (step * next & (wrap - 1)) + k * down; }
};

static __device__ __forceinline__ unsigned word(unsigned x) { return x; }
static __device__ __forceinline__ unsigned word(uint2 x) { return x.x | x.y; }
static __device__ __forceinline__ unsigned word(uint4 x) { return x.x | x.w; }

#define LOAD(NAME, T)                                                                                                  \
  extern "C" __global__ void NAME(unsigned *times, const unsigned char *data, int steps, int row, int pitch, int stride, \
                                  int next, int wrap, int apart, int room) {                                           \
    const Place place(data, sizeof(T), row, stride, next, wrap, apart);                                                \
    unsigned sum = 0;                                                                                                  \
    __syncthreads();                                                                                                   \
    const unsigned start = now();                                                                                      \
    _Pragma("unroll 1") for (int i = 0; i < steps; ++i) {                                                              \
      T got[4];                                                                                                        \
      _Pragma("unroll") for (int k = 0; k < 4; ++k) got[k] = *reinterpret_cast<const T *>(place.at(i, k));             \
      _Pragma("unroll") for (int k = 0; k < 4; ++k) sum |= word(got[k]);                                               \
    }                                                                                                                  \
    use(times, sum);                                                                                                   \
    keep(times, start, now());                                                                                         \
  }
LOAD(load_places_16, uint4)
LOAD(load_places_8, uint2)
LOAD(load_places_4, unsigned)

#define COPY(NAME, WIDTH, CACHE)                                                                                       \
  extern "C" __global__ void NAME(unsigned *times, const unsigned char *data, int steps, int row, int pitch, int stride, \
                                  int next, int wrap, int apart, int room) {                                           \
    const Place place(data, WIDTH, row, stride, next, wrap, apart);                                                    \
    const int rows = 32 * WIDTH / row, at = (threadIdx.x & 31) * WIDTH;                                                \
    const unsigned to = shared_address(tile) + (4 * (threadIdx.x >> 5) * rows + at / row) * pitch + at % row;          \
    __syncthreads();                                                                                                   \
    const unsigned start = now();                                                                                      \
    _Pragma("unroll 1") for (int i = 0; i < steps; ++i) {                                                              \
      _Pragma("unroll") for (int k = 0; k < 4; ++k)                                                                    \
        asm volatile("cp.async." CACHE ".shared.global [%0], [%1], %2;" ::"r"(to + k * rows * pitch),                  \
                     "l"(place.at(i, k)), "n"(WIDTH));                                                                 \
      asm volatile("cp.async.commit_group;");                                                                          \
      asm volatile("cp.async.wait_group 3;" ::: "memory");                                                             \
    }                                                                                                                  \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                                   \
    keep(times, start, now());                                                                                         \
  }
COPY(fill_places_16, 16, "ca")
COPY(fill_places_8, 8, "ca")
COPY(fill_places_4, 4, "ca")
COPY(past_places_16, 16, "cg")
