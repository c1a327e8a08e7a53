// Warps of a sub-core that want different things: those of `mask` store or load, add or multiply, the others multiply
// matrices. Both go on for a while of their own.
#include "mma.cuh"

// Eight loads, eight stores or sixteen sums.
struct Ldsm {
  static __device__ void go(unsigned (&r)[8][4], unsigned at) {
#pragma unroll
    for (int k = 0; k < 8; ++k) ldmatrix4(r[k], at + 512 * k);
  }
};
struct Sts {
  static __device__ void go(unsigned (&r)[8][4], unsigned at) {
#pragma unroll
    for (int k = 0; k < 8; ++k)
      asm volatile("st.shared.v4.u32 [%4], {%0, %1, %2, %3};" ::"r"(r[k][0]), "r"(r[k][1]), "r"(r[k][2]), "r"(r[k][3]),
                   "r"(at + 512 * k)
                   : "memory");
  }
};
struct Add {
  static __device__ void go(unsigned (&r)[8][4], unsigned at) {
#pragma unroll
    for (int k = 0; k < 16; ++k) asm volatile("add.u32 %0, %0, %1;" : "+r"(r[k / 2][k % 2]) : "r"(at));
  }
};
struct Fma {
  static __device__ void go(unsigned (&r)[8][4], unsigned) {
#pragma unroll
    for (int k = 0; k < 16; ++k)
      asm volatile("{.reg .f32 a; fma.rn.f32 a, %1, %2, %0; mov.b32 %0, a;}"
                   : "+r"(r[k / 2][k % 2])
                   : "r"(r[k / 2][2]), "r"(r[k / 2][3]));
  }
};

template <typename Other, typename Mma>
static __device__ __forceinline__ void among(unsigned *times, const unsigned *data, int others, int turns, int mask) {
  __shared__ __align__(128) unsigned tile[4096];
  for (int i = threadIdx.x; i < 4096; i += blockDim.x) tile[i] = 0;
  const unsigned base = shared_address(tile) + (threadIdx.x & 31) * 16, zero = data[threadIdx.x & 31];
  unsigned r[8][4], sum = 0, start, end;
#pragma unroll
  for (int k = 0; k < 32; ++k) r[k / 4][k % 4] = zero + k;
  __syncthreads();
  if (mask >> (threadIdx.x / 32) & 1) {
    start = now();
#pragma unroll 1
    for (int i = 0; i < others; ++i) {
      Other::go(r, base);
      Other::go(r, base);
    }
#pragma unroll
    for (int k = 0; k < 32; ++k) sum ^= r[k / 4][k % 4];
    end = now();
  } else {
    Mma mma[8] = {};
    const unsigned a[4] = {zero, zero + 1, zero + 2, zero + 3};
    start = now();
#pragma unroll 1
    for (int i = 0; i < turns; ++i)
#pragma unroll
      for (int k = 0; k < 32; ++k) mma[k % 8](a, zero + 4, zero + 5);
    end = now();
    for (int k = 0; k < 8; ++k) sum += static_cast<unsigned>(mma[k].d[0] + mma[k].d[1]);
  }
  use(times, sum);
  keep(times, start, end);
}

#define AMONG(NAME, OTHER, MMA)                                                                                   \
  extern "C" __global__ void NAME(unsigned *times, const unsigned *data, int others, int turns, int mask) { \
    among<OTHER, MMA>(times, data, others, turns, mask);                                                          \
  }
#define AMONG_ALL(NAME, OTHER)                  \
  AMONG(NAME##_16816_f32, OTHER, Mma16816F32)   \
  AMONG(NAME##_16816_f16, OTHER, Mma16816F16)   \
  AMONG(NAME##_1688_f32, OTHER, Mma1688F32)
AMONG_ALL(ldsm_among, Ldsm)
AMONG_ALL(sts_among, Sts)
AMONG_ALL(add_among, Add)
AMONG_ALL(fma_among, Fma)
