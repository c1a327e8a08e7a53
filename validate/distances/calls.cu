// Called functions, divisions, a switch and shuffles among whatever threads are there: CALL, RET, BRX, WARPSYNC, R2UR.
typedef unsigned long long wide;

__device__ __noinline__ wide mix(wide a, wide b) { return a / (b | 1) + a % (b | 7); }

__device__ __noinline__ float ratio(float a, float b) { return a / b + sqrtf(fabsf(b)); }

__device__ __noinline__ double ratio_of_doubles(double a, double b) { return a / b + sqrt(a * a + b * b); }

extern "C" __global__ void calls(unsigned* words, float* floats, double* doubles, wide* wides, unsigned n)
{
    unsigned t = blockIdx.x * blockDim.x + threadIdx.x, a = words[t];
    float x = floats[t];
    double y = doubles[t];
    wide z = wides[t];
    for (unsigned i = 0; i < n; i++) {
        switch ((a + i) % 7) {
        case 0: a = a * 3 + i; break;
        case 1: a ^= a >> 5; break;
        case 2: z = mix(z + i, a | 1); break;
        case 3: x = ratio(x, (float)(a & 15) + .5f); break;
        case 4: y = ratio_of_doubles(y, x + 2.); break;
        case 5: a += __popc(a) / (i + 1); break;
        default: a -= __shfl_xor_sync(__activemask(), a, 1);
        }
        x = fmodf(x + i, 3.f);
        z += z % (n + 3);
    }
    words[t] = a, floats[t] = x, doubles[t] = y, wides[t] = z;
}
