// LDGSTS of rows: each warp copies 32 pieces of 16 bytes of rows that lie 2 KiB apart, to rows at a pitch in shared
// memory, four instructions a group and up to four groups under way; nvcc -arch=sm_90 -cubin, see test_copies.py.

extern __shared__ __align__(128) unsigned char tile[];

template <int ROW, int PITCH>
static __device__ __forceinline__ void rows(long long *cycles, const unsigned char *data, int steps) {
    constexpr unsigned lanes = ROW / 16, each = 32 / lanes;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, row = lane / lanes, byte = lane % lanes * 16;
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(tile)) + warp * 4 * each * PITCH + row * PITCH + byte;
    const unsigned char *from = data + warp * 65536 + row * 2048 + byte;
    __syncthreads();
    const long long start = clock64();
    for (int step = 0; step < steps; ++step) {
#pragma unroll
        for (unsigned k = 0; k < 4; ++k)
            asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;" ::"r"(to + k * each * PITCH),
                         "l"(from + (step * ROW & 1023) + k * each * 2048));
        asm volatile("cp.async.commit_group;");
        asm volatile("cp.async.wait_group 3;");
    }
    asm volatile("cp.async.wait_all;");
    __syncthreads();
    if (threadIdx.x == 0) cycles[blockIdx.x] = clock64() - start;
}

#define ROWS(ROW, PITCH)                                                                                   \
    extern "C" __global__ void rows_##ROW##_##PITCH(long long *cycles, const unsigned char *data, int steps) { \
        rows<ROW, PITCH>(cycles, data, steps);                                                              \
    }
ROWS(16, 16)
ROWS(32, 32)
ROWS(32, 48)
ROWS(64, 64)
ROWS(64, 80)
ROWS(64, 128)
ROWS(128, 128)
ROWS(128, 144)
ROWS(256, 256)
