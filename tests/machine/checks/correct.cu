// Kernels without a fault that look, to a checker that is too simple, as if they had one. See faulty.cu.
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <mma.h>
namespace cg = cooperative_groups;

#define KERNEL(name) extern "C" __global__ void name(float* o, const float* in, int n)
#define T int(threadIdx.x)

#if __CUDA_ARCH__ >= 800
__device__ void copy4(float* to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from) : "memory");
}
__device__ void copy16(float* to, const float* from, int bytes) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(unsigned(__cvta_generic_to_shared(to))), "l"(from), "r"(bytes) : "memory");
}
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
#endif

// ---- within a warp

KERNEL(warp_reduction) {
  __shared__ float s[64];
  s[T] = in[T];
  s[T + 32] = in[T + 32];
  __syncwarp();
  for (int d = 32; d; d /= 2) {
    if (T < d) s[T] += s[T + d];
    __syncwarp();
  }
  if (T == 0) o[0] = s[0];
}

KERNEL(warp_volatile_reduction) {
  volatile __shared__ float s[64];
  s[T] = in[T];
  __syncwarp();
  float x = s[T];
  x += s[T ^ 16]; __syncwarp(); s[T] = x; __syncwarp();
  x += s[T ^ 8]; __syncwarp(); s[T] = x; __syncwarp();
  x += s[T ^ 4]; __syncwarp(); s[T] = x; __syncwarp();
  o[T] = x;
}

KERNEL(warp_halves) {  // each half of a diverged warp by itself
  __shared__ float s[32];
  if (T < 16) {
    s[T] = in[T] + n;
    __syncwarp(0x0000ffff);
    o[T] = s[15 - T];
  } else {
    s[T] = in[T] * n;
    __syncwarp(0xffff0000);
    o[T] = s[47 - T];
  }
}

KERNEL(warp_diverged_meets) {
  __shared__ float s[128];
  if (T & 1) {
    float x = 0;
    for (int i = 0; i < (T & 7); ++i) x += in[i];
    s[T] = x;
  } else {
    s[T] = in[T] * n;
  }
  __syncwarp();
  o[T] = s[T ^ 1];
}

KERNEL(warp_leader) {
  __shared__ float s[4];
  int w = T / 32;
  float x = in[T];
  for (int d = 16; d; d /= 2) x += __shfl_down_sync(0xffffffff, x, d);
  if (T % 32 == 0) s[w] = x;
  __syncwarp();
  o[T] = s[w];
}

KERNEL(warp_tiles) {
  __shared__ float s[128];
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  float x = in[T];
  if (tile.meta_group_rank() % 2) {
    s[T] = x + 1;
    tile.sync();
    x = s[T ^ 7];
  }
  for (int d = 4; d; d /= 2) x += tile.shfl_xor(x, d);
  tile.sync();
  s[T] = x;
  tile.sync();
  o[T] = s[T ^ 3];
}

KERNEL(warp_coalesced) {  // those that take a branch share one atomic
  __shared__ int count;
  if (T == 0) count = 0;
  __syncthreads();
  if (in[T] > n) {
    auto some = cg::coalesced_threads();
    int at = 0;
    if (some.thread_rank() == 0) at = atomicAdd(&count, int(some.size()));
    at = some.shfl(at, 0) + some.thread_rank();
    o[at] = in[T];
  }
}

KERNEL(warp_ballot) {
  __shared__ unsigned s[4];
  unsigned m = __ballot_sync(0xffffffff, in[T] > n);
  if (T % 32 == 0) s[T / 32] = m;
  __syncthreads();
  int before = 0;
  for (int w = 0; w < T / 32; ++w) before += __popc(s[w]);
  if (in[T] > n) o[before + __popc(m & ((1u << (T % 32)) - 1))] = in[T];
}

KERNEL(warp_loop_mask) {  // lanes leave a loop one after another
  __shared__ float s[32];
  unsigned mask = __ballot_sync(0xffffffff, T < 24);
  if (T < 24) {
    for (int i = 0; i < n; ++i) {
      s[T] = in[T + i];
      __syncwarp(mask);
      o[T] += s[(T + 1) % 24];
      __syncwarp(mask);
    }
  }
}

// ---- the whole block

KERNEL(block_reduction) {
  __shared__ float s[128];
  s[T] = in[T];
  __syncthreads();
  for (int d = 64; d >= 32; d /= 2) {
    if (T < d) s[T] += s[T + d];
    __syncthreads();
  }
  if (T < 32) {
    float x = s[T];
    for (int d = 16; d; d /= 2) x += __shfl_xor_sync(0xffffffff, x, d);
    if (T == 0) o[0] = x;
  }
}

KERNEL(block_scan) {
  __shared__ float s[2][128];
  int at = 0;
  s[0][T] = in[T];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    s[1 - at][T] = s[at][T] + (T >= d ? s[at][T - d] : 0);
    at = 1 - at;
    __syncthreads();
  }
  o[T] = s[at][T];
}

KERNEL(transpose) {
  __shared__ float s[32][33];
  int x = T % 32, y = T / 32;
  for (int i = 0; i < 32; i += 4) s[y + i][x] = in[32 * (y + i) + x];
  __syncthreads();
  for (int i = 0; i < 32; i += 4) o[32 * (y + i) + x] = s[x][y + i];
}

KERNEL(transpose_swizzled) {
  __shared__ float s[32][32];
  int x = T % 32, y = T / 32;
  for (int i = 0; i < 32; i += 4) s[y + i][x ^ (y + i)] = in[32 * (y + i) + x];
  __syncthreads();
  for (int i = 0; i < 32; i += 4) o[32 * (y + i) + x] = s[x][(y + i) ^ x];
}

KERNEL(tiled_product) {
  __shared__ float a[8][9], b[8][9];
  int x = T % 8, y = T / 8;
  float sum = 0;
  for (int k = 0; k < n; k += 8) {
    a[y][x] = in[64 * y + k + x];
    b[y][x] = in[64 * (k + y) % 1024 + x];
    __syncthreads();
    for (int i = 0; i < 8; ++i) sum += a[y][i] * b[i][x];
    __syncthreads();
  }
  o[T] = sum;
}

KERNEL(stencil) {
  __shared__ float s[130];
  s[T + 1] = in[T];
  if (T < 2) s[129 * T] = 0;
  __syncthreads();
  o[T] = s[T] + s[T + 1] + s[T + 2];
}

KERNEL(early_exit) {
  __shared__ float s[128];
  if (T >= n) return;
  s[T] = in[T];
  __syncthreads();
  o[T] = s[n - 1 - T];
}

KERNEL(early_exit_of_warps) {
  __shared__ float s[128];
  if (T >= 64) { o[T] = 0; return; }
  s[T] = in[T];
  __syncthreads();
  o[T] = s[63 - T];
}

KERNEL(counted) {
  int c = __syncthreads_count(in[T] > n);
  int any = __syncthreads_or(in[T] > n), all = __syncthreads_and(in[T] > n);
  o[T] = c + 1000 * any + 2000 * all;
}

KERNEL(uniform_branch) {  // a barrier in a branch that all threads take
  __shared__ float s[128];
  float x = in[T];
  if (n > 10) {
    s[T] = x;
    __syncthreads();
    x = s[127 - T];
  }
  o[T] = x;
}

KERNEL(dynamic_shared) {
  extern __shared__ float s[];
  float *a = s, *b = s + 128;
  a[T] = in[T];
  b[T] = in[T + 128];
  __syncthreads();
  o[T] = a[127 - T] * b[127 - T];
}

KERNEL(grid_stride) {
  __shared__ float s[4];
  float x = 0;
  for (int i = blockIdx.x * blockDim.x + T; i < n; i += gridDim.x * blockDim.x) x += in[i];
  for (int d = 16; d; d /= 2) x += __shfl_xor_sync(0xffffffff, x, d);
  if (T % 32 == 0) s[T / 32] = x;
  __syncthreads();
  if (T == 0) atomicAdd(&o[0], s[0] + s[1] + s[2] + s[3]);
}

KERNEL(last_block) {  // the last block to finish adds up what all left
  __shared__ bool last;
  int* ticket = (int*)&o[1000];
  o[16 + blockIdx.x * blockDim.x + T] = in[T] * blockIdx.x;
  __threadfence();
  __syncthreads();
  if (T == 0) last = atomicAdd(ticket, 1) == gridDim.x - 1;
  __syncthreads();
  if (last && T < 8) {
    float x = 0;
    for (int i = 0; i < gridDim.x; ++i) x += ((volatile float*)o)[16 + i * blockDim.x + T];
    o[T] = x;
  }
}

KERNEL(bitonic_sort) {
  __shared__ float s[128];
  s[T] = in[T];
  __syncthreads();
  for (int k = 2; k <= 128; k *= 2)
#pragma unroll 1
    for (int j = k / 2; j; j /= 2) {
      int i = T ^ j;
      if (i > T && (s[T] > s[i]) == ((T & k) == 0)) {
        float x = s[T];
        s[T] = s[i];
        s[i] = x;
      }
      __syncthreads();
    }
  o[T] = s[T];
}

KERNEL(break_on_flag) {
  __shared__ int done;
  if (T == 0) done = 0;
  __syncthreads();
  for (int i = 0; i < n; ++i) {
    __syncthreads();
    if (in[i] > 150 && T == 0) done = 1;
    __syncthreads();
    if (done) break;
    o[T] = i;
  }
}

__device__ __noinline__ float reversed(float* s, float x) {
  s[T] = x;
  __syncthreads();
  x = s[127 - T];
  __syncthreads();
  return x;
}

KERNEL(barrier_in_function) {
  __shared__ float s[128];
  float x = reversed(s, in[T]);
  if (n > 50) x += reversed(s, x);
  o[T] = x;
}

KERNEL(matched_count) {  // the first of each group of equal digits adds for all
  __shared__ int s[4][16];
  if (T < 64) s[T / 16][T % 16] = 0;
  __syncthreads();
  int digit = int(in[T]) & 15;
  unsigned same = __match_any_sync(0xffffffff, digit);
  if (T % 32 == __ffs(same) - 1) s[T / 32][digit] += __popc(same);
  __syncthreads();
  if (T < 16) o[T] = s[0][T] + s[1][T] + s[2][T] + s[3][T];
}

// ---- named barriers

KERNEL(producer_consumer) {
  __shared__ float s[2][32];
  int lane = T % 32;
  if (T < 32) {
    for (int k = 0; k < n; ++k) {
      if (k >= 2) asm volatile("bar.sync %0, 64;" ::"r"(3 + (k & 1)) : "memory");  // it is empty again
      s[k & 1][lane] = in[32 * k + lane];
      asm volatile("bar.arrive %0, 64;" ::"r"(1 + (k & 1)) : "memory");
    }
  } else {
    float x = 0;
    for (int k = 0; k < n; ++k) {
      asm volatile("bar.sync %0, 64;" ::"r"(1 + (k & 1)) : "memory");
      x += s[k & 1][31 - lane];
      if (k + 2 < n) asm volatile("bar.arrive %0, 64;" ::"r"(3 + (k & 1)) : "memory");
    }
    o[lane] = x;
  }
}

KERNEL(named_by_pair) {  // two pairs of warps, each with a barrier of its own
  __shared__ float s[128];
  s[T] = in[T];
  if (T < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  else asm volatile("bar.sync 2, 64;" ::: "memory");
  o[T] = s[T ^ 32];
}

KERNEL(predicated_arrival) {
  __shared__ float s[32];
  if (T < 32) s[T] = in[T];
  if (T < 32) asm volatile("bar.arrive 1, 64;" ::: "memory");
  if (T >= 96) asm volatile("bar.sync 1, 64;" ::: "memory");
  if (T >= 96) o[T] = s[T - 96];
}

KERNEL(barrier_chain) {  // warp 0 to warp 1 to warp 2
  __shared__ float s[64];
  if (T < 32) {
    s[T] = in[T];
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  } else if (T < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    s[T] = 2 * s[T - 32];
    asm volatile("bar.arrive 2, 64;" ::: "memory");
  } else if (T < 96) {
    asm volatile("bar.sync 2, 64;" ::: "memory");
    o[T] = s[T - 64] + s[T - 32];
  }
}

// ---- atomics

KERNEL(histogram) {
  __shared__ int s[16];
  if (T < 16) s[T] = 0;
  __syncthreads();
  atomicAdd(&s[int(in[T]) & 15], 1);
  __syncthreads();
  if (T < 16) atomicAdd(&o[T], float(s[T]));
}

KERNEL(float_atomic) {
  __shared__ float s;
  if (T == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, in[T]);
  __syncthreads();
  o[T] = s;
}

KERNEL(cas_maximum) {
  __shared__ unsigned s;
  if (T == 0) s = 0;
  __syncthreads();
  unsigned old = s, seen;
  do {
    seen = old;
    old = atomicCAS(&s, seen, __float_as_uint(fmaxf(__uint_as_float(seen), in[T])));
  } while (old != seen);
  __syncthreads();
  o[T] = __uint_as_float(s);
}

KERNEL(generic_atomic) {
  __shared__ int s[32];
  if (T < 32) s[T] = 0;
  __syncthreads();
  int* p = n > 64 ? s : (int*)o;
  atomicAdd(&p[T & 31], T);
  __syncthreads();
  if (T < 32) o[T] = s[T];
}

KERNEL(same_flag) {  // many threads may say the same
  __shared__ int found;
  if (T == 0) found = 0;
  __syncthreads();
  if (in[T] > n) found = 1;
  __syncthreads();
  o[T] = found;
}

KERNEL(reserve) {  // each thread takes places of its own
  __shared__ int top;
  __shared__ float s[256];
  if (T == 0) top = 0;
  __syncthreads();
  if (in[T] > n) s[atomicAdd(&top, 1)] = in[T];
  __syncthreads();
  for (int i = T; i < top; i += 128) o[i] = s[i];
}

// ---- addresses and widths

KERNEL(generic) {
  __shared__ float s[128];
  float* p = n > 64 ? s : o + 2048;
  p[T] = in[T];
  __syncthreads();
  o[T] = p[127 - T];
}

KERNEL(generic_by_lane) {
  __shared__ float s[128];
  s[T] = in[T];
  __syncthreads();
  const float* p = T % 3 ? s : in;
  o[T] = p[127 - T];
}

KERNEL(stack_array) {
  float x[16];
  for (int i = 0; i < 16; ++i) x[i] = in[T + i];
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += x[(T * 5 + i) & 15];
  o[T] = sum;
}

KERNEL(bytes) {
  __shared__ unsigned char s[512];
  for (int i = 0; i < 4; ++i) s[128 * i + T] = int(in[T]) + i;
  __syncthreads();
  o[T] = ((unsigned*)s)[T];
}

KERNEL(neighbouring_bytes) {  // of one word, each by another thread
  __shared__ unsigned char s[128];
  s[T] = T;
  o[T] = s[T];
}

KERNEL(shared_union) {
  __shared__ union { float f[128]; int i[128]; } s;
  s.f[T] = in[T];
  __syncthreads();
  float x = s.f[127 - T];
  __syncthreads();
  s.i[T] = int(x);
  __syncthreads();
  o[T] = s.i[127 - T];
}

KERNEL(wide_load) {  // of four elements, two were written, and only they are used
  __shared__ alignas(16) float s[512];
  s[4 * T] = in[T];
  s[4 * T + 1] = in[T + 1];
  __syncthreads();
  float4 v = *(float4*)&s[4 * (127 - T)];
  o[T] = n > 1000 ? v.x + v.y + v.z + v.w : v.x + v.y;
}

// ---- what nothing wrote, and nobody uses

KERNEL(ragged_tile) {
  __shared__ float s[128];
  float x;
  if (T < n) x = in[T];
  s[T] = x * 2;
  __syncthreads();
  float y = s[127 - T] + 1;
  if (127 - T < n) o[T] = y;
}

KERNEL(ragged_select) {
  __shared__ float s[128];
  if (T < n) s[T] = in[T];
  __syncthreads();
  float y = s[127 - T];
  o[T] = 127 - T < n ? y : -1;
}

KERNEL(ragged_maximum) {
  __shared__ float s[128];
  if (T < n) s[T] = in[T];
  __syncthreads();
  float y = s[T], best = -1;
  if (T < n && y > best) best = y;
  o[T] = best;
}

KERNEL(ragged_wmma) {  // rows of A from n on hold nothing: rows of D from n on mean nothing
  __shared__ __half a[256], b[256];
  __shared__ float d[256];
  for (int i = T; i < 256; i += 32) {
    if (i / 16 < n % 16) a[i] = __float2half(in[i]);
    b[i] = __float2half(in[i]);
  }
  __syncwarp();
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> fa;
  fragment<matrix_b, 16, 16, 16, __half, row_major> fb;
  fragment<accumulator, 16, 16, 16, float> c;
  fill_fragment(c, 0.0f);
  load_matrix_sync(fa, a, 16);
  load_matrix_sync(fb, b, 16);
  mma_sync(c, fa, fb, c);
  store_matrix_sync(d, c, 16, mem_row_major);
  __syncwarp();
  for (int i = T; i < 256; i += 32)
    if (i / 16 < n % 16) o[i] = d[i];
}

KERNEL(fresh_output) {  // global memory that nothing wrote, written, then read
  o[T] = in[T];
  __syncthreads();
  o[1024 + T] = o[127 - T];
}

KERNEL(fresh_rest) {
  float4 v = ((float4*)o)[T & 31];
  __syncthreads();
  if (T < n) o[T] = in[T];
  __syncthreads();
  if (T < n) o[2048 + T] = o[T];
  if (n > 1000) o[0] = v.x;
}

KERNEL(fresh_accumulator) {
  if (T < 16) o[T] = 0;
  __syncthreads();
  atomicAdd(&o[T & 15], in[T]);
}

// ---- tensor cores and asynchronous copies

KERNEL(ldmatrix_own_tile) {
  __shared__ __half s[4][64];
  int w = T / 32, lane = T % 32;
  s[w][2 * lane] = __float2half(in[T]);
  s[w][2 * lane + 1] = __float2half(in[T + 1]);
  __syncwarp();
  unsigned r, at = unsigned(__cvta_generic_to_shared(&s[w][8 * (lane % 8)]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at) : "memory");
  o[T] = r;
}

KERNEL(wmma_tile) {
  __shared__ __half s[256];
  __shared__ float d[4][256];
  for (int i = T; i < 256; i += 128) s[i] = __float2half(in[i]);
  __syncthreads();
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> a;
  fragment<matrix_b, 16, 16, 16, __half, col_major> b;
  fragment<accumulator, 16, 16, 16, float> c;
  fill_fragment(c, 0.0f);
  for (int k = 0; k < n % 4 + 1; ++k) {
    load_matrix_sync(a, s, 16);
    load_matrix_sync(b, s, 16);
    mma_sync(c, a, b, c);
  }
  store_matrix_sync(d[T / 32], c, 16, mem_row_major);
  __syncwarp();
  for (int i = T % 32; i < 256; i += 32) o[i + 256 * (T / 32)] = d[T / 32][i];
}

#if __CUDA_ARCH__ >= 800
KERNEL(copy_then_barrier) {
  __shared__ float s[128];
  copy4(&s[T], &in[T]);
  commit();
  wait<0>();
  __syncthreads();
  o[T] = s[127 - T];
}

KERNEL(copy_own_data) {
  __shared__ float s[128];
  copy4(&s[T], &in[T]);
  asm volatile("cp.async.wait_all;" ::: "memory");
  o[T] = s[T];
}

KERNEL(copy_two_stages) {
  __shared__ float s[2][128];
  float sum = 0;
  copy4(&s[0][T], &in[T]);
  commit();
  for (int k = 0; k < n; ++k) {
    if (k + 1 < n) copy4(&s[(k + 1) & 1][T], &in[128 * (k + 1) + T]);
    commit();
    wait<1>();
    __syncthreads();
    sum += s[k & 1][127 - T];
    __syncthreads();
  }
  o[T] = sum;
}

KERNEL(copy_four_stages) {  // one barrier an iteration
  __shared__ alignas(16) float s[4][512];
  float sum = 0;
  for (int k = 0; k < 3; ++k) {
    copy16(&s[k][4 * T], &in[64 * k + 4 * T], k < n ? 16 : 0);
    commit();
  }
  for (int k = 0; k < n; ++k) {
    wait<2>();
    __syncthreads();
    sum += s[k & 3][511 - T];
    if (k + 3 < n) copy16(&s[(k + 3) & 3][4 * T], &in[64 * (k + 3) + 4 * T], 16);
    commit();
  }
  o[T] = sum;
}

KERNEL(copy_of_a_warp) {
  __shared__ float s[128];
  copy4(&s[T], &in[T]);
  commit();
  wait<0>();
  __syncwarp();
  o[T] = s[T ^ 31];
}
#endif
