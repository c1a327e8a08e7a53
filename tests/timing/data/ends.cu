// When an SM is done: each warp of a block stores, or adds, N times, and ends. ends_K_N:
//   K  1: STG.128, four whole lines   2: STG.128, every other half sector   3: STG, a line   4: RED, a line
//      5: RED, eight words            6: RED, a word of all blocks
template <int K, int N>
__device__ void ends(char* to)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < N; ++j) {
        char* at = to + (warp * N + j) * 1024u;
        if (K == 1) *reinterpret_cast<uint4*>(at + lane * 16) = make_uint4(j, lane, j, lane);
        if (K == 2) *reinterpret_cast<uint4*>(at + lane * 32) = make_uint4(j, lane, j, lane);
        if (K == 3) *reinterpret_cast<unsigned*>(at + lane * 4) = j;
        if (K == 4) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at + lane * 4), "r"(j + 1) : "memory");
        if (K == 5) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at + lane % 8 * 4), "r"(j + 1) : "memory");
        if (K == 6) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(to), "r"(j + 1) : "memory");
    }
}
#define ONE(K, N)                                                                                                      \
    extern "C" __global__ void __launch_bounds__(1024) ends_##K##_##N(char* to)                                       \
    {                                                                                                                  \
        ends<K, N>(to);                                                                                                \
    }
#define ALL(K) ONE(K, 1) ONE(K, 2) ONE(K, 4) ONE(K, 8)
ALL(1) ALL(2) ALL(3) ALL(4) ALL(5) ALL(6)
