// Nested divergence whose threads meet again, and a called function: sm_87 starts every kernel by clearing its barriers.
__device__ __noinline__ unsigned long long quotient(unsigned long long a, unsigned long long b) { return a / b; }

extern "C" __global__ void meets(unsigned* out, unsigned n)
{
    unsigned t = threadIdx.x, x = t;
    for (unsigned i = 0; i < n; i++) {
        if (x & 1) {
            x = 3 * x + 1;
            if (x % 5 == 0) x += __popc(x);
        } else {
            x = (unsigned)quotient(x + 1000000007ull * t, 2 + i);
        }
        __syncwarp();
        x += __shfl_xor_sync(~0u, x, 1) & 7;
    }
    out[t] = x;
}
