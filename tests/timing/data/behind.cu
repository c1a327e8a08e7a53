// How long a load of shared memory waits behind loads, or copies, that miss L1.
//
// Each warp of a block asks for global memory N times, every sector once, then for shared memory once, and notes the
// clock before, when all has issued, when shared memory has answered, and when global memory has. behind_G_N:
//   G  1: LDG.128, four whole lines      2: LDG.128, eight half lines     3: LDG.128, sixteen quarter lines
//      4: LDG.64, four half lines        5: as 2, two of whose instructions share a line     6: as 3, four of which do
//      7: LDGSTS.128 past L1, four whole lines                            8: the same, eight half lines
//      9: as 5, of strong loads          10: as 6, of strong loads
//     11: LDGSTS.128 through L1, four whole lines                        12: the same, eight half lines
#include <cstdint>
__device__ unsigned clock_now()
{
    unsigned t;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}
template <int G, int N>
__device__ void behind(const char* from, unsigned* clocks, unsigned* sums)
{
    __shared__ __align__(128) unsigned words[1024];
    extern __shared__ __align__(128) char space[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, warps = blockDim.x / 32;
    words[threadIdx.x] = threadIdx.x;
    const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(words)) + lane * 4;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(space)) + threadIdx.x * 16;
    const char* p[N];
#pragma unroll
    for (int j = 0; j < N; ++j) {
        const int number = j * warps + warp;
        p[j] = from + (G == 1 || G == 7 || G == 11   ? number * 512 + lane * 16
                       : G == 2 || G == 8 || G == 12 ? number * 128 + lane / 4 * 16384 + lane % 4 * 16
                       : G == 3                      ? number * 128 + lane / 2 * 16384 + lane % 2 * 16
                       : G == 4                      ? number * 128 + lane / 8 * 16384 + lane % 8 * 8
                       : G == 5 || G == 9            ? number * 64 + lane / 4 * 32768 + lane % 4 * 16
                                                     : number * 32 + lane / 2 * 16384 + lane % 2 * 16);
    }
    unsigned v[N][4], w, r;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(w) : "r"(at));
    __syncthreads();
    const unsigned begin = clock_now();
#pragma unroll
    for (int j = 0; j < N; ++j) {
        v[j][0] = v[j][1] = v[j][2] = v[j][3] = 0;
        if (G == 4) asm volatile("ld.global.v2.u32 {%0, %1}, [%2];" : "=r"(v[j][0]), "=r"(v[j][1]) : "l"(p[j]));
        else if (G == 7 || G == 8)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to + j * warps * 512), "l"(p[j]));
        else if (G == 11 || G == 12)
            asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to + j * warps * 512), "l"(p[j]));
        else if (G == 9 || G == 10)
            asm volatile("ld.relaxed.gpu.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v[j][0]), "=r"(v[j][1]), "=r"(v[j][2]), "=r"(v[j][3])
                         : "l"(p[j]));
        else
            asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                         : "=r"(v[j][0]), "=r"(v[j][1]), "=r"(v[j][2]), "=r"(v[j][3])
                         : "l"(p[j]));
    }
    const unsigned issued = clock_now();
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(r) : "r"(at));
    unsigned sum = r ^ w;
    asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 77777; @p trap;}" ::"r"(sum) : "memory");
    const unsigned shared = clock_now();
#pragma unroll
    for (int j = 0; j < N; ++j) sum ^= v[j][0] ^ v[j][1] ^ v[j][2] ^ v[j][3];
    if (G == 7 || G == 8 || G >= 11) asm volatile("cp.async.wait_all;" ::: "memory");
    asm volatile("{.reg .pred p; setp.eq.u32 p, %0, 77777; @p trap;}" ::"r"(sum) : "memory");
    const unsigned end = clock_now();
    if (lane == 0) {
        clocks[4 * warp] = begin;
        clocks[4 * warp + 1] = issued;
        clocks[4 * warp + 2] = shared;
        clocks[4 * warp + 3] = end;
    }
    if (sum == 1234567) sums[threadIdx.x] = sum;
}
#define ONE(G, N)                                                                                                      \
    extern "C" __global__ void __launch_bounds__(512) behind_##G##_##N(const char* from, unsigned* clocks,            \
                                                                      unsigned* sums)                                  \
    {                                                                                                                  \
        behind<G, N>(from, clocks, sums);                                                                              \
    }
#define ALL(G) ONE(G, 2) ONE(G, 8)
ALL(1) ALL(2) ALL(3) ALL(4) ALL(5) ALL(6) ALL(7) ALL(8) ALL(9) ALL(10) ALL(11) ALL(12)
