// Loads and copies of lines of chosen sets of L1's tags: lane l's bytes begin where `table` says for a warp's instruction. tag_sets.csv
// has how many cycles 16 of each warp took on an H200, of lines that L1 held (`held` 1) or L2 (0): the median of launches behind the first
// two. Tables are drawn as in test_tag_sets.py. nvcc -arch=sm_90 -cubin.
typedef unsigned u32;
static __device__ __forceinline__ u32 now() {
  u32 c;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
  return c;
}
template <int BYTES, bool COPY> static __device__ __forceinline__ u32 get(const char *p, u32 to) {
  u32 v = 0, w = 0, x = 0, y = 0;
  if (COPY)
    asm volatile("cp.async.ca.shared.global [%0],[%1],%2;" ::"r"(to), "l"(p), "n"(BYTES) : "memory");
  else if (BYTES == 4)
    asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  else if (BYTES == 8)
    asm volatile("ld.global.v2.u32 {%0,%1},[%2];" : "=r"(v), "=r"(w) : "l"(p) : "memory");
  else
    asm volatile("ld.global.v4.u32 {%0,%1,%2,%3},[%4];" : "=r"(v), "=r"(w), "=r"(x), "=r"(y) : "l"(p) : "memory");
  return v + w + x + y;
}
template <int BYTES, bool COPY>
static __device__ __forceinline__ void body(u32 *times, const u32 *table, const char *data, int held) {
  extern __shared__ char room[];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  u32 at[16], v[16], sum = 0, to = (u32)__cvta_generic_to_shared(room) + threadIdx.x * BYTES;
#pragma unroll
  for (int i = 0; i < 16; i++) at[i] = table[(warp * 16 + i) * 32 + lane];
  if (held & 1) {
#pragma unroll
    for (int i = 0; i < 16; i++) sum += get<BYTES, COPY>(data + at[i], to);
    if (COPY) asm volatile("cp.async.wait_all;" ::: "memory");
  }
#pragma unroll
  for (int i = 0; i < 16; i++) sum += at[i];
  if (sum == 1) times[0] = sum;
  __syncthreads();
  if (held & 2) __syncthreads(); // never: it keeps the wait for what comes first before the clock
  const u32 begin = now();
#pragma unroll
  for (int i = 0; i < 16; i++) v[i] = get<BYTES, COPY>(data + at[i], to);
  if (COPY) asm volatile("cp.async.wait_all;" ::: "memory");
#pragma unroll
  for (int i = 0; i < 16; i++) sum += v[i];
  if (sum == 1) times[0] = sum;
  const u32 end = now();
  if (lane == 0) {
    times[2 * warp] = begin;
    times[2 * warp + 1] = end;
  }
}
#define KERNEL(name, bytes, copy)                                                                                                       \
  extern "C" __global__ void __launch_bounds__(1024) name(u32 *times, const u32 *table, const char *data, int held) {                   \
    body<bytes, copy>(times, table, data, held);                                                                                        \
  }
KERNEL(load_4, 4, false)
KERNEL(load_8, 8, false)
KERNEL(load_16, 16, false)
KERNEL(copy_4, 4, true)
KERNEL(copy_8, 8, true)
KERNEL(copy_16, 16, true)
