// Blocks as the chip hands them out: how soon the place of one that has ended is filled again. `data` holds a word for
// each SM; `sms` blocks are the first ones of theirs.
#include "clock.cuh"

static __device__ __forceinline__ unsigned sm_index() {
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  return sm;
}
static __device__ __forceinline__ unsigned word_of(const unsigned *from) {
  unsigned word;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(word) : "l"(from) : "memory");
  return word;
}
static __device__ __forceinline__ void set_word(unsigned *to, unsigned word) {
  asm volatile("st.relaxed.gpu.global.u32 [%0], %1;" ::"l"(to), "r"(word) : "memory");
}

// One block of an SM after the other: from the end of one, whose stores are on their way, to the start of the next.
extern "C" __global__ void block_places(unsigned *times, unsigned *data, int sms) {
  extern __shared__ unsigned room[];
  const unsigned begin = now();
  const unsigned before = blockIdx.x < sms ? begin : word_of(data + sm_index());
  keep(times, before, begin);
  __syncthreads();
  data[1024 + blockIdx.x * blockDim.x + threadIdx.x] = begin;
  if (threadIdx.x == 0) set_word(data + sm_index(), now());
}
