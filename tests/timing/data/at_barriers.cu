// What a warp issues while it waits at a barrier: two warps, the second of which comes some 2,300 cycles after the first.
// Behind the barrier there is one instruction, or what it needs, and a clock. at_barriers.csv has when the first warp reads
// that clock (stamp), and one behind a second barrier (opens), in cycles from a clock in front of the first; kernel hmma_0
// has a barrier whose number is in the code, hmma_1 one whose number is in a register. One block on an H200 at 1980 MHz.
// nvcc -arch=sm_90 -cubin; see test_at_barriers.py.
#include <cstdint>

#include "stamp.cuh"
#define IN_CODE asm volatile("bar.sync 0;" ::: "memory")
#define IN_REGISTER asm volatile("bar.sync %0,64;" ::"r"(id) : "memory")
#define KERNEL(NAME, ...) \
  extern "C" __global__ void NAME##_0(unsigned *out, const unsigned *g, int zero, int late) { BODY(IN_CODE, __VA_ARGS__) }
#define BOTH(NAME, ...) \
  KERNEL(NAME, __VA_ARGS__) \
  extern "C" __global__ void NAME##_1(unsigned *out, const unsigned *g, int zero, int late) { BODY(IN_REGISTER, __VA_ARGS__) }
#define BODY(BAR, ...) \
  __shared__ unsigned s[1024]; \
  unsigned opaque = (threadIdx.x & 31) + zero, a = 0, b = 0, c = 0, r0 = g[threadIdx.x], r1 = g[threadIdx.x + 64], r2 = r0 + 7, r3 = r1 ^ 3; \
  float f0 = __uint_as_float(r0 & 0x3fffffff), f1 = 1.5f; \
  double d0 = f0; \
  int id = 1 + zero; \
  unsigned sp = (uint32_t)__cvta_generic_to_shared(s) + (opaque) * 4; \
  const unsigned *gp = g + opaque; \
  unsigned *op = out + 1024 + threadIdx.x; \
  float q0 = f0, q1 = f0, q2 = f0, q3 = f0; \
  int i0 = r0, i1 = r1, i2 = r2, i3 = r3; \
  double e0 = d0, e1 = d0; \
  s[threadIdx.x] = r0; \
  __syncthreads(); \
  if (threadIdx.x >= 32) { \
    for (int i = 0; i < late; i++) asm volatile("fma.rn.f32 %0,%0,%1,%1;" : "+f"(f1) : "f"(f0) : "memory"); \
  } \
  STAMP(a) BAR; \
  __VA_ARGS__; \
  STAMP(b) __syncthreads(); \
  STAMP(c) \
  out[threadIdx.x * 4] = a; \
  out[threadIdx.x * 4 + 1] = b; \
  out[threadIdx.x * 4 + 2] = c; \
  out[threadIdx.x * 4 + 3] = r0 + r1 + r2 + r3 + __float_as_uint(f0) + __float_as_uint(f1) + (unsigned)d0 + \
                             __float_as_uint(q0 + q1 + q2 + q3) + i0 + i1 + i2 + i3 + (unsigned)(e0 + e1);
BOTH(ffma, asm volatile("fma.rn.f32 %0,%0,%0,%0;":"+f"(f0)::"memory"))
KERNEL(iadd, asm volatile("add.u32 %0,%0,%1;":"+r"(r0):"r"(r1):"memory"))
KERNEL(imad, asm volatile("mad.lo.u32 %0,%0,%1,%1;":"+r"(r0):"r"(r1):"memory"))
KERNEL(wide, asm volatile("{.reg .u64 t; mul.wide.u32 t,%0,%1; mov.b64 {%0,%1},t;}":"+r"(r0),"+r"(r1)::"memory"))
KERNEL(hfma2, asm volatile("fma.rn.f16x2 %0,%0,%1,%1;":"+r"(r0):"r"(r1):"memory"))
KERNEL(dfma, asm volatile("fma.rn.f64 %0,%0,%0,%0;":"+d"(d0)::"memory"))
KERNEL(mufu, asm volatile("ex2.approx.f32 %0,%0;":"+f"(f0)::"memory"))
KERNEL(i2f, asm volatile("cvt.rn.f32.u64 %0,%1;":"+f"(f0):"l"((unsigned long long)r0<<20):"memory"))
KERNEL(f2i, asm volatile("cvt.rzi.s32.f32 %0,%1;":"+r"(r0):"f"(f0):"memory"))
KERNEL(popc, asm volatile("popc.b32 %0,%0;":"+r"(r0)::"memory"))
KERNEL(flo, asm volatile("bfind.u32 %0,%0;":"+r"(r0)::"memory"))
KERNEL(shfl, asm volatile("shfl.sync.bfly.b32 %0,%0,1,31,-1;":"+r"(r0)::"memory"))
KERNEL(vote, asm volatile("{.reg .pred p; setp.ne.u32 p,%0,3; vote.sync.ballot.b32 %0,p,-1;}":"+r"(r0)::"memory"))
KERNEL(redux, asm volatile("redux.sync.add.u32 %0,%0,-1;":"+r"(r0)::"memory"))
KERNEL(s2r, asm volatile("mov.u32 %0,%%lanemask_lt;":"+r"(r0)::"memory"))
KERNEL(smid, asm volatile("mov.u32 %0,%%smid;":"+r"(r0)::"memory"))
BOTH(hmma, asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};":"+f"(q0),"+f"(q1),"+f"(q2),"+f"(q3):"r"(r0),"r"(r1),"r"(r2):"memory"))
KERNEL(hmma16, asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+f"(q0),"+f"(q1),"+f"(q2),"+f"(q3):"r"(r0),"r"(r1),"r"(r2),"r"(r3),"r"(r1),"r"(r0):"memory"))
BOTH(imma, asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};":"+r"(i0),"+r"(i1),"+r"(i2),"+r"(i3):"r"(r0),"r"(r1),"r"(r2),"r"(r3),"r"(r1),"r"(r0):"memory"))
BOTH(dmma, asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1},{%2},{%3},{%0,%1};":"+d"(e0),"+d"(e1):"d"(d0),"d"(d0):"memory"))
KERNEL(branch, if(opaque>1000){ asm volatile("fma.rn.f32 %0,%0,%0,%0;":"+f"(f0)::"memory"); asm volatile("st.shared.u32 [%0],%1;"::"r"(sp),"r"(r0):"memory"); r1=s[r0&63]; r2=s[r1&63]; for(int i=0;i<(int)r2;i++) s[i]=r1*i; })
KERNEL(uniform, for(int i=0;i<late>>30;i++) asm volatile("fma.rn.f32 %0,%0,%0,%0;":"+f"(f0)::"memory"))
BOTH(lds, asm volatile("ld.shared.u32 %0,[%1];":"+r"(r0):"r"(sp):"memory"))
BOTH(sts, asm volatile("st.shared.u32 [%0],%1;"::"r"(sp),"r"(r0):"memory"))
KERNEL(ldg, asm volatile("ld.global.u32 %0,[%1];":"+r"(r0):"l"(gp):"memory"))
KERNEL(stg, asm volatile("st.global.u32 [%0],%1;"::"l"(op),"r"(r0):"memory"))
KERNEL(commit, asm volatile("cp.async.commit_group;":::"memory"))
KERNEL(wait, asm volatile("cp.async.wait_group 0;":::"memory"))
KERNEL(syncwarp, asm volatile("bar.warp.sync -1;":::"memory"))
KERNEL(idp, asm volatile("dp4a.u32.u32 %0,%0,%1,%1;":"+r"(r0):"r"(r1):"memory"))
KERNEL(prmt, asm volatile("prmt.b32 %0,%0,%1,0x5410;":"+r"(r0):"r"(r1):"memory"))
KERNEL(f2f, asm volatile("cvt.rn.f16x2.f32 %0,%1,%2;":"+r"(r0):"f"(f0),"f"(f1):"memory"))
KERNEL(membar, asm volatile("membar.cta;":::"memory"))
KERNEL(red, asm volatile("red.shared.add.u32 [%0],%1;"::"r"(sp),"r"(r0):"memory"))
