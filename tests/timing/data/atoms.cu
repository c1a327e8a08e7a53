// Atomics in a loop, alone or beside what each warp copies or loads: atoms_OP_COPY. OP 0 is RED.ADD, 1 ATOMG.MAX and 2 ATOMG.ADD
// whose result is read at once, 3 four ATOMG.MAX whose results are read together. COPY 0 is none, 1 LDGSTS past L1 and 2
// through L1, into two stages, one of which is under way; 3 LDG past L1 and STS. Of these each warp brings 512 bytes of its own a
// round, and the block meets at a barrier. Thread t of block b goes to word (t + b) % spread; of one word, a lane of each warp.
// atoms.csv has 2,040 launches of eight rounds on an H200 at 1980 MHz, L2 warm: `mean` and `worst` are the cycles of the warps
// from the first barrier on (the median of three launches), active_cycles and nanoseconds are from Nsight Compute, one pass.
// `far` says whether the words hang on the other half of L2 than the first block's SM is near, which was asked before;
// from 20 blocks on they are near that. nvcc -arch=sm_90 -cubin; see test_atoms.py.

static __device__ __forceinline__ unsigned now() {
  unsigned cycles;
  asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
  return cycles;
}
template <int COPY> static __device__ __forceinline__ void copy(unsigned to, const unsigned char *from) {
  if (COPY == 1) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
  if (COPY == 2) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from) : "memory");
}
template <int OP, int COPY>
static __device__ __forceinline__ void rounds(unsigned *out, unsigned char *words, const unsigned char *data, int count, int spread) {
  extern __shared__ unsigned char ring[];
  const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned *const word = (unsigned *)(words + (threadIdx.x + blockIdx.x) % (unsigned)spread * 4);
  const unsigned char *from = data + ((size_t)(blockIdx.x * warps + warp) * count) * 512 + lane * 16;
  const unsigned to = (unsigned)__cvta_generic_to_shared(ring) + warp * 512 + lane * 16, stage = warps * 512;
  unsigned folded = 0;
  __syncthreads();
  const unsigned start = now();
  if (COPY == 1 || COPY == 2) {
    copy<COPY>(to, from);
    asm volatile("cp.async.commit_group;" ::: "memory");
  }
#pragma unroll 1
  for (int i = 0; i < count; ++i) {
    if (COPY == 1 || COPY == 2) {
      if (i + 1 < count) copy<COPY>(to + ((i + 1) & 1) * stage, from + (i + 1) * 512);
      asm volatile("cp.async.commit_group;" ::: "memory");
      asm volatile("cp.async.wait_group 1;" ::: "memory");
      __syncthreads();
    }
    if (COPY == 3) {
      *(uint4 *)(ring + (i & 1) * stage + warp * 512 + lane * 16) = __ldcg((const uint4 *)(from + i * 512));
      __syncthreads();
    }
    if (spread == 1 && lane) continue;
    if (OP == 0) atomicAdd(word, 1u);
    if (OP == 1) folded += atomicMax(word, 7u) >> 31;
    if (OP == 2) folded += atomicAdd(word, 1u) >> 31;
    if (OP == 3) {
      unsigned was[4];
      for (int k = 0; k < 4; ++k) asm volatile("atom.global.max.u32 %0, [%1], 7;" : "=r"(was[k]) : "l"(word) : "memory");
      for (int k = 0; k < 4; ++k) folded += was[k] >> 31;
    }
  }
  const unsigned end = now();
  if (lane == 0) {
    unsigned sm, *own = out + (blockIdx.x * warps + warp) * 4;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    own[0] = start;
    own[1] = end;
    own[2] = sm;
    own[3] = folded;
  }
}
#define ROUNDS(op, copy)                                                                                                      \
  extern "C" __global__ void atoms_##op##_##copy(unsigned *out, unsigned char *words, const unsigned char *data, int count, int spread) { \
    rounds<op, copy>(out, words, data, count, spread);                                                                        \
  }
ROUNDS(0, 0) ROUNDS(1, 0) ROUNDS(2, 0) ROUNDS(3, 0) ROUNDS(0, 1) ROUNDS(1, 1) ROUNDS(0, 2) ROUNDS(1, 2) ROUNDS(0, 3) ROUNDS(1, 3)
