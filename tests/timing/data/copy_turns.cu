// LDGSTS through L1 of lines that it holds, one behind the other, 32 or 64 of a warp: WIDTH bytes a lane, rows of `row` bytes
// `stride` apart from `offset` on, to places `pitch` apart. Of the 16 warps of a block those copy whose bits are in `active`, each
// from `apart` bytes further on. copy_turns.csv has the cycles of the second of two rounds, from the first warp's beginning to the
// last one's end, the last of three launches of one block on an H200 at 1980 MHz. nvcc -arch=sm_90 -cubin; see
// test_copy_turns.py.
static __device__ __forceinline__ unsigned now() {
  unsigned cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}
static __device__ __forceinline__ unsigned lane() {
  unsigned lane;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
template <int WIDTH> __device__ __forceinline__ void copy(unsigned to, const char* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(WIDTH) : "memory");
}
template <int WIDTH, int N>
static __device__ __forceinline__ void go(const char *data, unsigned *out, int row, int stride, int pitch, int offset, unsigned bits, int apart) {
  extern __shared__ uint4 shared[];
  const unsigned byte = threadIdx.x % 32 * WIDTH, warp = threadIdx.x >> 5;
  const int rows = 32 * WIDTH / row, along = rows * pitch, step = rows * stride;
  unsigned active;
  asm volatile("and.b32 %0, %1, 0xffff;" : "=r"(active) : "r"(bits | lane() << 16));
  const unsigned nth = __popc(active & ((1u << warp) - 1));
  const unsigned to = (unsigned)__cvta_generic_to_shared(shared) + nth * 8 * along + byte / row * pitch + byte % row;
  const char *from = data + nth * apart + offset + byte / row * stride + byte % row;
  unsigned start = 0, end = 0, rounds;
  asm volatile("mov.u32 %0, 2;" : "=r"(rounds));
  if (!(active >> warp & 1)) return;
  for (unsigned time = 0; time < rounds; ++time) {
    asm volatile("bar.sync 1, %0;" ::"r"(32 * __popc(active)) : "memory");
    start = now();
#pragma unroll
    for (int j = 0; j < N; ++j) copy<WIDTH>(to + j % 8 * along, from + j % 2 * step);
    asm volatile("cp.async.wait_all;" ::: "memory");
    end = now();
  }
  if (threadIdx.x % 32 == 0) out[2 * nth] = start, out[2 * nth + 1] = end;
}
#define ONE(W, N)                                                                                                         \
  extern "C" __global__ void turns_##W##_##N(const char *d, unsigned *c, int row, int stride, int pitch, int offset,        \
                                             unsigned active, int apart) {                                                 \
    go<W, N>(d, c, row, stride, pitch, offset, active, apart);                                                             \
  }
ONE(4, 32) ONE(4, 64) ONE(8, 32) ONE(8, 64) ONE(16, 32) ONE(16, 64)
