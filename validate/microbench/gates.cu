// Groups of four warps that meet at barriers of their own, whose number is in a register, between loads or stores of
// shared memory; and all warps of the block at one whose number is in the code.
#include "clock.cuh"

#define REPEAT(COUNT, ...) \
  _Pragma("unroll") for (int k = 0; k < COUNT; ++k) { __VA_ARGS__; }
#define GROUP asm volatile("bar.sync %0, 128;" ::"r"(1 + threadIdx.x / 128) : "memory")
#define BLOCK asm volatile("bar.sync 0;" ::: "memory")
#define LDS4 asm volatile("ld.volatile.shared.b32 %0, [%1];" : "=r"(v[0]) : "r"(address))
#define LDS16                                                      \
  asm volatile("ld.volatile.shared.v4.b32 {%0, %1, %2, %3}, [%4];" \
               : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "r"(address))
#define STS16 \
  asm volatile("st.volatile.shared.v4.b32 [%4], {%0, %1, %2, %3};" ::"r"(w[0]), "r"(w[1]), "r"(w[2]), "r"(w[3]), "r"(address))
#define SHFL asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(w[0]))
#define TAKE sum ^= v[0] ^ v[1] ^ v[2] ^ v[3]

extern __shared__ __align__(128) unsigned char tile[];

#define LOOP(NAME, BAR, ...)                                                                \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int loops) {             \
    const unsigned lane = threadIdx.x & 31, address = shared_address(tile) + lane * 16;     \
    unsigned v[4] = {}, w[4], sum = data[lane];                                             \
    REPEAT(4, w[k] = sum * 3 + k)                                                           \
    __syncthreads();                                                                        \
    const unsigned start = now();                                                           \
    _Pragma("unroll 1") for (int i = 0; i < loops; ++i) { REPEAT(4, __VA_ARGS__; BAR) }     \
    const unsigned end = now();                                                             \
    use(times, sum ^ v[0] ^ v[1] ^ v[2] ^ v[3] ^ w[0]);                                     \
    keep(times, start, end);                                                                \
  }
#define BOTH(NAME, ...)             \
  LOOP(NAME, GROUP, __VA_ARGS__)    \
  LOOP(NAME##_all, BLOCK, __VA_ARGS__)
BOTH(gate, )
BOTH(gate_lds4, LDS4)
BOTH(gate_lds16, LDS16)
BOTH(gate_lds16_taken, LDS16; TAKE)
BOTH(gate_sts16, STS16)
BOTH(gate_shfl, SHFL)
LOOP(gate_stored, GROUP, STS16; GROUP; LDS16; TAKE)
LOOP(gate_stored_all, BLOCK, STS16; BLOCK; LDS16; TAKE)
