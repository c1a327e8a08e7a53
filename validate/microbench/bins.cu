// RED of 32 neighbouring words to a few lines, as the blocks of a histogram add up what each has counted: which lines
// hold each other up. `lines` of them, `pitch` bytes apart; each warp goes through them in order.
#include "clock.cuh"

extern "C" __global__ void reduce_bins(unsigned *times, unsigned *data, int count, int lines, int pitch) {
  const unsigned lane = threadIdx.x & 31;
  unsigned line = warp_index() % lines;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    asm volatile("red.global.add.u32 [%0], 1;" ::"l"(data + line * (pitch / 4) + lane) : "memory");
    line = line + 1 == lines ? 0 : line + 1;
  }
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(old) : "l"(data + line * (pitch / 4) + lane) : "memory");
  use(times, old);
  keep(times, start, now());
}
