// Which SM each block of a grid executes on: every block says so, and stays long enough for all others to start.
#include "clock.cuh"

extern "C" __global__ void placed(unsigned *sms, int cycles) {
  const unsigned start = now();
  unsigned sm;
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
  if (threadIdx.x == 0) sms[blockIdx.x] = sm;
  while (now() - start < cycles) {
  }
}
