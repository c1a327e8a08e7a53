// Loads of a warp that walk along rows: each step `P` loads a thread of W bytes, then their sum, then the clock; nvcc -arch=sm_90
// -cubin. What ran on the chips had the lanes' offsets computed; here, and in walks.sass, they are read. See test_walks.py.
template <int W> struct value;
template <> struct value<4> { unsigned a; };
template <> struct value<8> { unsigned a, b; };
template <> struct value<16> { unsigned a, b, c, d; };
template <int W> static __device__ __forceinline__ unsigned fetch(const unsigned char *p) {
    unsigned a, b = 0, c = 0, d = 0;
    if (W == 4) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(p));
    if (W == 8) asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(p));
    if (W == 16) asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(p));
    return a ^ b ^ c ^ d;
}
template <int W, int P>
static __device__ __forceinline__ void walk(unsigned *times, const unsigned char *data, int steps, const int *offset, int next, int piece, int own) {
    extern __shared__ unsigned stamps[];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned char *from = data + offset[lane] + warp * own;
    unsigned sum = 0;
    __syncthreads();
    for (int step = 0; step <= steps; ++step) {
        unsigned clock;
        asm volatile("mov.u32 %0, %%clock;" : "=r"(clock));
        if (lane == 0) stamps[warp * (steps + 1) + step] = clock;
        if (step == steps) break;
        unsigned got[P];
#pragma unroll
        for (int p = 0; p < P; ++p) got[p] = fetch<W>(from + p * piece);
#pragma unroll
        for (int p = 0; p < P; ++p) asm volatile("xor.b32 %0, %0, %1;" : "+r"(sum) : "r"(got[p]));
        from += next;
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < blockDim.x / 32 * (steps + 1); k += blockDim.x) times[k] = stamps[k];
    if (sum == 0x12345678) times[0] = sum;
}
#define WALK(W, P) extern "C" __global__ void walk_##W##_##P(unsigned *times, const unsigned char *data, int steps, const int *offset, int next, int piece, int own) { walk<W, P>(times, data, steps, offset, next, piece, own); }
WALK(4, 1) WALK(4, 2) WALK(4, 4) WALK(8, 1) WALK(8, 2) WALK(8, 4) WALK(16, 1) WALK(16, 2) WALK(16, 4)
