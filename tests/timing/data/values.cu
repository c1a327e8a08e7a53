// Kernels whose own values decide where their warps go or what they touch; nvcc -arch=sm_XX -cubin, see test_values.py.

extern "C" __global__ void bound_in_shared(int *out, const int *in, int n) {  // a loop's bound, computed by the block
    __shared__ int bound;
    if (threadIdx.x == 0) bound = 40 + (in[blockIdx.x] & 31);
    __syncthreads();
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < bound; ++i) sum = sum * 3 + in[(i * 32 + threadIdx.x) % n];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void gather(int *out, const int *in, int n) {  // addresses that pass through shared memory
    __shared__ int index[128];
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 24; ++i) {
        index[threadIdx.x] = (threadIdx.x * 7 + i * 13 + blockIdx.x) % n;
        __syncthreads();
        sum += in[index[127 - threadIdx.x]];
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void early_exit(int *out, const int *in, int n) {  // some blocks end where their data says so
    if (in[blockIdx.x] & 1) return;
    int sum = 0;
#pragma unroll 1
    for (int i = 0; i < 32; ++i) sum = sum * 5 + in[(i * 64 + threadIdx.x) % n];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void until_all(int *out, const int *in, int n) {  // a loop that a warp's shuffles end
    int left = in[(blockIdx.x * blockDim.x + threadIdx.x) % n] & 15, laps = 0;
    while (__any_sync(0xffffffff, left > 0)) {
        left = __shfl_xor_sync(0xffffffff, left, 1) - 1;
        ++laps;
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = laps;
}

extern "C" __global__ void counted(int *out, const int *in, int n) {  // a loop that atomics on shared memory end
    __shared__ int taken;
    if (threadIdx.x == 0) taken = 0;
    __syncthreads();
    int sum = 0;
    while (true) {
        int mine = atomicAdd(&taken, 1);
        if (mine >= 600) break;
        sum += in[mine % n];
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void queue_of_all(int *out, int *in, int n) {  // blocks share a queue: in[0] counts what is taken
    __shared__ int mine;
    int sum = 0;
    while (true) {
        if (threadIdx.x == 0) mine = atomicAdd(in, 1);
        __syncthreads();
        if (mine >= n) break;
        sum += mine;
        __syncthreads();
    }
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

extern "C" __global__ void flags(int *out, volatile int *in, int n) {  // each block waits for the one before it
    if (threadIdx.x == 0) {
        while (blockIdx.x > 0 && in[blockIdx.x - 1] == 0) {}
        in[blockIdx.x] = 1;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = n;
}

extern "C" __global__ void beyond(int *out, const int *in, int n) {  // an address from shared memory beyond all buffers
    __shared__ int index[128];
    index[threadIdx.x] = threadIdx.x == 5 ? 1 << 28 : threadIdx.x;
    __syncthreads();
    out[index[127 - threadIdx.x]] = n;
}

extern "C" __global__ void endless(int *out, const int *in, int n) {
    __shared__ volatile int go;
    go = n;
    while (go) {}
    out[threadIdx.x] = 1;
}
