// When an SM is done that adds n times to a line of all, and then stores. red_ends_K:
//   K  0: nothing   1: a line of its own   2: the line beside the one that all add to, which is of the same slice
//      3: eight lines of its own, in eight pages
template <int K>
__device__ void ends(char* hot, char* other, unsigned n)
{
    const unsigned lane = threadIdx.x % 32, warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
#pragma unroll 4
    for (unsigned j = 0; j < n; ++j)
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(hot + lane * 4), "r"(1) : "memory");
    if (K == 1) asm volatile("st.global.u32 [%0], %1;" ::"l"(other + warp * 128u + lane * 4), "r"(n) : "memory");
    if (K == 2) asm volatile("st.global.u32 [%0], %1;" ::"l"(hot + 128 + lane * 4), "r"(n) : "memory");
    if (K == 3)
#pragma unroll
        for (unsigned j = 0; j < 8; ++j)
            asm volatile("st.global.u32 [%0], %1;" ::"l"(other + warp * 128u + j * 262144u + lane * 4), "r"(n)
                         : "memory");
}
#define ONE(K) extern "C" __global__ void red_ends_##K(char* hot, char* other, unsigned n) { ends<K>(hot, other, n); }
ONE(0) ONE(1) ONE(2) ONE(3)
