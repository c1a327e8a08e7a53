// A fence behind `stores` lines that each warp has just stored, and behind none.
#include "clock.cuh"

#define FENCE(NAME, HOW)                                                                                       \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int count, int stores) {                    \
    unsigned *at = data + warp_index() * 512 + (threadIdx.x & 31);                                                \
    __syncthreads();                                                                                           \
    const unsigned start = now();                                                                              \
    _Pragma("unroll 1") for (int i = 0; i < count; ++i) {                                                      \
      _Pragma("unroll 1") for (int k = 0; k < stores; ++k)                                                     \
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at + 32 * k), "r"(i) : "memory");                         \
      asm volatile(HOW ";" ::: "memory");                                                                      \
    }                                                                                                          \
    keep(times, start, now());                                                                                 \
  }
FENCE(fence_gpu, "fence.acq_rel.gpu")
FENCE(fence_cta, "fence.acq_rel.cta")
