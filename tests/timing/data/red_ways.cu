// Which loads wait for RED of their own SM: warp 0 of the first `adders` blocks adds n times to one line; after some
// cycles warp W loads a line. red_ways has blocks of one warp, and a strong load (red_ways.csv). red_ways_V_W
// (red_ways_kinds.csv): V 1: a strong load, 2: a weak one, 3: LDG.CONSTANT, 4: LDGSTS past L1.
template <int V, int W>
__device__ void load(char* hot, char* other, unsigned* out, unsigned n, unsigned adders, unsigned first, unsigned wait)
{
    __shared__ __align__(16) char room[512];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned begun = clock();
    if (blockIdx.x < adders && warp == 0)
        for (unsigned j = 0; j < n; ++j)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(hot + lane * 4), "r"(1) : "memory");
    if (warp != W) return;
    while (clock() - begun < wait) {}
    const unsigned start = clock();
    unsigned more = 0;
    const char* at = other + (first + blockIdx.x) * 128u;
    if (V == 1) asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(more) : "l"(at + lane * 4) : "memory");
    if (V == 2) asm volatile("ld.global.u32 %0, [%1];" : "=r"(more) : "l"(at + lane * 4) : "memory");
    if (V == 3) asm volatile("ld.global.nc.u32 %0, [%1];" : "=r"(more) : "l"(at + lane * 4) : "memory");
    if (V == 4) {
        const unsigned to = (unsigned)__cvta_generic_to_shared(room + lane % 8 * 16);
        if (lane < 8)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(at + lane % 8 * 16) : "memory");
        asm volatile("cp.async.wait_all;" ::: "memory");
        more = *(volatile unsigned*)(room + lane * 4);
    }
    if (more == 77777) return;
    const unsigned loaded = clock();
    if (lane == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        out[2 * blockIdx.x] = loaded - start;
        out[2 * blockIdx.x + 1] = sm;
    }
}
#define ONE(V, W)                                                                                                      \
    extern "C" __global__ void red_ways_##V##_##W(                                                                     \
        char* hot, char* other, unsigned* out, unsigned n, unsigned adders, unsigned first, unsigned wait)             \
    {                                                                                                                  \
        load<V, W>(hot, other, out, n, adders, first, wait);                                                           \
    }
ONE(1, 0) ONE(2, 0) ONE(3, 0) ONE(4, 0) ONE(1, 1) ONE(2, 1) ONE(4, 1)
extern "C" __global__ void red_ways(
    char* hot, char* other, unsigned* out, unsigned n, unsigned adders, unsigned first, unsigned wait)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned begun = clock();
    if (blockIdx.x < adders)
        for (unsigned j = 0; j < n; ++j)
            asm volatile("red.global.add.u32 [%0], %1;" ::"l"(hot + lane * 4), "r"(1) : "memory");
    while (clock() - begun < wait) {}
    const unsigned start = clock();
    unsigned more;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(more)
                 : "l"(other + (first + blockIdx.x) * 128u + lane * 4) : "memory");
    if (more == 77777) return;
    const unsigned loaded = clock();
    if (lane == 0) {
        unsigned sm;
        asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
        out[2 * blockIdx.x] = loaded - start;
        out[2 * blockIdx.x + 1] = sm;
    }
}
