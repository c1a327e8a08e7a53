// Attention: O = softmax(Q K^T / 8) V, one block of four warps per 64 queries, head dimension 64, bf16 or f16 operands.
#include <cuda_fp16.h>
#include <stdint.h>
typedef unsigned u;
__device__ __forceinline__ u sm(const void* p) { return (u)__cvta_generic_to_shared(p); }
__device__ __forceinline__ void cp16(u s, const void* g) { asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" :: "r"(s), "l"(g)); }
__device__ __forceinline__ void ld4(u* r, u a) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a)); }
__device__ __forceinline__ void ld4t(u* r, u a) { asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3]) : "r"(a)); }
__device__ __forceinline__ void mma(float* c, const u* a, u b0, u b1) { asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1)); }
template <int STAGES, bool DIVIDE> __device__ __forceinline__ void attention(const half* Q, const half* K, const half* V, half* O, int len, int heads) {
  constexpr int D = 64, P = 72;
  __shared__ half q[64 * P], k[STAGES][64 * P], v[STAGES][64 * P];
  const int head = blockIdx.y, t = threadIdx.x, warp = t / 32, lane = t % 32;
  const size_t base = (size_t)head * len * D; const int row0 = blockIdx.x * 64;
  auto fetch = [&](half* s, const half* g, int r0) { for (int i = t; i < 64 * 8; i += 128) { int r = i / 8, c = i % 8; cp16(sm(&s[r * P + c * 8]), g + base + (size_t)(r0 + r) * D + c * 8); } };
  fetch(q, Q, row0);
  for (int s = 0; s < STAGES - 1; s++) { if (s * 64 < len) { fetch(k[s], K, s * 64); fetch(v[s], V, s * 64); } asm volatile("cp.async.commit_group;"); }
  if (STAGES == 1) asm volatile("cp.async.commit_group;");
  float o[8][4] = {}, m[2] = {-1e30f, -1e30f}, l[2] = {};
  const int tiles = (len + 63) / 64;
  for (int j = 0; j < tiles; j++) {
    const int cur = j % STAGES;
    if (STAGES == 1) { __syncthreads(); fetch(k[0], K, j * 64); fetch(v[0], V, j * 64); asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group 0;"); }
    else { int nx = j + STAGES - 1; __syncthreads(); if (nx < tiles) { fetch(k[nx % STAGES], K, nx * 64); fetch(v[nx % STAGES], V, nx * 64); } asm volatile("cp.async.commit_group;"); asm volatile("cp.async.wait_group %0;" :: "n"(STAGES - 1)); }
    __syncthreads();
    float s[8][4] = {};
    for (int kk = 0; kk < 4; kk++) {
      u a[4]; ld4(a, sm(&q[(warp * 16 + lane % 16) * P + kk * 16 + lane / 16 * 8]));
      for (int n = 0; n < 4; n++) { u b[4]; ld4(b, sm(&k[cur][(n * 16 + lane % 8 + lane / 16 * 8) * P + kk * 16 + lane / 8 % 2 * 8])); mma(s[2 * n], a, b[0], b[1]); mma(s[2 * n + 1], a, b[2], b[3]); }
    }
    for (int h = 0; h < 2; h++) {
      float mx = m[h];
      for (int n = 0; n < 8; n++) for (int e = 0; e < 2; e++) { float& x = s[n][2 * h + e]; x *= 0.125f * 1.44269504f; if (j * 64 + n * 8 + lane % 4 * 2 + e >= len) x = -1e30f; mx = fmaxf(mx, x); }
      mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, 1)); mx = fmaxf(mx, __shfl_xor_sync(~0u, mx, 2));
      float scale = exp2f(m[h] - mx), sum = 0; m[h] = mx;
      for (int n = 0; n < 8; n++) for (int e = 0; e < 2; e++) { float& x = s[n][2 * h + e]; x = exp2f(x - mx); sum += x; }
      l[h] = l[h] * scale + sum;
      for (int n = 0; n < 8; n++) for (int e = 0; e < 2; e++) o[n][2 * h + e] *= scale;
    }
    for (int kk = 0; kk < 4; kk++) {
      u a[4]; for (int i = 0; i < 4; i++) { half2 x = __floats2half2_rn(s[2 * kk + i / 2][i % 2 * 2], s[2 * kk + i / 2][i % 2 * 2 + 1]); a[i] = *(u*)&x; }
      for (int n = 0; n < 4; n++) { u b[4]; ld4t(b, sm(&v[cur][(kk * 16 + lane % 16) * P + n * 16 + lane / 16 * 8])); mma(o[2 * n], a, b[0], b[1]); mma(o[2 * n + 1], a, b[2], b[3]); }
    }
  }
  for (int h = 0; h < 2; h++) {
    float sum = l[h]; sum += __shfl_xor_sync(~0u, sum, 1); sum += __shfl_xor_sync(~0u, sum, 2);
    for (int n = 0; n < 8; n++) {
      float x = o[n][2 * h], y = o[n][2 * h + 1];
      half2 r = DIVIDE ? __floats2half2_rn(x / sum, y / sum) : __floats2half2_rn(x * __frcp_rn(sum), y * __frcp_rn(sum));
      *(half2*)&O[base + (size_t)(row0 + warp * 16 + lane / 4 + 8 * h) * D + n * 8 + lane % 4 * 2] = r;
    }
  }
}
extern "C" __global__ void attention1(const half* Q, const half* K, const half* V, half* O, int len, int heads) { attention<1, true>(Q, K, V, O, len, heads); }
extern "C" __global__ void attention2(const half* Q, const half* K, const half* V, half* O, int len, int heads) { attention<2, true>(Q, K, V, O, len, heads); }
extern "C" __global__ void attention2r(const half* Q, const half* K, const half* V, half* O, int len, int heads) { attention<2, false>(Q, K, V, O, len, heads); }
