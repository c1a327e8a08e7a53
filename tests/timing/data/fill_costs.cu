// What data that L2 sends costs L1's data stage. Eight warps of a block read shared memory as fast as they can, sixteen bytes a lane
// without a bank conflict; eight others load or copy what L2 has and L1 has not, two at a time: `row` bytes of rows `stride` bytes
// apart. All stop after so many cycles. fill_costs.csv says how many instructions of each kind were executed: the mean of 3 launches,
// of an H200. nvcc -arch=sm_90 -cubin; see test_fill_costs.py.

static __device__ __forceinline__ unsigned now() {
  unsigned c;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
  return c;
}
static __device__ __forceinline__ void read(unsigned p, unsigned &sum) {
  unsigned a, b, c, d;
  asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p) : "memory");
  sum += a ^ b ^ c ^ d;
}

#define LDG4(V, PTR, TO) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(V) : "l"(PTR) : "memory")
#define LDG8(V, PTR, TO) { unsigned y_; asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(V), "=r"(y_) : "l"(PTR) : "memory"); V ^= y_; }
#define LDG16(V, PTR, TO) { unsigned y_, z_, w_; asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(V), "=r"(y_), "=r"(z_), "=r"(w_) : "l"(PTR) : "memory"); V ^= y_ ^ z_ ^ w_; }
#define CA4(V, PTR, TO) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(TO), "l"(PTR) : "memory")
#define CA8(V, PTR, TO) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(TO), "l"(PTR) : "memory")
#define CA16(V, PTR, TO) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(TO), "l"(PTR) : "memory")
#define CG16(V, PTR, TO) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(TO), "l"(PTR) : "memory")

#define KERNEL(NAME, LOAD, WIDTH)                                                                                          \
  extern "C" __global__ void NAME(unsigned *out, const char *d, int row, int stride, int span, int rows, int lasts) {      \
    __shared__ __align__(128) char s[8 * 512 + 8 * 1024];                                                                  \
    int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, lanes = row / WIDTH, step = 32 / lanes * stride;                 \
    unsigned sum = 0, count = 0, from = (unsigned)__cvta_generic_to_shared(s) + lane * 16;                                 \
    const char *p = d + (warp & 7) * (long long)rows;                                                                      \
    for (int i = threadIdx.x * 32; i < 8 * rows; i += blockDim.x * 32) {  /* L2 is to hold it all */                       \
      unsigned v;                                                                                                          \
      asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(d + i) : "memory");                                        \
      sum += v;                                                                                                            \
    }                                                                                                                      \
    __syncthreads();                                                                                                       \
    unsigned begun = now();                                                                                                \
    if (warp < 8) {                                                                                                        \
      while (now() - begun < lasts) {                                                                                      \
        read(from, sum), read(from + 512, sum), read(from + 1024, sum), read(from + 1536, sum);                            \
        count += 4;                                                                                                        \
      }                                                                                                                    \
    } else if (rows) {                                                                                                     \
      int at = 0;                                                                                                          \
      unsigned to = from + 4096 + (warp - 8) * 1024 - lane * 16 + lane * WIDTH;                                            \
      const char *q = p + lane / lanes * stride + lane % lanes * WIDTH;                                                    \
      while (now() - begun < lasts) {                                                                                      \
        unsigned v = 0, w = 0;                                                                                             \
        LOAD(v, q + at, to);                                                                                               \
        LOAD(w, q + at + step, to + 512);                                                                                  \
        asm volatile("cp.async.wait_all;" ::: "memory");                                                                   \
        sum += v ^ w;                                                                                                      \
        if (sum == 0x12345) out[64] = 1;                                                                                   \
        at = at + 2 * step >= span ? 0 : at + 2 * step;                                                                    \
        count += 2;                                                                                                        \
      }                                                                                                                    \
    }                                                                                                                      \
    if (sum == 0x12345) out[64] = 1;                                                                                       \
    if (lane == 0) out[warp] = count;                                                                                      \
  }

KERNEL(ldg_4, LDG4, 4)
KERNEL(ldg_8, LDG8, 8)
KERNEL(ldg_16, LDG16, 16)
KERNEL(copy_ca_4, CA4, 4)
KERNEL(copy_ca_8, CA8, 8)
KERNEL(copy_ca_16, CA16, 16)
KERNEL(copy_cg_16, CG16, 16)
