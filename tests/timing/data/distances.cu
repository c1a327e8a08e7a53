// How long each SM waits for a load of what L2 has: thread 0 of a block loads every line of 512 KiB past L1, one after another,
// twice, and counts the cycles of the second time. Blocks begin at different lines; each fills its SM. The data are zeros.
// distances.csv has the cycles of a load on an H200 at 1980 MHz, the mean of three launches. nvcc -arch=sm_90 -cubin; see
// test_distances.py.

extern "C" __global__ void distances(unsigned *cycles, unsigned *sm, const unsigned char *data, int lines) {
  unsigned start = 0, end = 0, found = 0;
  for (int round = 0; round < 2; ++round) {
    asm volatile("mov.u32 %0, %%clock;" : "=r"(start)::"memory");
    for (int i = 0; i < lines; ++i) {
      const int line = (i + (int)blockIdx.x * 31) & (lines - 1);
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(found) : "l"(data + (size_t)line * 128 + found) : "memory");
    }
    asm volatile("mov.u32 %0, %%clock;" : "=r"(end) : "r"(found) : "memory");
  }
  asm volatile("mov.u32 %0, %%smid;" : "=r"(sm[blockIdx.x]));
  cycles[blockIdx.x] = end - start + found;
}
