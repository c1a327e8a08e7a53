// Matrix instructions: chains of dependent ones, several chains side by side, and with ldmatrix between them.
#include "clock.cuh"

// CHAINS chains of one instruction, ROUNDS rounds a loop. INSTRUCTION(d) accumulates on d.
#define CHAINS_OF(NAME, CHAINS, TYPE, WORDS, INSTRUCTION)                                     \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int loops) {               \
    TYPE d[CHAINS][WORDS] = {};                                                               \
    const unsigned a = data[threadIdx.x & 31], b = data[32 + (threadIdx.x & 31)];             \
    __syncthreads();                                                                          \
    const unsigned start = now();                                                             \
    for (int i = 0; i < loops; ++i)                                                           \
      _Pragma("unroll") for (int round = 0; round < 8; ++round)                               \
          _Pragma("unroll") for (int c = 0; c < CHAINS; ++c) { INSTRUCTION(d[c]); }           \
    const unsigned end = now();                                                               \
    TYPE sum = 0;                                                                             \
    for (int c = 0; c < CHAINS; ++c)                                                          \
      for (int w = 0; w < WORDS; ++w) sum += d[c][w];                                         \
    use(data, static_cast<unsigned>(sum));                                                    \
    keep(times, start, end);                                                                  \
  }

#define F32(D) "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])
#define S32(D) "+r"(D[0]), "+r"(D[1]), "+r"(D[2]), "+r"(D[3])
#define D4 "{%0, %1, %2, %3}"
#define MMA_1688_F32(D) \
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " D4 ", {%4, %4}, {%5}, " D4 ";" : F32(D) : "r"(a), "r"(b))
#define MMA_1688_F16(D)                                                                                  \
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %2}, {%3}, {%0, %1};" \
               : "+r"(D[0]), "+r"(D[1])                                                                  \
               : "r"(a), "r"(b))
CHAINS_OF(hmma_1688_f32_x1, 1, float, 4, MMA_1688_F32)
CHAINS_OF(hmma_1688_f32_x2, 2, float, 4, MMA_1688_F32)
CHAINS_OF(hmma_1688_f32_x8, 8, float, 4, MMA_1688_F32)
CHAINS_OF(hmma_1688_f16_x1, 1, unsigned, 2, MMA_1688_F16)
CHAINS_OF(hmma_1688_f16_x8, 8, unsigned, 2, MMA_1688_F16)

#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
#define A4 "{%4, %4, %4, %4}, {%5, %5}"
#define MMA_16816_F32(D) \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 " D4 ", " A4 ", " D4 ";" : F32(D) : "r"(a), "r"(b))
#define MMA_16816_F16(D)                                                                                            \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %2, %2, %2}, {%3, %3}, {%0, %1};" \
               : "+r"(D[0]), "+r"(D[1])                                                                             \
               : "r"(a), "r"(b))
#define MMA_16816_BF16(D) \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 " D4 ", " A4 ", " D4 ";" : F32(D) : "r"(a), "r"(b))
#define MMA_1684_TF32(D) \
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 " D4 ", {%4, %4}, {%5}, " D4 ";" : F32(D) : "r"(a), "r"(b))
#define MMA_1688_TF32(D) \
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 " D4 ", " A4 ", " D4 ";" : F32(D) : "r"(a), "r"(b))
#define MMA_16816_S8(D) \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 " D4 ", {%4, %4}, {%5}, " D4 ";" : S32(D) : "r"(a), "r"(b))
#define MMA_16832_S8(D) \
  asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 " D4 ", " A4 ", " D4 ";" : S32(D) : "r"(a), "r"(b))
#define MMA_884_F64(D)                                                                               \
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" \
               : "+d"(D[0]), "+d"(D[1])                                                              \
               : "d"(__hiloint2double(a, a)), "d"(__hiloint2double(b, b)))
CHAINS_OF(hmma_16816_f32_x1, 1, float, 4, MMA_16816_F32)
CHAINS_OF(hmma_16816_f32_x2, 2, float, 4, MMA_16816_F32)
CHAINS_OF(hmma_16816_f32_x8, 8, float, 4, MMA_16816_F32)
CHAINS_OF(hmma_16816_f16_x1, 1, unsigned, 2, MMA_16816_F16)
CHAINS_OF(hmma_16816_f16_x8, 8, unsigned, 2, MMA_16816_F16)
CHAINS_OF(hmma_16816_bf16_x1, 1, float, 4, MMA_16816_BF16)
CHAINS_OF(hmma_16816_bf16_x8, 8, float, 4, MMA_16816_BF16)
CHAINS_OF(hmma_1684_tf32_x1, 1, float, 4, MMA_1684_TF32)
CHAINS_OF(hmma_1684_tf32_x8, 8, float, 4, MMA_1684_TF32)
CHAINS_OF(hmma_1688_tf32_x1, 1, float, 4, MMA_1688_TF32)
CHAINS_OF(hmma_1688_tf32_x8, 8, float, 4, MMA_1688_TF32)
CHAINS_OF(imma_16816_s8_x1, 1, int, 4, MMA_16816_S8)
CHAINS_OF(imma_16816_s8_x8, 8, int, 4, MMA_16816_S8)
CHAINS_OF(imma_16832_s8_x1, 1, int, 4, MMA_16832_S8)
CHAINS_OF(imma_16832_s8_x8, 8, int, 4, MMA_16832_S8)
CHAINS_OF(dmma_884_x1, 1, double, 2, MMA_884_F64)
CHAINS_OF(dmma_884_x4, 4, double, 2, MMA_884_F64)
#endif

// The inner loop of a GEMM without its loads from global memory: each step multiplies an (M, N) grid of tiles with
// fragments that ldmatrix brought one step before.
template <int M, int N>
static __device__ __forceinline__ void multiply(unsigned *times, unsigned *data, int steps) {
  __shared__ __align__(128) unsigned tile[8192];
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) tile[i] = 0;
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const unsigned base = shared_address(tile) + lane * 16;
  float d[M][N][4] = {};
  unsigned a[2][M][4], b[2][(N + 1) / 2][4];
  __syncthreads();
  const unsigned start = now();
  for (int m = 0; m < M; ++m) ldmatrix4(a[0][m], base + 512 * m);
  for (int n = 0; n < (N + 1) / 2; ++n) ldmatrix4(b[0][n], base + 16384 + 512 * n);
  for (int step = 0; step < steps; step += 2) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned next = base + ((step + half) * 512 + warp * 2048) % 8192;
#pragma unroll
      for (int m = 0; m < M; ++m) ldmatrix4(a[half ^ 1][m], next + 512 * m);
#pragma unroll
      for (int n = 0; n < (N + 1) / 2; ++n) ldmatrix4(b[half ^ 1][n], next + 16384 + 512 * n);
#pragma unroll
      for (int m = 0; m < M; ++m)
#pragma unroll
        for (int n = 0; n < N; ++n) mma(d[m][n], a[half][m], b[half][n / 2][2 * (n % 2)], b[half][n / 2][2 * (n % 2) + 1]);
    }
  }
  const unsigned end = now();
  float sum = 0;
  for (int m = 0; m < M; ++m)
    for (int n = 0; n < N; ++n) sum += d[m][n][0] + d[m][n][1] + d[m][n][2] + d[m][n][3];
  use(data, static_cast<unsigned>(sum));
  keep(times, start, end);
}

extern "C" __global__ void multiply_1x2(unsigned *times, unsigned *data, int steps) { multiply<1, 2>(times, data, steps); }
extern "C" __global__ void multiply_2x2(unsigned *times, unsigned *data, int steps) { multiply<2, 2>(times, data, steps); }
extern "C" __global__ void multiply_2x4(unsigned *times, unsigned *data, int steps) { multiply<2, 4>(times, data, steps); }
extern "C" __global__ void multiply_4x4(unsigned *times, unsigned *data, int steps) { multiply<4, 4>(times, data, steps); }
extern "C" __global__ void multiply_4x8(unsigned *times, unsigned *data, int steps) { multiply<4, 8>(times, data, steps); }

#if __CUDA_ARCH__ >= 800 || !defined(__CUDA_ARCH__)
// A matrix instruction and its accumulators.
struct Mma16816F32 {
  float d[4];
  __device__ void operator()(const unsigned (&a)[4], unsigned b0, unsigned b1) { mma(d, a, b0, b1); }
};
struct Mma16816F16 {
  unsigned d[2];
  __device__ void operator()(const unsigned (&a)[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
  }
};
struct Mma1688F32 {
  float d[4];
  __device__ void operator()(const unsigned (&a)[4], unsigned b0, unsigned) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 " D4 ", {%4, %5}, {%6}, " D4 ";"
                 : F32(d)
                 : "r"(a[0]), "r"(a[1]), "r"(b0));
  }
};

// A link of a chain of loads or additions; shared memory is all zeros.
struct Ldmatrix {
  static __device__ unsigned link(unsigned at, unsigned base) {
    unsigned r[4];
    ldmatrix4(r, at);
    return base + (r[0] & 4096);
  }
};
struct Load {
  static __device__ unsigned link(unsigned at, unsigned base) {
    unsigned r;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(at));
    return base + r;
  }
};
struct Add {
  static __device__ unsigned link(unsigned at, unsigned base) {
    unsigned r;
    asm volatile("add.u32 %0, %1, %2;" : "=r"(r) : "r"(at), "r"(base));
    return r;
  }
};

// What one warp's chain takes while the others keep the tensor cores, and the registers' ports, busy: warp 4 and every
// fourth after it are its neighbours on its sub-core. They go on for `turns` rounds of 8, longer than the chain.
template <typename Chain, typename Mma>
static __device__ __forceinline__ void beside(unsigned *times, const unsigned *data, int links, int turns) {
  __shared__ __align__(128) unsigned tile[2048];
  __shared__ unsigned from, to;
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) tile[i] = 0;
  const unsigned zero = data[threadIdx.x & 31];
  __syncthreads();
  if (threadIdx.x >= 32) {
    Mma mma[8] = {};
    const unsigned a[4] = {zero, zero + 1, zero + 2, zero + 3};
    for (int i = 0; i < turns; ++i)
#pragma unroll
      for (int k = 0; k < 8; ++k) mma[k](a, zero + 4, zero + 5);
    unsigned sum = 0;
    for (int k = 0; k < 8; ++k) sum += static_cast<unsigned>(mma[k].d[0] + mma[k].d[1]);
    use(times, sum);
  } else {
    const unsigned base = shared_address(tile) + (threadIdx.x & 31) * 16 + zero, begin = now();
    unsigned at = base;
    while (now() - begin < 200) continue;
    const unsigned start = now();
    for (int i = 0; i < links; i += 16)
#pragma unroll
      for (int k = 0; k < 16; ++k) at = Chain::link(at, base);
    const unsigned end = now();
    if (threadIdx.x == 0) from = start, to = end;
    use(times, at);
  }
  __syncthreads();
  keep(times, from, to);
}
#define BESIDE(NAME, CHAIN, MMA)                                                                     \
  extern "C" __global__ void NAME(unsigned *times, const unsigned *data, int links, int turns) { \
    beside<CHAIN, MMA>(times, data, links, turns);                                                   \
  }
BESIDE(ldsm_beside_16816_f32, Ldmatrix, Mma16816F32)
BESIDE(ldsm_beside_16816_f16, Ldmatrix, Mma16816F16)
BESIDE(ldsm_beside_1688_f32, Ldmatrix, Mma1688F32)
BESIDE(lds_beside_16816_f32, Load, Mma16816F32)
BESIDE(lds_beside_16816_f16, Load, Mma16816F16)
BESIDE(lds_beside_1688_f32, Load, Mma1688F32)
BESIDE(iadd_beside_16816_f32, Add, Mma16816F32)
BESIDE(iadd_beside_16816_f16, Add, Mma16816F16)
BESIDE(iadd_beside_1688_f32, Add, Mma1688F32)

// A main loop whose fragments come when they are needed; each `group` threads meet at a barrier of their own, as if
// they were a block.
template <typename Mma>
static __device__ __forceinline__ void needed(unsigned *times, const unsigned *data, int steps, int group) {
  __shared__ __align__(128) unsigned tile[6144];
  for (int i = threadIdx.x; i < 6144; i += blockDim.x) tile[i] = 0;
  const unsigned base = shared_address(tile) + (threadIdx.x & 31) * 16, barrier = 1 + threadIdx.x / group;
  Mma mma[4][4] = {};
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const unsigned at = base + (step & 1) * 2048 + half * 4096;
      unsigned a[4][4], b[2][4];
#pragma unroll
      for (int m = 0; m < 4; ++m) ldmatrix4(a[m], at + 512 * m);
#pragma unroll
      for (int n = 0; n < 2; ++n) ldmatrix4(b[n], at + 8192 + 512 * n);
#pragma unroll
      for (int m = 0; m < 4; ++m)
#pragma unroll
        for (int n = 0; n < 4; ++n) mma[m][n](a[m], b[n / 2][2 * (n % 2)], b[n / 2][2 * (n % 2) + 1]);
    }
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(group) : "memory");
  }
  const unsigned end = now();
  unsigned sum = 0;
  for (int m = 0; m < 4; ++m)
    for (int n = 0; n < 4; ++n) sum += static_cast<unsigned>(mma[m][n].d[0] + mma[m][n].d[1]);
  use(times, sum);
  keep(times, start, end);
}
extern "C" __global__ void needed_16816_f32(unsigned *times, const unsigned *data, int steps, int group) {
  needed<Mma16816F32>(times, data, steps, group);
}
extern "C" __global__ void needed_16816_f16(unsigned *times, const unsigned *data, int steps, int group) {
  needed<Mma16816F16>(times, data, steps, group);
}
extern "C" __global__ void needed_1688_f32(unsigned *times, const unsigned *data, int steps, int group) {
  needed<Mma1688F32>(times, data, steps, group);
}
#endif
