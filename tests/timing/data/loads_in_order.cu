// Whether a load waits for what its warp asked for before. Of a block of 5 warps, warp 0 asks for something that DRAM answers (the
// first half of a kernel's name), and `delay` cycles later a warp asks for something that is in L2, in L1 or in shared memory (the
// second half) and waits for it. What that takes is in loads_in_order.csv: the mean of 32 rounds, of 4 launches each behind one that
// reads 400 MB, on an H200 and on an H100. nvcc -arch=sm_90 -cubin; see test_loads_in_order.py.

static __device__ __forceinline__ unsigned now() {
  unsigned c;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
  return c;
}

#define LDG(KIND, PTR) asm volatile("ld.global." KIND ".v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v[0]), "=r"(v[1]), "=r"(v[2]), "=r"(v[3]) : "l"(PTR) : "memory")
#define COPY(KIND, TO, PTR) asm volatile("cp.async." KIND ".shared.global [%0], [%1], 16;\n\tcp.async.commit_group;" ::"r"(TO), "l"(PTR) : "memory")
#define WAIT asm volatile("cp.async.wait_group 0;" ::: "memory")
#define ATOM(PTR) asm volatile("atom.global.add.u32 %0, [%1], 1;" : "=r"(v[0]) : "l"(PTR) : "memory")

struct none { static __device__ void first(unsigned *v, unsigned to, char *p) {} };
struct ldg { static __device__ void first(unsigned *v, unsigned to, char *p) { LDG("cg", p); } };
struct copy_ca { static __device__ void first(unsigned *v, unsigned to, char *p) { COPY("ca", to, p); } };
struct copy_cg { static __device__ void first(unsigned *v, unsigned to, char *p) { COPY("cg", to, p); } };
struct atom { static __device__ void first(unsigned *v, unsigned to, char *p) { ATOM(p); } };
struct stg {
  static __device__ void first(unsigned *v, unsigned to, char *p) { asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(p), "r"(to) : "memory"); }
};
struct red {
  static __device__ void first(unsigned *v, unsigned to, char *p) { asm volatile("red.global.add.u32 [%0], %1;" ::"l"(p), "r"(to) : "memory"); }
};
struct ldg_l2 { static __device__ void then(unsigned *v, unsigned to, char *p, char *q) { LDG("cg", p); } };
struct ldg_l1 { static __device__ void then(unsigned *v, unsigned to, char *p, char *q) { LDG("ca", q); } };
struct copy_l2 { static __device__ void then(unsigned *v, unsigned to, char *p, char *q) { COPY("cg", to, p); WAIT; } };
struct copy_l1 { static __device__ void then(unsigned *v, unsigned to, char *p, char *q) { COPY("ca", to, q); WAIT; } };
struct lds { static __device__ void then(unsigned *v, unsigned to, char *p, char *q) { asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v[0]) : "r"(to) : "memory"); } };
struct atom_l2 { static __device__ void then(unsigned *v, unsigned to, char *p, char *q) { ATOM(p); } };

template <class A, class B>
static __device__ __forceinline__ void body(unsigned *out, char *cold, char *hot, int other, int delay) {
  __shared__ __align__(128) char s[160 * 32];
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  unsigned to = (unsigned)__cvta_generic_to_shared(s) + threadIdx.x * 16, behind = to + 160 * 16, sum = 0, took = 0, u[4] = {0, 0, 0, 0};
  _Pragma("unroll 1") for (int i = 0; i < 32; i++) {  // what L2 is to hold
    unsigned v[4];
    LDG("cg", hot + i * 512 + lane * 16);
    sum += v[0];
  }
  {
    unsigned v[4];
    LDG("ca", hot + lane * 16);  // what L1 is to hold
    sum += v[0];
  }
  __syncthreads();
  char *p = cold + lane * 16, *q = hot + lane * 16;
  _Pragma("unroll 1") for (int r = 0; r < 32; r++) {
    unsigned v[4] = {0, 0, 0, 0};
    if (w == 0) A::first(u, to, p);
    for (unsigned since = now(); now() - since < delay;) {}
    unsigned t = now();
    if (w == other) {
      B::then(v, behind, q, hot + lane * 16);
      sum += v[0] ^ v[1] ^ v[2] ^ v[3];
    }
    if (sum == 0x12345) out[1] = 1;
    if (w == other) took += now() - t;
    WAIT;
    sum += u[0] ^ u[1] ^ u[2] ^ u[3];
    if (sum == 0x12345) out[1] = 1;
    __syncthreads();
    p += 4096, q += 512;
  }
  if (lane == 0 && w == other) out[0] = took;
}

#define KERNEL(A, B) extern "C" __global__ void A##__##B(unsigned *out, char *cold, char *hot, int other, int delay) { body<A, B>(out, cold, hot, other, delay); }
KERNEL(none, ldg_l2) KERNEL(none, ldg_l1) KERNEL(none, copy_l2) KERNEL(none, copy_l1) KERNEL(none, lds) KERNEL(none, atom_l2)
KERNEL(ldg, ldg_l2) KERNEL(ldg, ldg_l1) KERNEL(ldg, copy_l2) KERNEL(ldg, copy_l1) KERNEL(ldg, lds) KERNEL(ldg, atom_l2)
KERNEL(copy_ca, ldg_l2) KERNEL(copy_ca, ldg_l1) KERNEL(copy_ca, copy_l2) KERNEL(copy_ca, copy_l1) KERNEL(copy_ca, atom_l2)
KERNEL(copy_cg, ldg_l2) KERNEL(copy_cg, copy_l2) KERNEL(copy_cg, copy_l1)
KERNEL(atom, ldg_l2) KERNEL(atom, ldg_l1) KERNEL(atom, copy_l2) KERNEL(atom, copy_l1) KERNEL(atom, atom_l2)
KERNEL(stg, ldg_l2) KERNEL(stg, copy_l2) KERNEL(red, ldg_l2) KERNEL(red, copy_l2)
