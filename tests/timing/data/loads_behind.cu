// What comes behind LDGSTS past L1, when: each warp of one block copies N times 512 bytes, `row` bytes of rows `stride` bytes
// apart that land `pitch` bytes apart, with an LDGDEPBAR behind them (grouped) or none (loose), then asks three times, one after
// the other, for what the name says: LDS of one pass and of eight, LDG that L2 answers and that L1 does, ATOMG of 32 lanes and
// of one, STG. The second of two rounds is told, which begins at a barrier: loads_behind.csv has the cycles, on an H200 at
// 1980 MHz, L2 warm, the last of three launches: of the first warp and of the last one, when its copies had issued, when each
// of three was back, and when all had come. nvcc -arch=sm_90 -cubin; see test_loads_behind.py.
#include "behind.cuh"
enum Kind { LDS1, LDS8, LDG, LDGL1, ATOM, ATOM1, STG };
template <int KIND> struct Ask {
  static constexpr int ROOM = 4096;
  char *mine;
  __device__ __forceinline__ Ask(char *data, unsigned warp, unsigned lane) : mine(data + (8 << 20) + warp * 4096 + lane * 4) {}
  __device__ __forceinline__ unsigned operator()(unsigned base, unsigned lane, int round, int k, unsigned &sum) const {
    unsigned got = 0;
    if (KIND == LDS1) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(got) : "r"(base + lane * 4) : "memory");
    if (KIND == LDS8) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(got) : "r"(base + lane % 8 * 128 + lane / 8 * 4) : "memory");
    if (KIND == LDG) asm volatile("ld.global.u32 %0, [%1];" : "=r"(got) : "l"(mine + (round * 3 + k) * 128) : "memory");
    if (KIND == LDGL1) asm volatile("ld.global.u32 %0, [%1];" : "=r"(got) : "l"(mine + k * 128) : "memory");
    if (KIND == ATOM) asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(got) : "l"(mine + k * 128) : "memory");
    if (KIND == ATOM1) {
      asm volatile("{.reg .pred p; setp.eq.u32 p, %2, 0; @p atom.global.add.u32 %0, [%1], 1;}" : "+r"(got) : "l"(mine + k * 128), "r"(lane) : "memory");
    }
    if (KIND == STG) asm volatile("st.global.u32 [%0], %1;" ::"l"(mine + k * 128), "r"(sum) : "memory");
    return got;
  }
};
#define ONE(N, GROUP, K, name)                                                                           \
  extern "C" __global__ void name##_##N(char *d, unsigned *c, int row, int stride, int pitch) {           \
    behind<N, GROUP, Ask<K>>(d, c, row, stride, pitch);                                                          \
  }
#define ALL(GROUP, K, name) ONE(0, GROUP, K, name) ONE(1, GROUP, K, name) ONE(4, GROUP, K, name) ONE(8, GROUP, K, name) ONE(16, GROUP, K, name)
ALL(0, LDS1, loose_lds1) ALL(0, LDS8, loose_lds8) ALL(0, LDG, loose_ldg) ALL(0, LDGL1, loose_ldgl1) ALL(0, ATOM, loose_atom)
ALL(0, ATOM1, loose_atom1) ALL(0, STG, loose_stg) ALL(1, LDS1, grouped_lds1) ALL(1, LDGL1, grouped_ldgl1)
