// LDGSTS through L1 of rows of `row` bytes, `stride` apart in global memory and `pitch` apart in shared memory, where they
// begin at `offset`. Each warp begins eight of them, waits until only two groups are on their way, and begins again,
// `rounds` times. `share` warps copy the same rows, each to a place of its own; behind `span` bytes all begin anew.
template <int WIDTH> __device__ __forceinline__ void copy(unsigned to, const char* from)
{
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(WIDTH) : "memory");
}
template <int WIDTH>
__device__ void fill(const char* from, unsigned* out, unsigned row, unsigned stride, unsigned pitch, unsigned offset,
                     unsigned rounds, unsigned span, unsigned share)
{
    extern __shared__ char shared[];
    const unsigned byte = threadIdx.x * WIDTH, rows = blockDim.x * WIDTH / row, step = rows / share * stride;
    unsigned to = (unsigned)__cvta_generic_to_shared(shared) + offset + byte / row * pitch + byte % row, at = 0;
    const unsigned source = (threadIdx.x / 32 / share * 32 + threadIdx.x % 32) * WIDTH;
    from += source / row * stride + source % row;
    __syncthreads();
    const unsigned start = clock();
    for (unsigned i = 0; i < rounds; ++i) {
#pragma unroll
        for (int j = 0; j < 8; ++j, at += step) copy<WIDTH>(to + j * rows * pitch, from + at);
        if (at >= span) at = 0;
        asm volatile("cp.async.commit_group;" ::: "memory");
        asm volatile("cp.async.wait_group 2;" ::: "memory");
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    const unsigned end = clock();
    if (threadIdx.x % 32 == 0) out[threadIdx.x / 16] = start, out[threadIdx.x / 16 + 1] = end;
}
#define FILL(WIDTH)                                                                                                    \
    extern "C" __global__ void row_fills_##WIDTH(const char* from, unsigned* out, unsigned row, unsigned stride,       \
                                                 unsigned pitch, unsigned offset, unsigned rounds, unsigned span,      \
                                                 unsigned share)                                                       \
    {                                                                                                                  \
        fill<WIDTH>(from, out, row, stride, pitch, offset, rounds, span, share);                                       \
    }
FILL(4) FILL(8) FILL(16)
