"""Small CUDA kernels of many kinds, made from a seed: statements over typed variables, chosen at random.

What matters is not what they compute but which instructions stand how near to which others in what the compiler
makes of them, so every kind of instruction stands beside every other one, in straight lines, loops, branches,
switches and called functions. The same seed gives the same text.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

__all__ = ["HEADER", "source"]

HEADER = """\
#include <cuda_fp16.h>
#include <cuda_bf16.h>
typedef unsigned u;
typedef unsigned long long w;
__constant__ int table_i[256];
__constant__ float table_f[256];
__device__ __noinline__ u called_u(u a, u b, int n) { for (int i = 0; i < n; i++) a = a * b + (a >> 3); return a; }
__device__ __noinline__ float called_f(float a, float b) { return a / b + sqrtf(fabsf(b)) * a; }
__device__ __noinline__ double called_d(double a, double b) { return a / b + a; }
__device__ __noinline__ w called_w(w a, w b) { return a / (b | 1) + a % (b | 3); }
__device__ __noinline__ __half2 called_h(__half2 a, __half2 b) { return __hfma2(a, b, a); }
template <int N> struct Block { float x[N]; };
template <int N> __device__ __noinline__ float sum(Block<N> b) { float s = 0; for (int i = 0; i < N; i++) s += b.x[i]; return s; }
"""

# Statements by the type of the variable that they set. {u} {i} {w} {f} {d} {h} {p} stand for a variable of that type
# (u32, s32, u64, f32, f64, half2, bool), {c} for a small constant, {k} for a shift count, {g} for a global index.
_STATEMENTS: dict[str, list[str]] = {
    "u": """
{u} + {u}; {u} - {u} + {c}; {u} * {u} + {u}; {u} * {c} + {u}; {u} & {u} | {u}; ({u} ^ {u}) & {c}; {u} >> {k}; {u} << {k} | {u};
{u} << ({u} & 31); {u} >> ({u} & 31); __umulhi({u}, {u}); __mul24({i}, {i}); min({u}, {u}); max({u}, {u}) + {u}; {u} / {u}; {u} % ({u} | 1);
{u} / {c}; {u} % {c}; __popc({u}); __clz({u}); __ffs({u}); __brev({u}); __byte_perm({u}, {u}, {u}); __byte_perm({u}, {u}, 0x2103);
__funnelshift_l({u}, {u}, {k}); __funnelshift_r({u}, {u}, {u}); {p} ? {u} : {u}; {p} ? {u} + {c} : {c}; u({w}); u({w} >> 32);
__shfl_sync(~0u, {u}, {c} & 31); __shfl_xor_sync(~0u, {u}, {k} & 31); __shfl_down_sync(~0u, {u}, 4); __ballot_sync(~0u, {p});
__float_as_uint({f}); u({f}); __float2uint_rd({f}); u({d}); gu[{g}]; su[{u} & 255]; su[threadIdx.x + {c}]; table_i[{u} & 255]; table_i[{c}];
n + {u}; n * {c} + m; blockIdx.x * {u} + {c}; (n & m) + {u}; (n << {k}) ^ {u}; (n > m ? n : {c}) + {u}; blockIdx.x * blockDim.x + {u};
called_u({u}, {u}, m); __dp4a({u}, {u}, {u}); __vadd2({u}, {u}); __sad({i}, {i}, {u}); __usad({u}, {u}, {u}); __activemask() + {u}; __match_any_sync(~0u, {u});
atomicAdd(&su[{u} & 255], {u}); atomicCAS(&su[{u} & 63], {u}, {u}); gu[{g} + n]; (u)clock(); __reduce_add_sync_or({u}); {u} + ({u} == {u}); abs({i});
lane + {u}; (u)__half_as_ushort(__low2half({h})); *(u*)&{h}; bfe({u}); bfi({u}, {u}); lop({u}, {u}, {u}); lut({u} & 7); prmt({u}, {u}); (u)gc[{g}]; gs[{g}]
""",
    "i": """
{i} + {i}; {i} * {i} - {i}; {i} >> {k}; min({i}, {i}); max(min({i}, {c}), -{c}); abs({i}) + {i}; {i} / {i}; {i} / {c}; {i} % {c}; {i} % ({i} | 1); __mulhi({i}, {i});
int({f}); __float2int_rn({f}); int({u}); __shfl_up_sync(~0u, {i}, 1); {p} ? {i} : -{i}; int(floorf({f})); __double2int_rz({d}); (int)(short){i}; (int)(signed char){i};
({i} < {i}) - ({i} > {i}); table_i[{i} & 255]; __dp4a({i}, {i}, {i}); {i} & n; {i} * n + m; (int)gb[{g}]; __hadd({i}, {i}); __reduce_max_sync_or({i}); (int)((n + {c}) / 7) * {i}; abs({i} - {i})
""",
    "w": """
{w} + {w}; {w} - {u}; {w} * {w}; {w} * {u} + {w}; (w){u} * {u} + {w}; {w} >> {k}; {w} << {k}; {w} & {w}; {w} ^ {w} >> {k}; {w} / ({w} | 1); {w} % ({w} | 1); {w} / {c}; {w} % {c};
{p} ? {w} : {w}; min({w}, {w}); __umul64hi({w}, {w}); gw[{g}]; (w){u}; (w)(long long){i}; __double_as_longlong({d}); called_w({w}, {w}); {w} < {w} ? {w} : {w} + 1;
__popcll({w}); __clzll({w}); (w){d}; (w)(long long){f}; __shfl_sync(~0u, {w}, {k} & 31); (w)n * m + {w}; (w)n << {k}; __brevll({w}); (long long){w} >> {k}; (w)&gu[{g}]; (w)((long long){w} / ({c} + 1))
""",
    "f": """
{f} + {f}; {f} * {f}; {f} * {f} + {f}; fmaf({f}, {f}, -{f}); {f} - {f} * 2.5f; {f} / {f}; {f} / 3.f; sqrtf({f}); rsqrtf({f}); __frcp_rn({f}); expf({f}); __expf({f}); exp2f({f}); logf({f}); __logf({f});
sinf({f}); __sinf({f}); cosf({f}); tanhf({f}); powf({f}, {f}); fminf({f}, {f}); fmaxf({f}, {f}); fmaxf(fmaxf({f}, {f}), {f}); fabsf({f}) + {f}; floorf({f}); rintf({f}); truncf({f}); float({u}); float({i}); float({w});
float({d}); __low2float({h}); __high2float({h}); {p} ? {f} : {f}; {f} > 0 ? {f} : {f} * .1f; __shfl_xor_sync(~0u, {f}, 16); __shfl_xor_sync(~0u, {f}, 1) + {f}; gf[{g}]; sf[{u} & 255]; sf[threadIdx.x * 2]; table_f[{c}] * {f};
table_f[{u} & 255]; called_f({f}, {f}); x * {f} + y; x + {f}; __uint_as_float({u}); __saturatef({f}); fmodf({f}, {f}); __fdividef({f}, {f}); erff({f}); copysignf({f}, {f}); frexpf({f}, &e); ldexpf({f}, e & 15); __fmaf_rz({f}, {f}, {f});
__fadd_rd({f}, {f}); __bfloat162float(__float2bfloat16({f})); __half2float(__float2half({f})); atan2f({f}, {f}); cbrtf({f}); log1pf({f}); atomicAdd(&sf[{u} & 127], {f}); tanh_({f}); sum(b4) + {f}; {f} == {f} ? {f} : x
""",
    "d": """
{d} + {d}; {d} * {d}; {d} * {d} + {d}; {d} - {d} * {d}; {d} / {d}; sqrt({d}); fmin({d}, {d}); fmax({d}, {d}); {p} ? {d} : {d}; {d} < {d} ? {d} : -{d}; double({f}); double({i}); double({u}); double({w}); gd[{g}];
fabs({d}) + {d}; floor({d}); rint({d}); exp({d}); rsqrt({d}); called_d({d}, {d}); __longlong_as_double({w}); fma({d}, {d}, {d}); __shfl_xor_sync(~0u, {d}, 8); {d} * 0.5; log({d}); z * {d} + z; fma(-{d}, {d}, {d}); {d} > 1.0 ? {d} : {d} + {d}
""",
    "h": """
__hadd2({h}, {h}); __hmul2({h}, {h}); __hfma2({h}, {h}, {h}); __hsub2({h}, {h}); __floats2half2_rn({f}, {f}); {p} ? {h} : {h}; gh[{g}]; h2exp2({h}); __hmax2({h}, {h}); __hmin2({h}, {h}); __lowhigh2highlow({h});
__halves2half2(__low2half({h}), __high2half({h})); __hgt2({h}, {h}); __hneg2({h}); __half2half2(__float2half({f})); called_h({h}, {h}); h2rcp({h}); __hfma2_relu({h}, {h}, {h}); *(__half2*)&{u}; __habs2({h}); __hfma2({h}, *(__half2*)&{u}, {h});
hb({h}, {h}); __hmul2_sat({h}, {h}); __shfl_xor_sync(~0u, {h}, 2); __hle2({h}, {h})
""",
    "p": """
{u} < {u}; {i} > {i}; {u} == {c}; {f} < {f}; {f} != {f}; {d} < {d}; {w} < {w}; {w} == {w}; {p} && {p}; {p} || {p}; {p} != {p}; !{p} && {u} > {c}; ({u} & {u}) != 0; {u} >> 31; __any_sync(~0u, {p}); __all_sync(~0u, {p}); n > m; (n & {c}) == 0;
__hbgt2({h}, {h}); isnan({f}); isinf({f}); fabsf({f}) < 1.f; {i} + {i} > {c}; ({u} & 1) && {f} > {f}; threadIdx.x < n; {u} < {u} && {i} < {i} || {p}; __popc({u}) > {c}; n == {c} && {p}; ((u)lane & n) == m; {p} ? {u} > {c} : {f} < x; __ballot_sync(~0u, {p}) == ~0u;
__heq(__low2half({h}), __high2half({h})); {d} > z; e > {c}; ({u} ^ {u}) & (1u << {k})
""",
}
_STORES = {
    "u": ["gu[{g}] = {v}", "su[{u} & 255] = {v}", "atomicAdd(&gu[{g}], {v})", "atomicMax(&gu[{g}], {v})", "gc[{g}] = {v}", "gs[{g}] = {v}", "*(uint4*)&gu[{g} * 4] = make_uint4({v}, {u}, {u}, {u})", "*(uint2*)&gu[{g} * 2] = make_uint2({v}, {u})", "local[{u} & 7] = {v}"],
    "i": ["gu[{g}] = {v}", "gb[{g}] = {v}"],
    "w": ["gw[{g}] = {v}", "atomicAdd(&gw[{g}], {v})"],
    "f": ["gf[{g}] = {v}", "sf[{u} & 255] = {v}", "atomicAdd(&gf[{g}], {v})", "*(float4*)&gf[{g} * 4] = make_float4({v}, {f}, {f}, {f})", "*(float2*)&sf[({u} & 127) * 2] = make_float2({v}, {f})"],
    "d": ["gd[{g}] = {v}"],
    "h": ["gh[{g}] = {v}"],
    "p": ["gu[{g}] = {v}", "if ({v}) gu[{g}] = {u}"],
}  # fmt: skip
_NAMES = {"u": "u", "i": "int", "w": "w", "f": "float", "d": "double", "h": "__half2", "p": "bool"}
# What a kernel is mostly about: how often each type's statements are chosen.
_KINDS: dict[str, dict[str, int]] = {
    "integer": {"u": 6, "i": 4, "p": 2, "w": 1},
    "wide": {"w": 6, "u": 3, "i": 1, "p": 1},
    "single": {"f": 8, "u": 2, "p": 1, "i": 1},
    "half": {"h": 6, "f": 3, "u": 2, "p": 1},
    "double": {"d": 6, "f": 2, "u": 2, "p": 1, "w": 1},
    "mixed": {"u": 3, "i": 2, "w": 2, "f": 3, "d": 2, "h": 2, "p": 2},
    "predicates": {"p": 6, "u": 3, "f": 2, "i": 2, "d": 1, "h": 1},
    "matrix": {"u": 4, "f": 4, "h": 2, "p": 1, "i": 1},
}
_INTRINSICS = """
__device__ __forceinline__ u bfe(u a) { u r; asm("bfe.u32 %0, %1, 5, 7;" : "=r"(r) : "r"(a)); return r; }
__device__ __forceinline__ u bfi(u a, u b) { u r; asm("bfi.b32 %0, %1, %2, 9, 6;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ __forceinline__ u lop(u a, u b, u c) { u r; asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(r) : "r"(a), "r"(b), "r"(c)); return r; }
__device__ __forceinline__ u prmt(u a, u b) { u r; asm("prmt.b32.f4e %0, %1, %2, %1;" : "=r"(r) : "r"(a), "r"(b)); return r; }
__device__ __forceinline__ u lut(u a) { switch (a) { case 0: return 17; case 1: return 5; case 2: return 99; case 3: return 1234; case 4: return 8; case 5: return 77; case 6: return 31; default: return 2; } }
#if __CUDA_ARCH__ >= 750
__device__ __forceinline__ float tanh_(float a) { float r; asm("tanh.approx.f32 %0, %1;" : "=f"(r) : "f"(a)); return r; }
__device__ __forceinline__ void ldm(u* r, const void* p) { u a = (u)__cvta_generic_to_shared(p); asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a)); }
__device__ __forceinline__ void ldmt(u* r, const void* p) { u a = (u)__cvta_generic_to_shared(p); asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(r[0]), "=r"(r[1]) : "r"(a)); }
__device__ __forceinline__ void mma8(float* c, u a0, u a1, u b) { asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a0), "r"(a1), "r"(b)); }
__device__ __forceinline__ void imma8(u* c, u a, u b) { asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+r"(c[0]), "+r"(c[1]) : "r"(a), "r"(b)); }
#else
__device__ __forceinline__ float tanh_(float a) { return tanhf(a); }
__device__ __forceinline__ void ldm(u* r, const void* p) { *(uint4*)r = *(const uint4*)p; }
__device__ __forceinline__ void ldmt(u* r, const void* p) { *(uint2*)r = *(const uint2*)p; }
__device__ __forceinline__ void mma8(float* c, u a0, u a1, u b) { asm volatile("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 {%0,%1,%2,%3,%4,%5,%6,%7}, {%8,%9}, {%10,%11}, {%0,%1,%2,%3,%4,%5,%6,%7};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]), "+f"(c[4]), "+f"(c[5]), "+f"(c[6]), "+f"(c[7]) : "r"(a0), "r"(a1), "r"(b), "r"(a0)); }
__device__ __forceinline__ void imma8(u* c, u a, u b) { c[0] += __dp4a(a, b, c[1]); }
#endif
#if __CUDA_ARCH__ >= 800
#define BF 1
__device__ __forceinline__ void mma16(float* c, const u* a, u b0, u b1) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); }
__device__ __forceinline__ void mmab(float* c, const u* a, u b0, u b1) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); }
__device__ __forceinline__ void mmah(u* c, const u* a, u b0, u b1) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};" : "+r"(c[0]), "+r"(c[1]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); }
__device__ __forceinline__ void mmat(float* c, const u* a, u b0, u b1) { asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); }
__device__ __forceinline__ void imma16(u* c, const u* a, u b0, u b1) { asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); }
__device__ __forceinline__ void dmma(double* c, double a, double b) { asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};" : "+d"(c[0]), "+d"(c[1]) : "d"(a), "d"(b)); }
__device__ __forceinline__ void copy16(void* s, const void* g) { u a = (u)__cvta_generic_to_shared(s); asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(a), "l"(g)); }
__device__ __forceinline__ void copy4(void* s, const void* g, u n) { u a = (u)__cvta_generic_to_shared(s); asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" :: "r"(a), "l"(g), "r"(n)); }
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;"); }
template <int N> __device__ __forceinline__ void wait() { asm volatile("cp.async.wait_group %0;" :: "n"(N)); }
__device__ __forceinline__ u __reduce_add_sync_or(u a) { return __reduce_add_sync(~0u, a); }
__device__ __forceinline__ int __reduce_max_sync_or(int a) { return __reduce_max_sync(~0u, a); }
__device__ __forceinline__ __half2 hb(__half2 a, __half2 b) { __nv_bfloat162 r = __hfma2(*(__nv_bfloat162*)&a, *(__nv_bfloat162*)&b, *(__nv_bfloat162*)&a); return *(__half2*)&r; }
#else
__device__ __forceinline__ void mma16(float* c, const u* a, u b0, u b1) { mma8(c, a[0], a[1], b0); mma8(c, a[2], a[3], b1); }
__device__ __forceinline__ void mmab(float* c, const u* a, u b0, u b1) { mma16(c, a, b0, b1); }
__device__ __forceinline__ void mmah(u* c, const u* a, u b0, u b1) { imma8(c, a[0], b0); imma8(c, a[1], b1); }
__device__ __forceinline__ void mmat(float* c, const u* a, u b0, u b1) { mma16(c, a, b0, b1); }
__device__ __forceinline__ void imma16(u* c, const u* a, u b0, u b1) { imma8(c, a[0], b0); imma8(c + 2, a[1], b1); }
__device__ __forceinline__ void dmma(double* c, double a, double b) { c[0] += a * b; c[1] -= a; }
__device__ __forceinline__ void copy16(void* s, const void* g) { *(uint4*)s = *(const uint4*)g; }
__device__ __forceinline__ void copy4(void* s, const void* g, u n) { *(u*)s = n ? *(const u*)g : 0; }
__device__ __forceinline__ void commit() {}
template <int N> __device__ __forceinline__ void wait() {}
__device__ __forceinline__ u __reduce_add_sync_or(u a) { return a + __shfl_xor_sync(~0u, a, 1); }
__device__ __forceinline__ int __reduce_max_sync_or(int a) { return max(a, __shfl_xor_sync(~0u, a, 1)); }
__device__ __forceinline__ __half2 hb(__half2 a, __half2 b) { return __hadd2(a, b); }
#endif
"""
HEADER += _INTRINSICS
_MATRIX = [
    "mma8(acc + {c8}, {u}, {u}, {u})", "mma16(acc + {c8}, frag, {u}, {u})", "mmab(acc + {c8}, frag, {u}, {u})", "mmat(acc + {c8}, frag, {u}, {u})",
    "mmah(frag, frag + 4, {u}, {u})", "imma16(frag, frag + 4, {u}, {u})", "imma8(frag, {u}, {u})", "dmma(dacc, {d}, {d})",
    "ldm(frag, &sf[({u} & 31) * 4])", "ldmt(frag + 4, &sf[lane * 4])", "copy16(&sf[threadIdx.x * 4 & 255], &gf[({u} & 1023) * 4])", "copy4(&sf[threadIdx.x & 255], &gf[{g}], {p} ? 4 : 0)",
    "commit()", "wait<1>()", "wait<0>()", "__syncthreads()", "for (int j = 0; j < 4; j++) acc[j] = exp2f(acc[j] * x - y)", "for (int j = 0; j < 4; j++) {f} += acc[j]",
    "{{ float t = fmaxf(fmaxf(acc[0], acc[1]), fmaxf(acc[2], acc[3])); t = fmaxf(t, __shfl_xor_sync(~0u, t, 1)); t = fmaxf(t, __shfl_xor_sync(~0u, t, 2)); {f} = t; }}",
    "{{ __half2 t = __floats2half2_rn(acc[0], acc[1]); frag[0] = *(u*)&t; t = __floats2half2_rn(acc[2], acc[3]); frag[1] = *(u*)&t; }}",
    "for (int j = 0; j < 8; j++) acc[j] *= {f}", "for (int j = 0; j < 4; j++) acc[j] /= {f}", "{f} = acc[{c8}] + acc[{c8} + 1]", "{u} = frag[2] ^ frag[5]", "{d} = dacc[0] + dacc[1]",
]  # fmt: skip


@dataclass
class _Writer:
    """One kernel while it is written."""

    chance: random.Random
    kind: str
    lines: list[str] = field(default_factory=list)
    depth: int = 1

    def fill(self, template: str, **more: str) -> str:
        """Put variables into a template, chosen anew for every place."""
        chance = self.chance
        values: dict[str, Callable[[], str]] = {
            "c": lambda: str(chance.choice((1, 2, 3, 5, 7, 10, 16, 31, 100, 255))),
            "c8": lambda: str(chance.choice((0, 4, 8))),
            "k": lambda: str(chance.randint(1, 31)),
            "g": lambda: chance.choice(
                ("t", "t + n", "t * 4 + {c}", "({u} & 1023)", "m", "{c}", "t + {c}", "blockIdx.x", "n + {c}")
            ).replace("{c}", str(chance.randint(1, 99))).replace("{u}", f"u{chance.randint(0, 4)}"),
        }  # fmt: skip
        for letter in _NAMES:
            values[letter] = lambda letter=letter: f"{letter}{chance.randint(0, 4 if letter in 'uf' else 2)}"
        out, at = [], 0
        while (start := template.find("{", at)) >= 0:
            out.append(template[at:start])
            if template[start + 1] == "{":
                out.append("{")
                at = start + 2
                continue
            end = template.index("}", start)
            name = template[start + 1 : end]
            out.append(more[name] if name in more else values[name]())
            at = end + 1
        return "".join((*out, template[at:])).replace("}}", "}")

    def say(self, text: str) -> None:
        self.lines.append("  " * self.depth + text)

    def statement(self) -> None:
        """Write one statement, or a block of them."""
        chance, roll = self.chance, self.chance.random()
        if self.kind == "matrix" and roll < 0.5:
            self.say(self.fill(chance.choice(_MATRIX)) + ";")
            return
        if roll > 0.9 and self.depth < 4:
            self.block()
            return
        weights = _KINDS[self.kind]
        kind = chance.choices(list(weights), list(weights.values()))[0]
        if roll > 0.78:
            variable = self.fill("{" + kind + "}")
            self.say(self.fill(chance.choice(_STORES[kind]), v=variable) + ";")
            return
        choices = _STATEMENTS[kind].replace("\n", "").split(";")
        self.say(self.fill("{" + kind + "}") + " = " + self.fill(chance.choice([c for c in choices if c.strip()]).strip()) + ";")  # fmt: skip

    def block(self) -> None:
        """Write a loop, a branch, a switch, or a place where the block's warps meet."""
        form = self.chance.choice(("if", "if", "else", "for", "for", "unrolled", "while", "switch", "sync", "return"))
        if form in ("sync", "return"):
            text = "__syncthreads();" if form == "sync" else self.fill("if ({p} && {u} == {c}) return;")
            self.say(text if form == "return" or self.depth == 1 else "__syncwarp();")
            return
        heads = {
            "if": "if ({p}) {{", "else": "if ({p}) {{", "for": "for (u j = 0; j < n; j++) {{", "while": "for (u j = {u} & 15; j; j >>= 1) {{",
            "unrolled": '_Pragma("unroll") for (int j = 0; j < 4; j++) {{ {u} += j;', "switch": "switch ({u} & 7) {{",
        }  # fmt: skip
        self.say(self.fill(heads[form]))
        self.depth += 1
        if form == "switch":
            for case in range(6):
                self.say(f"case {case}: {{")
                self.some(1, 3)
                self.say("} break;")
        else:
            self.some(2, 6)
        if form == "else":
            self.say("} else {")
            self.some(2, 5)
        self.depth -= 1
        self.say("}")

    def some(self, least: int, most: int) -> None:
        for _ in range(self.chance.randint(least, most)):
            self.statement()


def _kernel(chance: random.Random, number: int) -> str:
    kind = chance.choice(list(_KINDS))
    writer = _Writer(chance, kind)
    bounds = chance.choice(("", "", "", "__launch_bounds__(256, 4) ", "__launch_bounds__(1024) "))
    head = (
        f"__global__ {bounds}void k{number}_{kind}(u* gu, float* gf, w* gw, double* gd, __half2* gh, unsigned char* gc, "
        "unsigned short* gs, signed char* gb, u n, u m, float x, float y, double z, Block<4> b4) {"
    )
    writer.say("__shared__ u su[512]; __shared__ float sf[1024]; u local[8]; int e = 0;")
    writer.say("u t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;")
    if kind == "matrix":
        writer.say("float acc[16] = {}; u frag[8] = {t, n, m, lane, 1, 2, 3, 4}; double dacc[2] = {};")
    for letter, name in _NAMES.items():
        for i in range(5 if letter in "uf" else 3):
            start = {"u": f"t * {i + 1}", "i": f"int(t) - {i}", "w": f"gw[t + {i}]", "f": f"gf[t + {i}]",
                     "d": f"gd[t + {i}]", "h": f"gh[t + {i}]", "p": f"(t & {1 << i}) != 0"}[letter]  # fmt: skip
            writer.say(f"{name} {letter}{i} = {start};")
    writer.some(10, 45)
    for letter in _NAMES:
        for i in range(5 if letter in "uf" else 3):
            if chance.random() < 0.5:
                writer.say(writer.fill(_STORES[letter][0], v=f"{letter}{i}") + ";")
    if kind == "matrix":
        writer.say("for (int j = 0; j < 16; j++) gf[t * 16 + j] = acc[j];")
        writer.say("for (int j = 0; j < 8; j++) gu[t * 8 + j] = frag[j];")
        writer.say("gd[t] = dacc[0] + dacc[1];")
    return "\n".join((head, *writer.lines, "}"))


def source(seed: int, kernels: Sequence[int]) -> str:
    """Return the text of some numbered kernels; each depends on the seed and its number alone."""
    return "\n".join((HEADER, *(_kernel(random.Random(f"{seed}/{number}"), number) for number in kernels)))
