// Kernels with one fault each; checks.toml says which. Each takes an array for results, one to read, and a number.
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
__device__ void commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N> __device__ void wait() { asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory"); }
#endif

// ---- races between warps

KERNEL(race_no_barrier) {
  __shared__ float s[128];
  s[T] = in[T];
  o[T] = s[127 - T];
}

KERNEL(race_no_second_barrier) {
  __shared__ float s[128];
  s[T] = in[T];
  __syncthreads();
  float x = s[127 - T];
  s[T] = 2 * x;
  __syncthreads();
  o[T] = s[T];
}

KERNEL(race_tile_loop) {  // the next tile is stored while others still read this one
  __shared__ float s[128];
  float sum = 0;
  for (int k = 0; k < n; ++k) {
    s[T] = in[128 * k + T];
    __syncthreads();
    for (int i = 0; i < 128; i += 16) sum += s[(T + i) & 127];
  }
  o[T] = sum;
}

KERNEL(race_scan) {  // Hillis and Steele with one barrier a step
  __shared__ float s[128];
  s[T] = in[T];
  __syncthreads();
  for (int d = 1; d < 128; d *= 2) {
    if (T >= d) s[T] += s[T - d];
    __syncthreads();
  }
  o[T] = s[T];
}

KERNEL(race_broadcast) {
  __shared__ float total;
  if (T == 0) total = in[0] + n;
  o[T] = in[T] * total;
}

KERNEL(race_generic) {
  __shared__ float s[128];
  float* p = n > 64 ? s : o + 2048;
  p[T] = in[T];
  o[T] = p[T ^ 32];
}

KERNEL(race_write_write) {
  __shared__ float s[32];
  s[T & 31] = in[T];
  __syncthreads();
  o[T] = s[T & 31];
}

KERNEL(race_bytes) {
  __shared__ unsigned char s[512];
  s[4 * T] = s[4 * T + 1] = s[4 * T + 2] = T;
  s[4 * T + 3] = n;
  o[T] = ((unsigned*)s)[T ^ 64];
}

KERNEL(race_histogram) {
  __shared__ int s[16];
  if (T < 16) s[T] = 0;
  __syncthreads();
  s[int(in[T]) & 15]++;
  __syncthreads();
  if (T < 16) o[T] = s[T];
}

KERNEL(race_atomic_then_read) {
  __shared__ int s;
  if (T == 0) s = 0;
  __syncthreads();
  atomicAdd(&s, int(in[T]));
  o[T] = s;
}

KERNEL(race_zero_then_atomic) {
  __shared__ int s;
  if (T == 0) s = 0;
  atomicAdd(&s, int(in[T]));
  __syncthreads();
  o[T] = s;
}

KERNEL(race_named_barrier) {  // of two warps; the third one reads too
  __shared__ float s[64];
  if (T < 64) {
    s[T] = in[T];
    asm volatile("bar.sync 1, 64;" ::: "memory");
    o[T] = s[63 - T];
  } else if (T < 96) {
    o[T] = s[T - 64];
  }
}

KERNEL(race_arrive_too_early) {
  __shared__ float s[32];
  if (T < 32) {
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    s[T] = in[T];
  } else if (T < 64) {
    asm volatile("bar.sync 1, 64;" ::: "memory");
    o[T] = s[T - 32];
  }
}

KERNEL(race_overlap) {  // two arrays in dynamic shared memory, the second one 32 floats too early
  extern __shared__ float s[];
  float *a = s, *b = s + 96;
  a[T] = in[T];
  b[T] = in[T + 128];
  __syncthreads();
  o[T] = a[127 - T] + b[127 - T];
}

KERNEL(race_ldmatrix) {  // each warp loads the tile of the next one
  __shared__ __half s[4][64];
  int w = T / 32, lane = T % 32;
  s[w][2 * lane] = __float2half(in[T]);
  s[w][2 * lane + 1] = __float2half(in[T + 1]);
  __syncwarp();
  unsigned r, at = unsigned(__cvta_generic_to_shared(&s[(w + 1) % 4][8 * (lane % 8)]));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(at) : "memory");
  o[T] = r;
}

KERNEL(race_wmma_tile) {  // the accumulator is stored over the operand that others load
  __shared__ __half s[256];
  __shared__ __half d[4][256];
  for (int i = T; i < 256; i += 128) s[i] = __float2half(in[i]);
  __syncthreads();
  using namespace nvcuda::wmma;
  fragment<matrix_a, 16, 16, 16, __half, row_major> a;
  fragment<matrix_b, 16, 16, 16, __half, row_major> b;
  fragment<accumulator, 16, 16, 16, __half> c;
  fill_fragment(c, __half(0));
  load_matrix_sync(a, s, 16);
  load_matrix_sync(b, s, 16);
  mma_sync(c, a, b, c);
  store_matrix_sync(T < 32 ? s : d[T / 32], c, 16, mem_row_major);
  __syncthreads();
  o[T] = __half2float(s[T]) + __half2float(d[T / 32][T]);
}

KERNEL(race_reused_partials) {  // two reductions one after another share their array
  __shared__ float s[4];
  float most = in[T], sum = 0;
  for (int d = 16; d; d /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffff, most, d));
  if (T % 32 == 0) s[T / 32] = most;
  __syncthreads();
  most = fmaxf(fmaxf(s[0], s[1]), fmaxf(s[2], s[3]));
  sum = in[T] - most;
  for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
  if (T % 32 == 0) s[T / 32] = sum;
  __syncthreads();
  o[T] = s[0] + s[1] + s[2] + s[3];
}

// ---- races within a warp

KERNEL(race_warp_reduction) {
  volatile __shared__ float s[64];
  s[T] = in[T];
  s[T + 32] = in[T + 32];
  s[T] += s[T + 32];
  s[T] += s[T + 16];
  s[T] += s[T + 8];
  s[T] += s[T + 4];
  s[T] += s[T + 2];
  s[T] += s[T + 1];
  if (T == 0) o[0] = s[0];
}

KERNEL(race_diverged) {
  __shared__ float s[32];
  if (T < 16) {
    s[T] = in[T] * in[T + 32];
    for (int i = 0; i < n; ++i) s[T] += in[T + i];
  } else {
    o[T] = s[T - 16] + 1;
  }
}

KERNEL(race_leader) {
  __shared__ float s[4];
  int w = T / 32;
  if (T % 32 == 0) {
    float x = 0;
#pragma unroll 1
    for (int i = 0; i < n; ++i) x += in[32 * w + i % 32];
    s[w] = x;
  }
  o[T] = s[w];
}

KERNEL(race_half_mask) {  // each half of the warp synchronises by itself, then reads the other one's
  __shared__ float s[32];
  if (T < 16) {
    s[T] = in[T] + n;
    __syncwarp(0x0000ffff);
    o[T] = s[T + 16];
  } else {
    s[T] = in[T] * n;
    __syncwarp(0xffff0000);
    o[T] = s[T - 16];
  }
}

KERNEL(race_tile_too_small) {
  __shared__ float s[32];
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  if (T % 3 != n) s[T] = in[T];
  else s[T] = in[T + 1] * 2;
  if (T < 16) tile.sync();
  else { o[64 + T] = tile.shfl(s[T], 0); tile.sync(); }
  o[T] = s[T ^ 16];
}

KERNEL(race_same_instruction) {
  __shared__ int s;
  if (T < 32) s = T * n;
  __syncthreads();
  o[T] = s;
}

#if __CUDA_ARCH__ >= 800
// ---- asynchronous copies

KERNEL(race_copy_no_wait) {
  __shared__ float s[128];
  copy4(&s[T], &in[T]);
  commit();
  __syncthreads();
  o[T] = s[127 - T];
}

KERNEL(race_copy_own_data) {
  __shared__ float s[128];
  copy4(&s[T], &in[T]);
  commit();
  o[T] = s[T];
}

KERNEL(race_copy_no_barrier) {
  __shared__ float s[128];
  copy4(&s[T], &in[T]);
  commit();
  wait<0>();
  o[T] = s[127 - T];
}

KERNEL(race_copy_wrong_group) {
  __shared__ float s[2][128];
  float sum = 0;
  copy4(&s[0][T], &in[T]);
  commit();
  for (int k = 0; k < n; ++k) {
    if (k + 1 < n) copy4(&s[(k + 1) & 1][T], &in[128 * (k + 1) + T]);
    commit();
    wait<2>();
    __syncthreads();
    sum += s[k & 1][127 - T];
    __syncthreads();
  }
  o[T] = sum;
}

KERNEL(race_copy_overwrites) {  // no barrier between reading a stage and filling it again
  __shared__ float s[2][128];
  float sum = 0;
  copy4(&s[0][T], &in[T]);
  commit();
  for (int k = 0; k < n; ++k) {
    if (k + 1 < n) copy4(&s[0][T], &in[128 * (k + 1) + T]);
    commit();
    wait<0>();
    __syncthreads();
    sum += s[0][127 - T];
  }
  o[T] = sum;
}
#endif

// ---- synchronisation

KERNEL(sync_half_warp) {
  if (T % 32 < 16) __syncthreads();
  o[T] = in[T];
}

KERNEL(sync_one_warp) {
  if (T < 32) __syncthreads();
  o[T] = in[T] + n;
}

KERNEL(sync_both_branches) {
  __shared__ float s[128];
  if (T & 1) {
    s[T] = in[T];
    __syncthreads();
    o[T] = s[T ^ 2];
  } else {
    s[T] = in[T] * 3;
    __syncthreads();
    o[T] = s[T ^ 2] + 1;
  }
}

KERNEL(sync_count) {
  int c = 0;
  if (T & 1) c = __syncthreads_count(in[T] > 3);
  o[T] = c;
}

KERNEL(sync_or_in_loop) {  // as many times as each thread likes
  int c = 0;
  for (int i = 0; i < T / 32 + n; ++i) c += __syncthreads_or(in[T] > i);
  o[T] = c;
}

KERNEL(sync_mask) {  // lanes 8 to 15 come with a mask that does not name them
  __shared__ float s[32];
  float x = in[T];
  if (T < 16) {
    s[T] = x + n;
    __syncwarp(0x000000ff);
    x = s[T ^ 1];
  } else {
    s[T] = x * n;
    __syncwarp(0xffff0000);
    x = s[T ^ 1] * 2;
  }
  o[T] = x;
}

KERNEL(sync_mask_of_half) {  // the warp is together, and half of it is not in the mask
  __shared__ float s[32];
  s[T] = in[T];
  __syncwarp(0x0000ffff);
  o[T] = s[31 - T];
}

KERNEL(sync_deadlock) {
  if (T < 32) asm volatile("bar.sync 1, 128;");
  else asm volatile("bar.sync 2, 128;");
  o[T] = in[T];
}

KERNEL(sync_bad_count) {
  if (T < 32) asm volatile("bar.sync 1, %0;" ::"r"(n) : "memory");
  o[T] = in[T];
}

KERNEL(sync_counts_differ) {
  if (T < 32) asm volatile("bar.arrive 1, 96;" ::: "memory");
  else if (T < 64) asm volatile("bar.sync 1, 64;" ::: "memory");
  o[T] = in[T];
}

// ---- values that nothing wrote

KERNEL(init_shared) {
  __shared__ float s[128];
  if (T < n) s[T] = in[T];
  __syncthreads();
  o[T] = s[127 - T] * 2 + 1;
}

KERNEL(init_shared_branch) {
  __shared__ int s[128];
  if (T < n) s[T] = in[T];
  __syncthreads();
  if (s[127 - T] > 3) o[T] = in[T];
}

KERNEL(init_shared_index) {
  __shared__ int s[128];
  if (T >= n) s[T] = T;
  __syncthreads();
  o[T] = in[s[127 - T] & 127];
}

KERNEL(init_shared_counter) {
  __shared__ int s;
  atomicAdd(&s, int(in[T]));
  __syncthreads();
  o[T] = s;
}

KERNEL(init_tail) {  // a reduction over a tile that is not full
  __shared__ float s[128];
  if (T < n) s[T] = in[T];
  __syncthreads();
  for (int d = 64; d; d /= 2) {
    if (T < d) s[T] += s[T + d];
    __syncthreads();
  }
  if (T == 0) o[0] = s[0];
}

KERNEL(init_halo) {  // one neighbour too many
  __shared__ float s[130];
  s[T + 1] = in[T];
  if (T == 0) s[0] = 0;
  __syncthreads();
  o[T] = s[T] + s[T + 1] + s[T + 2];
}

KERNEL(init_global) { o[T] = o[T] + in[T]; }

KERNEL(init_global_counter) { atomicAdd(&o[T & 7], in[T]); }

KERNEL(init_global_through_shared) {
  __shared__ float s[128];
  s[T] = o[T];
  __syncthreads();
  o[T] = s[127 - T] * n;
}

KERNEL(init_global_rest) {  // n elements are written, and one more is read
  if (T < n) o[T] = in[T];
  __syncthreads();
  if (T < n) o[1024 + T] = o[T + 1];
}
