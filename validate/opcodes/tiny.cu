// Results at the edge of the normal range under .FTZ: which of them become zero is decided by rounding.
extern "C" __global__ void tiny(const float* a, const float* b, const float* c, unsigned* out, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    const float x = a[i], y = b[i], z = c[i];
    const double product = double(x) * double(y);
    float r;
    asm volatile("mul.rn.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    out[i] = __float_as_uint(r);
    asm volatile("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(z));
    out[n + i] = __float_as_uint(r);
    asm volatile("fma.rn.ftz.f32 %0, %1, %2, %3;" : "=f"(r) : "f"(x), "f"(y), "f"(0.0f));
    out[2 * n + i] = __float_as_uint(r);
    asm volatile("mul.rz.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    out[3 * n + i] = __float_as_uint(r);
    asm volatile("mul.rp.ftz.f32 %0, %1, %2;" : "=f"(r) : "f"(x), "f"(y));
    out[4 * n + i] = __float_as_uint(r);
    asm volatile("cvt.rn.ftz.f32.f64 %0, %1;" : "=f"(r) : "d"(product));
    out[5 * n + i] = __float_as_uint(r);
}
