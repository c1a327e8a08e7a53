// Copies of a block's warps into a ring of stages: each step P LDGSTS a thread of W bytes, a group, a wait for all but the last
// N - 1 groups, the clock; nvcc -arch=sm_90 -cubin, see test_ring_fills.py.
template <int W> static __device__ __forceinline__ void copy(unsigned to, const unsigned char *from) {
    if (W == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from));
    if (W == 8) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(from));
    if (W == 16) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(from));
}
template <int W, int P, int N>
static __device__ __forceinline__ void ring(unsigned *times, const unsigned char *data, int steps, const int *offset, const int *to, int next, int piece, int own, int to_piece, int to_own, int stage) {
    extern __shared__ __align__(128) unsigned stamps[];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned char *from = data + offset[lane] + warp * own;
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(stamps)) + to[lane] + warp * to_own;
    unsigned *mine = stamps + stage * N / 4 + warp * (steps + 1);
    unsigned at = 0;
    __syncthreads();
    for (int step = 0; step <= steps; ++step) {
        unsigned clock;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
        if (lane == 0) mine[step] = clock;
        if (step == steps) break;
#pragma unroll
        for (int p = 0; p < P; ++p) copy<W>(base + at + p * to_piece, from + p * piece);
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group %0;" ::"n"(N - 1));
        at = at + stage == stage * N ? 0 : at + stage;
        from += next;
    }
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    for (unsigned k = threadIdx.x; k < blockDim.x / 32 * (steps + 1); k += blockDim.x) times[k] = stamps[stage * N / 4 + k];
}
#define RING(W, P, N) extern "C" __global__ void ring_##W##_##P##_##N(unsigned *times, const unsigned char *data, int steps, const int *offset, const int *to, int next, int piece, int own, int to_piece, int to_own, int stage) { ring<W, P, N>(times, data, steps, offset, to, next, piece, own, to_piece, to_own, stage); }
#define RINGS(W) RING(W, 1, 1) RING(W, 1, 2) RING(W, 1, 4) RING(W, 2, 1) RING(W, 2, 2) RING(W, 2, 4) RING(W, 4, 1) RING(W, 4, 2) RING(W, 4, 4)
RINGS(4) RINGS(8) RINGS(16)
