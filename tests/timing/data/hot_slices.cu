// Warps of all SMs read the same lines past L1, 64 each, eight at a time: hot_0 by LDG, 4 bytes a lane, hot_2 by LDGSTS of
// eight lanes. hot_slices.csv has the clocks of an SM, the mean of 132 in the second launch, and the sectors that
// `lts__t_sectors_op_read` counts, by set of lines: slice_16 are 16 lines of one slice, slices2_128 of two, near_320 of all
// that hang on one half of L2 (found as in slice_lines.cu), row_512 those of 64 KiB. They lie in an array of 8 GiB that a
// fresh process allocates first; a set's lines are in its first row. nvcc -arch=sm_90 -O2 -cubin; see test_slices.py.
template <int KIND> __device__ __forceinline__ unsigned one(const char *p, unsigned lane, char *room) {
  unsigned v = 0;
  if (KIND == 0) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(v) : "l"(p + lane * 4) : "memory");
  if (KIND == 2) { if (lane < 8) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((unsigned)__cvta_generic_to_shared(room + lane * 16)), "l"(p + lane * 16) : "memory"); }
  return v;
}

template <int KIND> __device__ __forceinline__ void body(const char *base, const int *offs, int L, int n, int rot, const int *take, unsigned *out) {
  __shared__ __align__(16) char rooms[32][128];
  __shared__ int at[512];
  unsigned sm; asm("mov.u32 %0, %%smid;" : "=r"(sm));
  const unsigned lane = threadIdx.x % 32, w = threadIdx.x / 32, W = blockDim.x / 32;
  if (!take[sm]) return;
  for (int i = threadIdx.x; i < L; i += blockDim.x) at[i] = offs[i];
  __syncthreads();
  unsigned start = clock(), sum = 0; unsigned k = (w + rot * sm) % L;
  for (int i = 0; i < n; i += 8) {
    const char *p[8];
#pragma unroll
    for (int j = 0; j < 8; j++) { p[j] = base + at[k]; k += W; while (k >= L) k -= L; }
    unsigned v[8];
#pragma unroll
    for (int j = 0; j < 8; j++) v[j] = one<KIND>(p[j], lane, rooms[w]);
    if (KIND == 2) asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll
    for (int j = 0; j < 8; j++) sum += v[j];
  }
  __syncthreads();
  if (sum == 77777) out[200] = 1;
  if (threadIdx.x == 0) out[sm] = clock() - start;
}
#define HOT(K) extern "C" __global__ void hot_##K(const char *base, const int *offs, int L, int n, int rot, const int *take, unsigned *out) { body<K>(base, offs, L, n, rot, take, out); }
HOT(0) HOT(2)
