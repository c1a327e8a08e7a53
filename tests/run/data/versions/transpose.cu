// A 32 x 32 tile turned round in shared memory: reading a column of it, 32 lanes meet in one bank.
extern "C" __global__ void transpose(const float* from, float* to)
{
    __shared__ float tile[32][32];
    for (int row = threadIdx.y; row < 32; row += blockDim.y)
        tile[row][threadIdx.x] = from[32 * row + threadIdx.x];
    __syncthreads();
    for (int row = threadIdx.y; row < 32; row += blockDim.y)
        to[32 * row + threadIdx.x] = tile[threadIdx.x][row];
}
