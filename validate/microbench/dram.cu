// What loads bring from DRAM into L2, and how long they wait for it: one by one, side by side, and round by round.
#include "clock.cuh"

#define LOAD(NAME, HINT)                                                                       \
  static __device__ __forceinline__ unsigned NAME(const char *from) {                          \
    unsigned value;                                                                            \
    asm volatile("ld.global" HINT ".u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");      \
    return value;                                                                              \
  }
LOAD(load_plain, "")
LOAD(load_64, ".L2::64B")
LOAD(load_128, ".L2::128B")

static __device__ __forceinline__ unsigned copy_128(const char *from) {
  __shared__ __align__(16) char to[16];
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\ncp.async.wait_all;"
               ::"r"(shared_address(to)), "l"(from) : "memory");
  return 0;
}

// A word of each KiB is loaded, one after another, then, and this is timed, another word of each.
#define AFTER(HOW)                                                                                               \
  extern "C" __global__ void after_##HOW(unsigned *times, const char *data, int count, int first, int second) {  \
    _Pragma("unroll 1") for (int i = 0; i < count; ++i) data += HOW(data + 1024 * i + first);                    \
    __syncthreads();                                                                                             \
    const unsigned start = now();                                                                                \
    _Pragma("unroll 1") for (int i = 0; i < count; ++i) data += load_plain(data + 1024 * i + second);            \
    const unsigned end = now();                                                                                  \
    use(times, static_cast<unsigned>(reinterpret_cast<size_t>(data)));                                           \
    keep(times, start, end);                                                                                     \
  }
AFTER(load_plain)
AFTER(load_64)
AFTER(load_128)
AFTER(copy_128)

// `count` loads of one warp, each of a word of `lines` lines that lie anywhere in 32 MiB, one load after another.
extern "C" __global__ void scattered(unsigned *times, const char *data, int count, int lines) {
  unsigned line = threadIdx.x % lines;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) line += load_plain(data + 128 * (line * 48271 & 0x3ffff)) + lines;
  const unsigned end = now();
  use(times, line);
  keep(times, start, end);
}

// Rounds, as the loop of a GEMM: each warp loads EACH times 8 rows of 64 bytes, waits for them, and for the others.
template <int EACH>
static __device__ __forceinline__ void rounds(unsigned *times, const char *data, int count, int pitch) {
  const char *from = data + (static_cast<size_t>(warp_index()) * 8 * EACH + (threadIdx.x & 31) / 4) * pitch
                     + 16 * (threadIdx.x & 3);
  unsigned sum = 0;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    uint4 got[EACH];
#pragma unroll
    for (int k = 0; k < EACH; ++k)
      asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                   : "=r"(got[k].x), "=r"(got[k].y), "=r"(got[k].z), "=r"(got[k].w)
                   : "l"(from + static_cast<size_t>(8 * k) * pitch + 64 * i) : "memory");
#pragma unroll
    for (int k = 0; k < EACH; ++k) sum += got[k].x ^ got[k].y ^ got[k].z ^ got[k].w;
    from += sum;
    __syncthreads();
  }
  const unsigned end = now();
  use(times, sum);
  keep(times, start, end);
}
#define ROUNDS(EACH)                                                                                          \
  extern "C" __global__ void rounds_##EACH(unsigned *times, const char *data, int count, int pitch) {         \
    rounds<EACH>(times, data, count, pitch);                                                                  \
  }
ROUNDS(1)
ROUNDS(2)
ROUNDS(4)
