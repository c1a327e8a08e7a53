// What every microbenchmark shares: the SM's clock, and where its reading goes.
//
// A kernel's first argument is `times`: two words a warp, the clock before and after what it measures. The second is
// `data`, scratch memory of zeros. Other arguments are counts.
#pragma once

static __device__ __forceinline__ unsigned now() {
  unsigned cycle;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycle)::"memory");
  return cycle;
}

static __device__ __forceinline__ unsigned warp_index() {
  return (blockIdx.x * blockDim.x + threadIdx.x) >> 5;
}

static __device__ __forceinline__ void keep(unsigned *times, unsigned start, unsigned end) {
  if ((threadIdx.x & 31) == 0) {
    times[2 * warp_index()] = start;
    times[2 * warp_index() + 1] = end;
  }
}

// Keeps a value alive without storing it: `data` is never negative.
static __device__ __forceinline__ void use(unsigned *data, unsigned value) {
  if (value == 0x80000001u) data[threadIdx.x] = value;
}

static __device__ __forceinline__ unsigned shared_address(const void *p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}

static __device__ __forceinline__ void ldmatrix4(unsigned (&r)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}

static __device__ __forceinline__ void mma(float (&d)[4], const unsigned (&a)[4], unsigned b0, unsigned b1) {
#if __CUDA_ARCH__ >= 800
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
               "{%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
#else
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[0]), "r"(a[1]), "r"(b0));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(a[2]), "r"(a[3]), "r"(b1));
#endif
}
