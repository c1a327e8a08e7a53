// What readers of machine code stumble over, in two small kernels; the files beside this one were compiled from it:
//   nvcc -cubin -arch=sm_75 -lineinfo -o traps_sm75.cubin traps.cu          and likewise for sm_90
//   nvcc -fatbin -gencode arch=compute_75,code=sm_75 -gencode arch=compute_90,code=sm_90 --compress-mode=none (or size)
//   traps_smNN.txt is `nvdisasm -hex -c -gi` of traps_smNN.cubin on 2026-11-21, blanks shortened: 13.5.37, 12.8.55 of sm_70
#include <cuda_fp16.h>

__constant__ float table[8] = {1, 2, 3};
__device__ int counter[3] = {7, 8, 9};

// Immediates of every width, a constant indexed by a register, an indexed branch, a call and its return.
extern "C" __global__ void traps(float* x, double* y, half2* h, int n)
{
    const int i = threadIdx.x;
    y[i] = y[i] * 2.5 + 6.755399441055744e15;
    h[i] = __hfma2(h[i], __float2half2_rn(1.5f), __floats2half2_rn(0.25f, 6e-8f));
    float v = x[i] * 1.0f / 3.0f + table[i % 8];
    switch (n) {
        case 0: v += 1; break;
        case 1: v *= x[2]; break;
        case 2: v = rsqrtf(v); break;
        case 3: v -= x[7]; break;
        case 4: v /= x[1]; break;
        case 5: v = fabsf(x[9]) - v; break;
        default: v = __int_as_float(0xff800000);
    }
    x[i] = v + counter[1];
}

// A loop with a barrier, shared and local memory.
extern "C" __global__ void __launch_bounds__(64) loops(int* x, int n)
{
    __shared__ int shared[64];
    int local[16];
    for (int i = 0; i < 16; ++i) local[i] = x[i * n];
    for (int i = 0; i < n; ++i) {
        shared[threadIdx.x] = local[(i * 7) & 15];
        __syncthreads();
        local[i & 15] += shared[(threadIdx.x + i) & 63];
        __syncthreads();
    }
    x[threadIdx.x] = local[n & 15] - (threadIdx.x < 5 ? -0x7fff : 3);
}
