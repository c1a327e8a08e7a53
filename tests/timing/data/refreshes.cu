// When lines that DRAM answers come late: refreshes.csv has single lines, refresh_bursts.csv 32 lines of a warp at a time.
// flush, which ran before each launch, filled L2 with other lines; chase of a line of each page had run, too.
// nvcc -arch=sm_90 -cubin; see test_refreshes.py.
#define CLOCK(x) asm volatile("mov.u64 %0, %%clock64;" : "=l"(x)::"memory")

// Each warp loads n listed sectors one after another, and notes when it begins each load and how long that takes.
extern "C" __global__ void chase(const unsigned char *p, const unsigned *sectors, int n, unsigned *begin, unsigned *took) {
  int warp = threadIdx.x / 32;
  if (threadIdx.x % 32) return;
  const unsigned *mine = sectors + warp * n;
  for (int i = 0; i < n; i++) {
    const unsigned char *a = p + (unsigned long long)mine[i] * 32;
    asm volatile("" ::"l"(a) : "memory");
    long long b, e;
    unsigned v;
    CLOCK(b);
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
    asm volatile("{.reg .u32 x; add.u32 x, %0, 1;}" ::"r"(v) : "memory");
    if (v == 0x12345) begin[0] = 1;
    CLOCK(e);
    begin[warp * n + i] = (unsigned)b;
    took[warp * n + i] = (unsigned)(e - b);
  }
}

// A warp's lanes load 32 listed sectors together, n times.
extern "C" __global__ void burst(const unsigned char *p, const unsigned *sectors, int n, unsigned *begin, unsigned *took) {
  int lane = threadIdx.x % 32;
  for (int i = 0; i < n; i++) {
    unsigned l = sectors[i * 32 + lane], v = 0;
    long long b, e;
    const unsigned char *a = p + (unsigned long long)l * 32;
    asm volatile("" ::"l"(a) : "memory");
    __syncwarp();
    CLOCK(b);
    if (l != 0xffffffffu) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(a) : "memory");
    if (__any_sync(~0u, v == 0x12345)) begin[0] = 1;
    CLOCK(e);
    if (lane == 0) {
      begin[i] = (unsigned)b;
      took[i] = (unsigned)(e - b);
    }
  }
}

extern "C" __global__ void flush(const uint4 *p, unsigned *out) {
  uint4 v;
  const uint4 *at = p + blockIdx.x * 128 + threadIdx.x;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at));
  if (v.x) out[0] = v.y;
}
