// Code that is in no cache: straight_N has a clock every N + 1 instructions, jumps_N jumps over N instructions 31 times, and
// code_N executes N FFMA. The mean cycles from one clock to the next, of the first warp of each of the first 16 blocks,
// and sm__cycles_active.max, are in cold_code.csv (an H200 whose profiler flushes all caches before each launch; median of
// five). nvcc -arch=sm_90 -cubin; see test_cold_code.py.
constexpr int STEPS = 32;

__device__ __forceinline__ unsigned now()
{
    unsigned cycles;
    asm volatile("mov.u32 %0, %%clock;" : "=r"(cycles)::"memory");
    return cycles;
}

__device__ __forceinline__ void keep(unsigned* out, const unsigned* at, float x)
{
    const unsigned warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (threadIdx.x % 32 == 0) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) out[STEPS * warp + i] = at[i] + (x == 1.25f);
    }
}

#define STRAIGHT(N)                                                                                                    \
    extern "C" __global__ void straight_##N(unsigned* out, float x, int)                                               \
    {                                                                                                                  \
        unsigned at[STEPS];                                                                                            \
        _Pragma("unroll") for (int i = 0; i < STEPS; ++i)                                                              \
        {                                                                                                              \
            at[i] = now();                                                                                             \
            _Pragma("unroll") for (int j = 0; j < N; ++j) asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x));           \
        }                                                                                                              \
        keep(out, at, x);                                                                                              \
    }

#define JUMPS(N)                                                                                                       \
    extern "C" __global__ void jumps_##N(unsigned* out, float x, int never)                                            \
    {                                                                                                                  \
        unsigned at[STEPS];                                                                                            \
        _Pragma("unroll") for (int i = 0; i < STEPS; ++i)                                                              \
        {                                                                                                              \
            at[i] = now();                                                                                             \
            if (never) {                                                                                               \
                _Pragma("unroll") for (int j = 0; j < N; ++j) asm volatile("fma.rn.f32 %0,%0,%0,%0;" : "+f"(x));       \
            }                                                                                                          \
            _Pragma("unroll") for (int j = 0; j < 6; ++j) asm volatile("add.f32 %0,%0,%0;" : "+f"(x));                 \
        }                                                                                                              \
        keep(out, at, x);                                                                                              \
    }

#define CODE(N)                                                                                                        \
    extern "C" __global__ void code_##N(unsigned* out, float a, int)                                                   \
    {                                                                                                                  \
        float x[8], sum = 0;                                                                                           \
        _Pragma("unroll") for (int i = 0; i < 8; ++i) x[i] = a + i;                                                    \
        _Pragma("unroll") for (int j = 0; j < N; ++j) x[j % 8] = x[j % 8] * a + x[(j + 1) % 8];                        \
        _Pragma("unroll") for (int i = 0; i < 8; ++i) sum += x[i];                                                     \
        if (sum == 1.2345f) *out = sum;                                                                                \
    }

STRAIGHT(7) JUMPS(24) JUMPS(64) CODE(64) CODE(256) CODE(1024)
