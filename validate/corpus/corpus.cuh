// What the kernels of the corpus are made of: copies, loads of fragments and stores, each one instruction.
// HINT is the L2 prefetch size in bytes, 0 for none.

#define HINTED(HINT, BEGIN, REST, ...)                                        \
  if constexpr (HINT == 64) asm volatile(BEGIN ".L2::64B" REST __VA_ARGS__);  \
  else if constexpr (HINT == 128) asm volatile(BEGIN ".L2::128B" REST __VA_ARGS__); \
  else if constexpr (HINT == 256) asm volatile(BEGIN ".L2::256B" REST __VA_ARGS__); \
  else asm volatile(BEGIN REST __VA_ARGS__);

template <int WIDTH, int HINT> __device__ __forceinline__ void ldgsts_ca(unsigned to, const char* from) {
  HINTED(HINT, "cp.async.ca.shared.global", " [%0], [%1], %2;", ::"r"(to), "l"(from), "n"(WIDTH))
}
template <int WIDTH, int HINT> __device__ __forceinline__ void ldgsts_cg(unsigned to, const char* from) {
  HINTED(HINT, "cp.async.cg.shared.global", " [%0], [%1], %2;", ::"r"(to), "l"(from), "n"(WIDTH))
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int LEFT> __device__ __forceinline__ void arrived() { asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory"); }
__device__ __forceinline__ void bar(unsigned id, unsigned threads) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(threads) : "memory"); }

#define LDG(NAME, CACHE)                                                                                              \
  template <int HINT> __device__ __forceinline__ void NAME(const char* p, unsigned& a) {                              \
    HINTED(HINT, "ld.global" CACHE, ".u32 %0, [%1];", : "=r"(a) : "l"(p))                                             \
  }                                                                                                                   \
  template <int HINT> __device__ __forceinline__ void NAME(const char* p, unsigned& a, unsigned& b) {                 \
    HINTED(HINT, "ld.global" CACHE, ".v2.u32 {%0, %1}, [%2];", : "=r"(a), "=r"(b) : "l"(p))                           \
  }                                                                                                                   \
  template <int HINT>                                                                                                 \
  __device__ __forceinline__ void NAME(const char* p, unsigned& a, unsigned& b, unsigned& c, unsigned& d) {           \
    HINTED(HINT, "ld.global" CACHE, ".v4.u32 {%0, %1, %2, %3}, [%4];", : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p)) \
  }
LDG(ldg_ca, ".ca")
LDG(ldg_cg, ".cg")
LDG(ldg_nc, ".nc")

__device__ __forceinline__ void sts(unsigned p, unsigned a) { asm volatile("st.shared.u32 [%0], %1;" ::"r"(p), "r"(a) : "memory"); }
__device__ __forceinline__ void sts(unsigned p, unsigned a, unsigned b) { asm volatile("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(p), "r"(a), "r"(b) : "memory"); }
__device__ __forceinline__ void sts(unsigned p, unsigned a, unsigned b, unsigned c, unsigned d) {
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(p), "r"(a), "r"(b), "r"(c), "r"(d) : "memory");
}
__device__ __forceinline__ void lds(unsigned p, unsigned& a) { asm volatile("ld.shared.u32 %0, [%1];" : "=r"(a) : "r"(p) : "memory"); }
__device__ __forceinline__ void lds(unsigned p, unsigned& a, unsigned& b) { asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(p) : "memory"); }
__device__ __forceinline__ void lds(unsigned p, unsigned& a, unsigned& b, unsigned& c, unsigned& d) {
  asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p) : "memory");
}

#define LDSM(NAME, TRANS)                                                                                             \
  __device__ __forceinline__ void NAME(unsigned p, unsigned& a) {                                                     \
    asm volatile("ldmatrix.sync.aligned.m8n8.x1" TRANS ".shared.b16 {%0}, [%1];" : "=r"(a) : "r"(p) : "memory");      \
  }                                                                                                                   \
  __device__ __forceinline__ void NAME(unsigned p, unsigned& a, unsigned& b) {                                        \
    asm volatile("ldmatrix.sync.aligned.m8n8.x2" TRANS ".shared.b16 {%0, %1}, [%2];"                                  \
                 : "=r"(a), "=r"(b) : "r"(p) : "memory");                                                             \
  }                                                                                                                   \
  __device__ __forceinline__ void NAME(unsigned p, unsigned& a, unsigned& b, unsigned& c, unsigned& d) {              \
    asm volatile("ldmatrix.sync.aligned.m8n8.x4" TRANS ".shared.b16 {%0, %1, %2, %3}, [%4];"                          \
                 : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(p) : "memory");                                           \
  }
LDSM(ldsm, "")
LDSM(ldsmt, ".trans")

__device__ __forceinline__ void stg(char* p, unsigned a) { *(unsigned*)p = a; }
__device__ __forceinline__ void stg(char* p, unsigned a, unsigned b) { *(uint2*)p = make_uint2(a, b); }
__device__ __forceinline__ void stg(char* p, unsigned a, unsigned b, unsigned c, unsigned d) { *(uint4*)p = make_uint4(a, b, c, d); }
__device__ __forceinline__ void combine(char* p, unsigned a) { *(unsigned*)p ^= a; }
__device__ __forceinline__ void combine(char* p, unsigned a, unsigned b) {
  const uint2 old = *(const uint2*)p;
  *(uint2*)p = make_uint2(old.x ^ a, old.y ^ b);
}
__device__ __forceinline__ void combine(char* p, unsigned a, unsigned b, unsigned c, unsigned d) {
  const uint4 old = *(const uint4*)p;
  *(uint4*)p = make_uint4(old.x ^ a, old.y ^ b, old.z ^ c, old.w ^ d);
}

__device__ __forceinline__ float ex2(float x) { float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y; }
__device__ __forceinline__ void hfma2(unsigned& x, unsigned y) { asm("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(y)); }
__device__ __forceinline__ unsigned pack(float low, float high) { unsigned r; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(high), "f"(low)); return r; }
