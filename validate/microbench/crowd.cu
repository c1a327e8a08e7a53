// Many warps of one block: barriers of some of them, functions that are called, fragments and stores in shared memory,
// and code that nobody has fetched.
#include "clock.cuh"

// Barriers of `group` threads each, all at the same time.
extern "C" __global__ void named_barriers(unsigned *times, unsigned *data, int loops, int group) {
  const unsigned id = 1 + threadIdx.x / group;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < loops; ++i) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(group) : "memory");
  keep(times, start, now());
}

// Barriers that each warp comes to in its own time: `uneven` multiplications more for each warp before it in turn.
extern "C" __global__ void uneven_barriers(unsigned *times, unsigned *data, int loops, int group, int uneven) {
  const unsigned id = 1 + threadIdx.x / group, warp = threadIdx.x >> 5;
  float x = static_cast<float>(data[threadIdx.x & 31]);
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < loops; ++i) {
    const int extra = uneven * ((warp + i) & 7);
#pragma unroll 1
    for (int k = 0; k < extra; ++k) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(x));
    asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(group) : "memory");
  }
  use(times, static_cast<unsigned>(x));
  keep(times, start, now());
}

static __device__ __noinline__ float called(float x, float y, unsigned u) {
  for (int i = 0; i < 4; ++i) x = fmaf(x, 0.5f, y) + static_cast<float>(u >> 30);
  return x * 0.125f;
}

#define LOOP(NAME, BODY)                                                                         \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int loops) {                  \
    const unsigned seed = data[threadIdx.x & 31] | (threadIdx.x & 31);                           \
    float x0 = 0.25f + seed * 0.001f, x1 = 0.5f + seed * 0.002f;                                 \
    unsigned u0 = seed * 3, u1 = seed * 5;                                                       \
    __syncthreads();                                                                             \
    const unsigned start = now();                                                                \
    _Pragma("unroll 1") for (int i = 0; i < loops; ++i) { BODY; }                                \
    const unsigned end = now();                                                                  \
    use(times, __float_as_uint(x0) + __float_as_uint(x1) + u0 + u1);                             \
    keep(times, start, end);                                                                     \
  }
LOOP(divided, x0 = x0 / (x1 * x1 + 1.25f))
LOOP(divided_twice, x0 = x0 / (x1 * x1 + 1.25f); x1 = x1 / (x0 * x0 + 1.75f))
LOOP(divided_f64, x0 = (float)((double)x0 / ((double)x1 * x1 + 1.25)))
LOOP(remainder_u64, u0 += (unsigned)(((unsigned long long)u1 << 20 | u0) % ((unsigned long long)(u0 | 1u) * 77u)))
LOOP(called_once, x0 = called(x0, x1, u0))

#define EX2(X) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(X))
#define FMA(X) asm volatile("fma.rn.f32 %0, %0, %0, %0;" : "+f"(X))
#define SHFL(U) u1 += __shfl_xor_sync(~0u, U, 1)
LOOP(ex2_x2, EX2(x0); EX2(x1); EX2(x0); EX2(x1))
LOOP(ex2_fma, EX2(x0); FMA(x1); EX2(x0); FMA(x1); FMA(x1); FMA(x1))
LOOP(ex2_shfl, EX2(x0); SHFL(u0); EX2(x1); SHFL(u0))
LOOP(shfl_x4, SHFL(u0); SHFL(u0); SHFL(u0); SHFL(u0))

extern __shared__ __align__(128) unsigned char tile[];

// What mma reads without ldmatrix: a word, or four, of eight rows at a pitch; `sts` stores as many beside them.
template <typename T, int LOADS, int STORES>
static __device__ __forceinline__ void fragments(unsigned *times, unsigned *data, int loops, int pitch) {
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned char *at = tile + warp % 8 * 2048 + lane / 4 * pitch + lane % 4 * sizeof(T);
  unsigned sum = data[lane];
  __syncthreads();
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < loops; ++i) {
    T got[LOADS];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) got[k] = *reinterpret_cast<volatile T *>(at + 16 * k + (sum & 16));
#pragma unroll
    for (int k = 0; k < STORES; ++k) *reinterpret_cast<volatile T *>(at + 16 * k) = got[0];
#pragma unroll
    for (int k = 0; k < LOADS; ++k) sum |= static_cast<unsigned>(got[k]);
  }
  use(times, sum);
  keep(times, start, now());
}
#define FRAGMENTS(NAME, TYPE, LOADS, STORES)                                                  \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int loops, int pitch) {    \
    fragments<TYPE, LOADS, STORES>(times, data, loops, pitch);                                \
  }
FRAGMENTS(lds_4_x4, unsigned, 4, 0)
FRAGMENTS(lds_8_x4, unsigned long long, 4, 0)
FRAGMENTS(lds_4_sts_x4, unsigned, 4, 4)

// Code of 64 multiplications that is passed over, or not: bit k of `mask` is for the k-th of 16 such pieces.
#define PIECE(K)                                                          \
  if (mask >> K & 1) {                                                    \
    _Pragma("unroll") for (int k = 0; k < 32; ++k) { FMA(x); FMA(y); }    \
  }
extern "C" __global__ void pieces_of_code(unsigned *times, unsigned *data, int loops, int mask) {
  float x = static_cast<float>(data[threadIdx.x & 31]), y = x;
  const unsigned start = now();
#pragma unroll 1
  for (int i = 0; i < loops; ++i) {
    PIECE(0) PIECE(1) PIECE(2) PIECE(3) PIECE(4) PIECE(5) PIECE(6) PIECE(7)
    PIECE(8) PIECE(9) PIECE(10) PIECE(11) PIECE(12) PIECE(13) PIECE(14) PIECE(15)
  }
  const unsigned end = now();
  use(times, static_cast<unsigned>(x + y));
  keep(times, start, end);
}

// Rows of a few bytes, stored until they have been answered: `row` bytes next to each other, rows `stride` bytes apart.
template <typename T>
static __device__ __forceinline__ void store_rows(unsigned *times, char *data, int count, int row, int stride) {
  const unsigned at = threadIdx.x * sizeof(T);
  const size_t next = static_cast<size_t>(blockDim.x * sizeof(T) / row) * stride;
  char *to = data + blockIdx.x * next * count + static_cast<size_t>(at / row) * stride + at % row;
  __syncthreads();
  const unsigned start = now();
#pragma unroll 4
  for (int i = 0; i < count; ++i) *reinterpret_cast<volatile T *>(to + i * next) = static_cast<T>(start);
  __threadfence();
  keep(times, start, now());
}
#define STORE(NAME, TYPE)                                                                             \
  extern "C" __global__ void NAME(unsigned *times, char *data, int count, int row, int stride) {      \
    store_rows<TYPE>(times, data, count, row, stride);                                                \
  }
STORE(store_rows_4, unsigned)
STORE(store_rows_8, unsigned long long)
