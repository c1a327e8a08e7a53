// Matrix instructions of other shapes and types than tensor.cu's: one chain, and chains side by side.
#include "clock.cuh"

#define CHAINS_OF(NAME, CHAINS, TYPE, WORDS, INSTRUCTION)                                     \
  extern "C" __global__ void NAME(unsigned *times, unsigned *data, int loops) {               \
    TYPE d[CHAINS][WORDS] = {};                                                               \
    const unsigned a = data[threadIdx.x & 31], b = data[32 + (threadIdx.x & 31)];             \
    const double da = __hiloint2double(a, a), db = __hiloint2double(b, b);                    \
    __syncthreads();                                                                          \
    const unsigned start = now();                                                             \
    for (int i = 0; i < loops; ++i)                                                           \
      _Pragma("unroll") for (int round = 0; round < 2; ++round)                               \
          _Pragma("unroll") for (int c = 0; c < CHAINS; ++c) { INSTRUCTION(d[c]); }           \
    const unsigned end = now();                                                               \
    TYPE sum = 0;                                                                             \
    for (int c = 0; c < CHAINS; ++c)                                                          \
      for (int w = 0; w < WORDS; ++w) sum += d[c][w];                                         \
    use(times, static_cast<unsigned>(sum + static_cast<TYPE>(da + db)));                      \
    keep(times, start, end);                                                                  \
  }

#define D4 "{%0, %1, %2, %3}"
#define F32(D) "+f"(D[0]), "+f"(D[1]), "+f"(D[2]), "+f"(D[3])
#define S32(D) "+r"(D[0]), "+r"(D[1]), "+r"(D[2]), "+r"(D[3])
#define F64(D) "+d"(D[0]), "+d"(D[1]), "+d"(D[2]), "+d"(D[3])
#define MMA_1684_F64(D) \
  asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 " D4 ", {%4, %4}, {%5}, " D4 ";" : F64(D) : "d"(da), "d"(db))
#define MMA_1688_F64(D) \
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 " D4 ", {%4, %4, %4, %4}, {%5, %5}, " D4 ";" : F64(D) : "d"(da), "d"(db))
#define MMA_16816_F64(D)                                                                                                             \
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 " D4 ", {%4, %4, %4, %4, %4, %4, %4, %4}, {%5, %5, %5, %5}, " D4 ";" \
               : F64(D)                                                                                                              \
               : "d"(da), "d"(db))
#define MMA_8816_S8(D)                                                                               \
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};" \
               : "+r"(D[0]), "+r"(D[1])                                                              \
               : "r"(a), "r"(b))
#define MMA_16864_S4(D) \
  asm volatile("mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 " D4 ", {%4, %4, %4, %4}, {%5, %5}, " D4 ";" : S32(D) : "r"(a), "r"(b))
#define MMA_16832_E4M3(D) \
  asm volatile("mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 " D4 ", {%4, %4, %4, %4}, {%5, %5}, " D4 ";" : F32(D) : "r"(a), "r"(b))
#define MMA_1688_BF16(D) \
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 " D4 ", {%4, %4}, {%5}, " D4 ";" : F32(D) : "r"(a), "r"(b))
CHAINS_OF(dmma_1684_x1, 1, double, 4, MMA_1684_F64)
CHAINS_OF(dmma_1684_x4, 4, double, 4, MMA_1684_F64)
CHAINS_OF(dmma_1688_x1, 1, double, 4, MMA_1688_F64)
CHAINS_OF(dmma_1688_x4, 4, double, 4, MMA_1688_F64)
CHAINS_OF(dmma_16816_x1, 1, double, 4, MMA_16816_F64)
CHAINS_OF(dmma_16816_x4, 4, double, 4, MMA_16816_F64)
CHAINS_OF(imma_8816_s8_x1, 1, int, 2, MMA_8816_S8)
CHAINS_OF(imma_8816_s8_x8, 8, int, 2, MMA_8816_S8)
CHAINS_OF(imma_16864_s4_x4, 4, int, 4, MMA_16864_S4)
CHAINS_OF(hmma_16832_e4m3_x4, 4, float, 4, MMA_16832_E4M3)
CHAINS_OF(hmma_1688_bf16_x1, 1, float, 4, MMA_1688_BF16)
CHAINS_OF(hmma_1688_bf16_x8, 8, float, 4, MMA_1688_BF16)
