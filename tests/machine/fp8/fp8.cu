// mma.sync on fp8, which Ada executes as QMMA: every form once for each block, and a chain of each between clock reads.
// nvcc -cubin -arch=sm_89 fp8.cu -o fp8.cubin, and simtc sass fp8.cubin --write-listing fp8_sm89.sass
#define REGISTERS_32_F32 "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
#define REGISTERS_16_F32 "{%0, %1, %2, %3}, {%4, %5}, {%8}, {%0, %1, %2, %3};"
#define REGISTERS_32_F16 "{%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
#define REGISTERS_16_F16 "{%0, %1}, {%2, %3}, {%6}, {%0, %1};"
#define D_F32 "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define D_F16 "+r"(d[0]), "+r"(d[1])
#define WORDS_F32 4
#define WORDS_F16 2
#define MMA(K, C, A, B, FORM)                                                                              \
  asm volatile("mma.sync.aligned.m16n8k" #K ".row.col." #C "." #A "." #B "." #C " " REGISTERS_##K##_##FORM : D_##FORM \
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

// Registers as (block, register, lane), as the campaign `numerics` packs them.
#define PRODUCT(K, C, A, B, FORM)                                                                                    \
  extern "C" __global__ void m16n8k##K##_##C##_##A##_##B(const unsigned *pa, const unsigned *pb, const unsigned *pc, \
                                                         unsigned *pd) {                                             \
    const int lane = threadIdx.x, at = blockIdx.x;                                                                   \
    unsigned a[4] = {}, b[2] = {}, d[WORDS_##FORM];                                                                  \
    for (int i = 0; i < K / 8; ++i) a[i] = pa[(at * (K / 8) + i) * 32 + lane];                                       \
    for (int i = 0; i < K / 16; ++i) b[i] = pb[(at * (K / 16) + i) * 32 + lane];                                     \
    for (int i = 0; i < WORDS_##FORM; ++i) d[i] = pc[(at * WORDS_##FORM + i) * 32 + lane];                           \
    MMA(K, C, A, B, FORM);                                                                                           \
    for (int i = 0; i < WORDS_##FORM; ++i) pd[(at * WORDS_##FORM + i) * 32 + lane] = d[i];                           \
  }

// 8 instructions a lap, each of which accumulates onto the result of the one before.
#define CHAIN(K, C, FORM)                                                                                      \
  extern "C" __global__ void chain_m16n8k##K##_##C(unsigned *times, const unsigned *in, unsigned *out, int laps) { \
    const unsigned x = in[threadIdx.x], y = in[32 + threadIdx.x], a[4] = {x, x, x, x}, b[2] = {y, y};          \
    unsigned d[WORDS_##FORM] = {}, sum = 0;                                                                    \
    __syncwarp();                                                                                              \
    const unsigned start = clock();                                                                            \
    _Pragma("unroll 1") for (int lap = 0; lap < laps; ++lap)                                                   \
      _Pragma("unroll") for (int i = 0; i < 8; ++i) MMA(K, C, e4m3, e5m2, FORM);                               \
    const unsigned end = clock();                                                                              \
    for (int i = 0; i < WORDS_##FORM; ++i) sum += d[i];                                                        \
    out[threadIdx.x] = sum;                                                                                    \
    times[threadIdx.x] = end - start;                                                                          \
  }

#define ALL(K, C, FORM)           \
  PRODUCT(K, C, e4m3, e4m3, FORM) \
  PRODUCT(K, C, e4m3, e5m2, FORM) \
  PRODUCT(K, C, e5m2, e4m3, FORM) \
  PRODUCT(K, C, e5m2, e5m2, FORM) \
  CHAIN(K, C, FORM)
ALL(16, f32, F32)
ALL(16, f16, F16)
ALL(32, f32, F32)
ALL(32, f16, F16)
