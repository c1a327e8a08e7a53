// The microbenchmark of Sun et al. (2022): ILP independent chains of one matrix instruction in each warp, timed a lap.
// nvcc -arch=sm_80 -cubin; unrolled 16 times, which of 4, 8, 16 and 32 fits the paper's rows of one warp best.
template <int ILP, bool DEEP>
__device__ void chains(float* out, int laps) {
    float d[ILP][4] = {};
#pragma unroll 16
    for (int lap = 0; lap < laps; lap++) {
#pragma unroll
        for (int j = 0; j < ILP; j++) {
            if (DEEP)
                asm volatile(
                    "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
                    : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
                    : "r"(1), "r"(2), "r"(3), "r"(4), "r"(5), "r"(6));
            else
                asm volatile(
                    "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3},{%4,%5},{%6},{%0,%1,%2,%3};"
                    : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
                    : "r"(1), "r"(2), "r"(5));
        }
        __syncwarp();
    }
    for (int j = 0; j < ILP; j++)
        for (int e = 0; e < 4; e++) out[threadIdx.x + blockDim.x * (4 * j + e)] = d[j][e];
}

#define BOTH(N)                                                                                        \
    extern "C" __global__ void m16n8k16_##N(float* out, int laps) { chains<N, true>(out, laps); }      \
    extern "C" __global__ void m16n8k8_##N(float* out, int laps) { chains<N, false>(out, laps); }
BOTH(1) BOTH(2) BOTH(3) BOTH(4) BOTH(5) BOTH(6)
