// Reads of rows that DRAM answers: each step P loads or copies a thread; then their sum, or a group and a wait for all but the
// last N - 1 of them; then the clock. KIND: LDG.128, LDG.128 past L1, LDG.32, LDGSTS.64, LDGSTS.128, LDGSTS.128 past L1.
// nvcc -arch=sm_90 -cubin, see test_cold_rows.py. flush, which ran before each launch, filled L2 with other lines.
template <int KIND> static __device__ __forceinline__ unsigned fetch(unsigned to, const unsigned char *p) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (KIND == 0) asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
    if (KIND == 1) asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
    if (KIND == 2) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(p));
    if (KIND == 3) asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(p));
    if (KIND == 4) asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(p));
    if (KIND == 5) asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(p));
    return a ^ b ^ c ^ d;
}
template <int KIND, int P, int N>
static __device__ __forceinline__ void rows(unsigned *times, const unsigned char *data, int steps, const int *offset, int next, int piece, int own, int block) {
    extern __shared__ __align__(128) unsigned stamps[];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const unsigned char *from = data + offset[lane] + warp * own + blockIdx.x * block;
    const unsigned room = warps * (steps + 1) * 4 + 127 & ~127u, stage = KIND > 2 ? P * blockDim.x * 16 : 0;
    const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(stamps)) + room + threadIdx.x * 16;
    unsigned *mine = stamps + warp * (steps + 1);
    unsigned at = 0, sum = 0;
    __syncthreads();
    for (int step = 0; step <= steps; ++step) {
        unsigned clock;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
        if (lane == 0) mine[step] = clock;
        if (step == steps) break;
        unsigned got[P];
#pragma unroll
        for (int p = 0; p < P; ++p) got[p] = fetch<KIND>(base + at + p * blockDim.x * 16, from + p * piece);
        if (KIND > 2) {
            asm volatile("cp.async.commit_group;");
            asm volatile("cp.async.wait_group %0;" ::"n"(N - 1));
        } else {
#pragma unroll
            for (int p = 0; p < P; ++p) asm volatile("xor.b32 %0, %0, %1;" : "+r"(sum) : "r"(got[p]));
        }
        at = at + stage == stage * N ? 0 : at + stage;
        from += next;
    }
    if (KIND > 2) asm volatile("cp.async.wait_all;");
    __syncthreads();
    unsigned *mytimes = times + blockIdx.x * (warps * (steps + 1) + 1);
    for (unsigned k = threadIdx.x; k < warps * (steps + 1); k += blockDim.x) mytimes[k] = stamps[k];
    if (threadIdx.x == 0) { unsigned sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm)); mytimes[warps * (steps + 1)] = sm; }
    if (sum == 0x12345678) times[0] = sum;
}
#define ROWS(K, P, N) extern "C" __global__ void rows_##K##_##P##_##N(unsigned *times, const unsigned char *data, int steps, const int *offset, int next, int piece, int own, int block) { rows<K, P, N>(times, data, steps, offset, next, piece, own, block); }
#define LOADS(K) ROWS(K, 1, 1) ROWS(K, 2, 1) ROWS(K, 4, 1) ROWS(K, 8, 1)
#define COPIES(K) LOADS(K) ROWS(K, 1, 2) ROWS(K, 2, 2) ROWS(K, 4, 2) ROWS(K, 8, 2) ROWS(K, 1, 4) ROWS(K, 2, 4) ROWS(K, 4, 4)
LOADS(0) LOADS(1) LOADS(2) COPIES(3) COPIES(4) COPIES(5)
extern "C" __global__ void flush(const uint4 *p, unsigned *out) {
    uint4 v; const uint4 *at = p + blockIdx.x * 128 + threadIdx.x;
    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(at));
    if (v.x) out[0] = v.y;
}
