// Loads of what L1 holds: lane l's words are of the line `table` says for row l / lanes of a load. tag_banks.csv has how many cycles 16
// loads of each warp took, on an H200 beside no shared memory: the median of eight launches, but for the first two. Rows are drawn as in
// test_tag_banks.py. nvcc -arch=sm_90 -cubin.
static __device__ __forceinline__ unsigned now() {
  unsigned c;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(c)::"memory");
  return c;
}
static __device__ __forceinline__ unsigned load(const char *p) {
  unsigned v;
  asm volatile("ld.global.u32 %0,[%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
extern "C" __global__ void __launch_bounds__(1024) held(unsigned *times, const unsigned *table, const char *data, int lanes) {
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  unsigned at[16], v[16], sum = 0;
#pragma unroll
  for (int i = 0; i < 16; i++) at[i] = table[(warp * 16 + i) * 32 + lane / lanes] * 128 + lane * 4;
#pragma unroll
  for (int i = 0; i < 16; i++) sum += load(data + at[i]);
  if (sum == 1) times[0] = sum;
  __syncthreads();
  const unsigned begin = now();
#pragma unroll
  for (int i = 0; i < 16; i++) v[i] = load(data + at[i]);
#pragma unroll
  for (int i = 0; i < 16; i++) sum += v[i];
  if (sum == 1) times[0] = sum;
  const unsigned end = now();
  if (lane == 0) {
    times[2 * warp] = begin;
    times[2 * warp + 1] = end;
  }
}
