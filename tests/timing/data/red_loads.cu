// What a load waits for behind RED that L2 has not executed: each warp adds n times, then loads. red_loads_K_L:
//   K  1: all lanes of all blocks at one word   2: a line of all blocks   3: a line of its own each time
//      4: eight words of all blocks             5: eight words of its own each time
//   L  1: a line of its own, which L2 holds     2: a line that L1 holds   3: a line beside what all add to
template <int K, int L>
__device__ void after(char* hot, char* own, char* other, unsigned* out, unsigned n)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    char* mine = own + warp * 65536u;
    char* from = L == 3 ? hot + 128 : other + warp * 128u;
    from += lane * 4;
    unsigned value, more;
    if (L == 2) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(from) : "memory");
    if (value == 77777) return;
    const unsigned start = clock();
#pragma unroll 4
    for (unsigned j = 0; j < n; ++j) {
        char* at = K == 1   ? hot
                   : K == 2 ? hot + lane * 4
                   : K == 3 ? mine + j * 256 + lane * 4
                   : K == 4 ? hot + lane % 8 * 4
                            : mine + j * 256 + lane % 8 * 4;
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(1) : "memory");
    }
    const unsigned issued = clock();
    if (L == 2) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(more) : "l"(from) : "memory");
    else asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(more) : "l"(from) : "memory");
    if (more == 77777) return;
    const unsigned loaded = clock();
    if (lane == 0) {
        out[2 * warp] = issued - start;
        out[2 * warp + 1] = loaded - issued;
    }
}
#define ONE(K, L)                                                                                                      \
    extern "C" __global__ void red_loads_##K##_##L(char* hot, char* own, char* other, unsigned* out, unsigned n)       \
    {                                                                                                                  \
        after<K, L>(hot, own, other, out, n);                                                                          \
    }
#define ALL(K) ONE(K, 1) ONE(K, 2) ONE(K, 3)
ALL(1) ALL(2) ALL(3) ALL(4) ALL(5)
