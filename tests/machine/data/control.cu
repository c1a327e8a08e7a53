// Block barriers that not every thread of a warp comes to together, blocks that wait for others, endless ones, faults.
extern "C" __global__ void half_waits(int *out) {
    if ((threadIdx.x & 31) < 16) __syncthreads();
    out[blockIdx.x * blockDim.x + threadIdx.x] = threadIdx.x + 1;
}
extern "C" __global__ void half_exits(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x + 1;
    if ((threadIdx.x & 31) >= 16) return;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x ^ 32];
}
extern "C" __global__ void both_branches(int *out) {
    __shared__ int tile[64];
    tile[threadIdx.x] = threadIdx.x + 1;
    if ((threadIdx.x & 31) < 16) {
        __syncthreads();
        out[threadIdx.x] = 2 * tile[threadIdx.x ^ 33];
    } else {
        __syncthreads();
        out[threadIdx.x] = 3 * tile[threadIdx.x ^ 33];
    }
}
extern "C" __global__ void both_names(int *out) {
    if ((threadIdx.x & 31) < 16) asm volatile("barrier.sync 1;" ::: "memory");
    else asm volatile("barrier.sync 2;" ::: "memory");
    out[threadIdx.x] = threadIdx.x + 1;
}
extern "C" __global__ void arrive(int *out) {
    __shared__ int tile[32];
    int i = threadIdx.x;
    if (i < 32) {
        tile[i] = 7 * i + 1;
        asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else if (i >= 96) {
        asm volatile("bar.sync 1, 64;" ::: "memory");
        out[i - 96] = tile[i - 96];
    }
}
extern "C" __global__ void half_arrives(int *out) {
    __shared__ int tile[32];
    int i = threadIdx.x;
    if (i < 32) {
        tile[i] = 7 * i + 1;
        if (i < 16) asm volatile("barrier.arrive 1, 64;" ::: "memory");
        else { tile[i] += 1; asm volatile("barrier.arrive 1, 64;" ::: "memory"); }
    } else {
        asm volatile("barrier.sync 1, 64;" ::: "memory");
        out[i - 32] = tile[i - 32];
    }
}
extern "C" __global__ void counted(int *out) {
    if ((threadIdx.x & 31) < 16) out[threadIdx.x] = __syncthreads_count(threadIdx.x & 1);
    else out[threadIdx.x] = 100 + __syncthreads_count(threadIdx.x & 2);
}
extern "C" __global__ void handed_on(volatile int *flag, int *out) {
    if (threadIdx.x == 0) {
        while (flag[blockIdx.x] != (int)blockIdx.x) { }
        __threadfence();
        flag[blockIdx.x + 1] = blockIdx.x + 1;
        out[blockIdx.x] = 10 * blockIdx.x;
    }
}
extern "C" __global__ void handed_back(volatile int *flag, int *out) {
    if (threadIdx.x == 0) {
        while (flag[blockIdx.x + 1] != (int)blockIdx.x + 1) { }
        __threadfence();
        flag[blockIdx.x] = blockIdx.x;
        out[blockIdx.x] = 10 * blockIdx.x;
    }
}
extern "C" __global__ void who_and_when(long long *out) {
    unsigned sm; asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    long long from = clock64();
    __syncthreads();
    if (threadIdx.x == 0) { out[2 * blockIdx.x] = sm; out[2 * blockIdx.x + 1] = from + clock64(); }
}
extern "C" __global__ void endless(int *out) {
    while (*(volatile int *)out == 0) { }
    out[1] = 1;
}
extern "C" __global__ void faults_first(int *out) {
    if (blockIdx.x == 0) out[1 << 20] = 1;
    unsigned x = threadIdx.x;
    while (x != 1u << 31) x = x * 5 % 97 + 1;
    out[1] = x;
}
extern "C" __global__ void faults_from(int *out, int first) {
    int *to = blockIdx.x >= first ? out + (1 << 20) : out;
    to[blockIdx.x * blockDim.x + threadIdx.x] = 1;
}
