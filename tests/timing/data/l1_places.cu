// What takes a place of L1 while it is on its way (test_l1_places.py): lines of rows that warps load or copy, and
// the answers of atomics. Each warp notes the SM's clock before and after.

__device__ void note(long long* out, long long begin, int used) {
  long long end = clock64();
  int warp = threadIdx.x >> 5;
  if (used == 0x7fffffff) out[63] = used;
  if ((threadIdx.x & 31) == 0) { out[2 * warp] = begin; out[2 * warp + 1] = end; }
}

enum Kind { CA, CG, NC, COPY };

#define LOAD(HOW)                                                                                                    \
  if (BYTES == 4) asm volatile("ld.global." HOW ".b32 %0, [%1];" : "=r"(r[0]) : "l"(from) : "memory");               \
  if (BYTES == 8)                                                                                                    \
    asm volatile("ld.global." HOW ".v2.b32 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "l"(from) : "memory");         \
  if (BYTES == 16)                                                                                                   \
    asm volatile("ld.global." HOW ".v4.b32 {%0,%1,%2,%3}, [%4];"                                                     \
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "l"(from) : "memory");

// 64 instructions of each warp, four at once; `lanes` says where each lane's bytes are, `apart` how far the next ones.
template <Kind KIND, int BYTES>
__device__ void rows(const char* p, long long* out, const long long* lanes, long long apart) {
  extern __shared__ char to[];
  const char* from = p + lanes[threadIdx.x & 31] + (threadIdx.x >> 5) * apart;
  unsigned shared = (unsigned)__cvta_generic_to_shared(to) + threadIdx.x * BYTES;
  int sum = 0;
  __syncthreads();
  long long begin = clock64();
  for (int k = 0; k < 16; k++) {
    int all[16];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      int* r = all + 4 * i;
      r[0] = r[1] = r[2] = r[3] = 0;
      if (KIND == CA) { LOAD("ca") }
      if (KIND == CG) { LOAD("cg") }
      if (KIND == NC) { LOAD("nc") }
      if (KIND == COPY)
        asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" :: "r"(shared), "l"(from), "n"(BYTES) : "memory");
      from += (blockDim.x >> 5) * apart;
    }
    if (KIND == COPY) asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll
    for (int i = 0; i < 16; i++) sum += all[i];
  }
  note(out, begin, sum);
}

#define ROWS(NAME, KIND, BYTES)                                                                                      \
  extern "C" __global__ void NAME(const char* p, long long* out, const long long* lanes, long long apart) {          \
    rows<KIND, BYTES>(p, out, lanes, apart);                                                                         \
  }
ROWS(ca_4, CA, 4) ROWS(ca_16, CA, 16) ROWS(cg_4, CG, 4) ROWS(cg_16, CG, 16) ROWS(nc_16, NC, 16)
ROWS(copy_4, COPY, 4) ROWS(copy_16, COPY, 16)

#define ATOMIC(TO) asm volatile("atom.global.max.s32 %0, [%1], %2;" : "=r"(r[i]) : "l"(TO), "r"(lane + i) : "memory")

// 16 atomics of each warp, eight at once: lanes whose numbers differ in the lowest BITS bits meet at one word, the
// others' are `gap` words apart, and those of the next warp `apart` words.
template <int BITS>
__device__ void meets(int* p, long long* out, int gap, int apart) {
  int lane = threadIdx.x & 31, sum = 0;
  int* to = p + (lane >> BITS) * gap + (threadIdx.x >> 5) * apart;
  asm volatile("{.reg .s32 r; ld.global.s32 r, [%0];}" :: "l"(to) : "memory");
  __syncthreads();
  long long begin = clock64();
  for (int k = 0; k < 2; k++) {
    int r[8];
#pragma unroll
    for (int i = 0; i < 8; i++) ATOMIC(to);
#pragma unroll
    for (int i = 0; i < 8; i++) sum += r[i];
  }
  note(out, begin, sum);
}

#define MEETS(BITS)                                                                                                  \
  extern "C" __global__ void meets_##BITS(int* p, long long* out, int gap, int apart) { meets<BITS>(p, out, gap, apart); }
MEETS(0) MEETS(1) MEETS(2) MEETS(3) MEETS(4) MEETS(5)

// Eight atomics of warps of even number at one word of a line, of the others at one of another.
extern "C" __global__ void pair(int* p, long long* out, long long a, long long b) {
  int lane = threadIdx.x & 31, sum = 0, r[8];
  int* to = p + ((threadIdx.x >> 5) & 1 ? b : a);
  asm volatile("{.reg .s32 r; ld.global.s32 r, [%0];}" :: "l"(to) : "memory");
  __syncthreads();
  long long begin = clock64();
#pragma unroll
  for (int i = 0; i < 8; i++) ATOMIC(to);
#pragma unroll
  for (int i = 0; i < 8; i++) sum += r[i];
  note(out, begin, sum);
}

enum Beside { HIT, SHARED, STORE, SHARED_STORE, MISS };

// 64 atomics of each of the first warps at one word, beside them 64 other instructions of each other one.
template <Beside KIND>
__device__ void beside(int* p, long long* out, int* big, int atomics) {
  extern __shared__ int words[];
  int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, sum = 0;
  int* own = big + warp * 32 + lane;
  unsigned shared = (unsigned)__cvta_generic_to_shared(words + threadIdx.x);
  words[threadIdx.x] = lane;
  asm volatile("{.reg .s32 r; ld.global.ca.s32 r, [%0];}" :: "l"(own) : "memory");
  asm volatile("{.reg .s32 r; ld.global.s32 r, [%0];}" :: "l"(p) : "memory");
  __syncthreads();
  long long begin = clock64();
  for (int k = 0; k < 16; k++) {
    int r[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
      r[i] = i;
      if (warp < atomics) ATOMIC(p);
      else if (KIND == HIT) asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(r[i]) : "l"(own) : "memory");
      else if (KIND == SHARED) asm volatile("ld.shared.s32 %0, [%1];" : "=r"(r[i]) : "r"(shared) : "memory");
      else if (KIND == STORE) asm volatile("st.global.s32 [%0], %1;" :: "l"(own), "r"(i) : "memory");
      else if (KIND == SHARED_STORE) asm volatile("st.shared.s32 [%0], %1;" :: "r"(shared), "r"(i) : "memory");
      else { asm volatile("ld.global.ca.s32 %0, [%1];" : "=r"(r[i]) : "l"(own) : "memory"); own += 4096; }
    }
#pragma unroll
    for (int i = 0; i < 4; i++) sum += r[i];
  }
  note(out, begin, sum);
}

#define BESIDE(NAME, KIND)                                                                                           \
  extern "C" __global__ void NAME(int* p, long long* out, int* big, int atomics) { beside<KIND>(p, out, big, atomics); }
BESIDE(beside_ldg, HIT) BESIDE(beside_lds, SHARED) BESIDE(beside_stg, STORE) BESIDE(beside_sts, SHARED_STORE)
BESIDE(beside_miss, MISS)
