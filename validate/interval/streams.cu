// Kernels of a few instructions whose time is memory's: what launches are drawn from beside GEMMs. See streams.toml.

extern "C" __global__ void add(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void copy(const float4* a, float4* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[i];
}

extern "C" __global__ void gather(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = a[4 * i];
}

extern "C" __global__ void scatter(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[2 * i] = a[i];
}

extern "C" __global__ void fill(float* c, float value, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) c[i] = value;
}

// What is read and compared decides whether anything is stored: of zeros nothing is.
extern "C" __global__ void search(const float4* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float4 found = a[i];
        if (found.x + found.y + found.z + found.w > 1.0f) c[0] = 1.0f;
    }
}

extern "C" __global__ void stencil(const float* a, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i > 0 && i + 1 < n) c[i] = 0.25f * a[i - 1] + 0.5f * a[i] + 0.25f * a[i + 1];
}

// Some elements of a thread: a short loop with a stride of all threads of the block.
extern "C" __global__ void several(const float* a, float* c, int n) {
    int first = blockIdx.x * 8 * blockDim.x + threadIdx.x;
#pragma unroll 2
    for (int k = 0; k < 8; ++k) {
        int i = first + k * blockDim.x;
        if (i < n) c[i] = 2.0f * a[i];
    }
}

// A block's sum of its elements.
extern "C" __global__ void sums(const float* a, float* c, int n) {
    __shared__ float part[1024];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? a[i] : 0.0f;
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) c[blockIdx.x] = part[0];
}

// Of a matrix whose rows are 1,024 long, in tiles of 32 x 32.
extern "C" __global__ void transpose(const float* a, float* c, int n) {
    __shared__ float tile[32][33];
    int x = blockIdx.x % 32 * 32 + threadIdx.x, y = blockIdx.x / 32 * 32 + threadIdx.y, rows = n / 1024;
    for (int j = 0; j < 32; j += 8) tile[threadIdx.y + j][threadIdx.x] = a[(y + j) * 1024 + x];
    __syncthreads();
    x = blockIdx.x / 32 * 32 + threadIdx.x;
    y = blockIdx.x % 32 * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) c[(y + j) * rows + x] = tile[threadIdx.x][threadIdx.y + j];
}
