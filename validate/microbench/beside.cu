// LDS beside LDGSTS: what copies that land take from those that read what landed before. A step of a warp copies four
// times 512 bytes, next to each other in L2 and in shared memory, into one of two stages, and reads shared memory eight
// times; its lanes read `ways` words (pairs, quadruples) apart.
#include "clock.cuh"

extern __shared__ __align__(128) unsigned char tile[];

template <int WIDTH>
static __device__ __forceinline__ unsigned read(unsigned from) {
  unsigned a, b = 0, c, d;
  if constexpr (WIDTH == 4)
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(from));
  else if constexpr (WIDTH == 8)
    asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(from));
  else
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(from));
  return a | b;
}

#define BESIDE(NAME, WIDTH, CACHE, COPIES)                                                                          \
  extern "C" __global__ void NAME(unsigned *times, const unsigned char *data, int steps, int ways, int room) {      \
    const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, size = blockDim.x * 64;                             \
    const unsigned to = shared_address(tile) + warp * 2048 + lane * 16;                                             \
    const unsigned own = shared_address(tile) + lane * ways * WIDTH;                                                \
    const unsigned char *from = data + warp * 65536 + lane * 16;                                                    \
    unsigned sum = 0;                                                                                               \
    __syncthreads();                                                                                                \
    const unsigned start = now();                                                                                   \
    _Pragma("unroll 1") for (int i = 0; i < steps; ++i) {                                                           \
      _Pragma("unroll") for (int k = 0; k < COPIES; ++k)                                                            \
        asm volatile("cp.async." CACHE ".shared.global [%0], [%1], 16;" ::"r"(to + (i & 1) * size + k * 512),       \
                     "l"(from + (i & 15) * 2048 + k * 512));                                                        \
      asm volatile("cp.async.commit_group;");                                                                       \
      unsigned got[8];                                                                                              \
      _Pragma("unroll") for (int k = 0; k < 8; ++k) got[k] = read<WIDTH>(own + 128 * k);                            \
      _Pragma("unroll") for (int k = 0; k < 8; ++k) sum |= got[k];                                                  \
      asm volatile("cp.async.wait_group 1;" ::: "memory");                                                          \
    }                                                                                                               \
    asm volatile("cp.async.wait_all;" ::: "memory");                                                                \
    use(times, sum);                                                                                                \
    keep(times, start, now());                                                                                      \
  }
BESIDE(lds_4_alone, 4, "cg", 0)
BESIDE(lds_8_alone, 8, "cg", 0)
BESIDE(lds_16_alone, 16, "cg", 0)
BESIDE(lds_4_fill, 4, "ca", 4)
BESIDE(lds_8_fill, 8, "ca", 4)
BESIDE(lds_16_fill, 16, "ca", 4)
BESIDE(lds_4_past, 4, "cg", 4)
BESIDE(lds_8_past, 8, "cg", 4)
BESIDE(lds_16_past, 16, "cg", 4)
