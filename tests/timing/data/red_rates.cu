// How long RED of many SMs take: each thread adds n times to word (its number + its block's) % SPREAD, as in the
// corpus, or to word OFFSET + its lane; then it loads what it has added to.
template <int SPREAD, int OFFSET>
__device__ void rates(unsigned* hot, unsigned* out, unsigned n)
{
    const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    unsigned* at = hot + (SPREAD ? (threadIdx.x + blockIdx.x) % (SPREAD ? SPREAD : 1) : lane + OFFSET);
    const unsigned start = clock();
#pragma unroll 4
    for (unsigned j = 0; j < n; ++j) asm volatile("red.global.add.u32 [%0], %1;" ::"l"(at), "r"(1) : "memory");
    const unsigned issued = clock();
    unsigned more;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(more) : "l"(at) : "memory");
    if (more == 77777777) return;
    const unsigned loaded = clock();
    if (lane == 0) {
        out[2 * warp] = issued - start;
        out[2 * warp + 1] = loaded - start;
    }
}
#define ONE(NAME, SPREAD, OFFSET)                                                                                      \
    extern "C" __global__ void red_rates_##NAME(unsigned* hot, unsigned* out, unsigned n)                              \
    {                                                                                                                  \
        rates<SPREAD, OFFSET>(hot, out, n);                                                                            \
    }
ONE(spread_8, 8, 0) ONE(spread_32, 32, 0) ONE(spread_64, 64, 0) ONE(spread_256, 256, 0) ONE(spread_1024, 1024, 0)
ONE(at_0, 0, 0) ONE(at_1, 0, 1) ONE(at_4, 0, 4) ONE(at_8, 0, 8) ONE(at_12, 0, 12) ONE(at_20, 0, 20) ONE(at_36, 0, 36)
