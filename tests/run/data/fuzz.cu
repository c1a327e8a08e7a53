// Small kernels with what control flow has: divergence, loops, block barriers, shuffles, atomics, asynchronous copies.
extern "C" __global__ void mixed(int *out, const int *in, int n) {
    __shared__ int tile[64];
    int i = threadIdx.x, x = in[i & 63] + n;
    tile[i & 63] = x;
    __syncthreads();
    if (i & 1) {
        for (int k = 0; k < (n & 7) + 2; k++) x += tile[(i + k) & 63];
    } else {
        x = __shfl_xor_sync(0xffffffff & 0x55555555, x, 2);
    }
    __syncwarp();
    asm volatile("barrier.arrive 1, 64;" ::: "memory");
    if (i < 32) asm volatile("barrier.sync 2, 32;" ::: "memory");
    atomicAdd(out + 63, x & 3);
    out[i & 31] = x + __syncthreads_count(x & 1);
}
#if __CUDA_ARCH__ >= 800
#include <cuda_pipeline.h>
extern "C" __global__ void copied(float *out, const float *in) {
    __shared__ float tile[2][128];
    for (int k = 0; k < 2; k++) {
        __pipeline_memcpy_async(&tile[k][4 * (threadIdx.x & 31)], in + 4 * (threadIdx.x & 31), 16);
        __pipeline_commit();
    }
    __pipeline_wait_prior(1);
    __syncthreads();
    out[threadIdx.x & 63] = tile[0][threadIdx.x & 127];
    __pipeline_wait_prior(0);
    __syncthreads();
    out[64 + (threadIdx.x & 63)] = tile[1][threadIdx.x & 127];
}
#endif
