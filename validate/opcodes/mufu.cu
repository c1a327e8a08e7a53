// How far each MUFU function is from the exact value rounded once, over all 2^32 arguments.
//
// out[0..3]: finite normal results 0, 1, 2, more ulp away; out[4] the most; out[5] an argument where that happens;
// out[6] results that disagree otherwise (zero, infinity, NaN, subnormal), out[7] an example.
// out[8]: the bits of the largest absolute difference for |x| <= pi (sin, cos) or of the relative one elsewhere.
extern "C" __global__ void mufu(int which, unsigned long long* out)
{
    unsigned long long counts[4] = {0, 0, 0, 0}, others = 0;
    unsigned most = 0, where = 0, other = 0, error = 0;
    const unsigned stride = gridDim.x * blockDim.x;
    unsigned x = blockIdx.x * blockDim.x + threadIdx.x;
    for (unsigned step = 0; step < 0x100000000ull / stride; ++step, x += stride) {
        const float f = __uint_as_float(x);
        const float flushed = (x & 0x7f800000) ? f : copysignf(0.0f, f);
        const double d = flushed;
        float y;
        double r;
        switch (which) {
            case 0: asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(f)); r = 1.0 / d; break;
            case 1: asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(f)); r = 1.0 / sqrt(d); break;
            case 2: asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(f)); r = exp2(d); break;
            case 3: asm("lg2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(f)); r = log2(d); break;
            case 4: asm("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(f)); r = sin(d); break;
            case 5: asm("cos.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(f)); r = cos(d); break;
            case 6: asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(f)); r = sqrt(d); break;
            default: asm("tanh.approx.f32 %0, %1;" : "=f"(y) : "f"(f)); r = tanh(d); break;
        }
        float e = (float)r;
        if (!(__float_as_uint(e) & 0x7f800000)) e = copysignf(0.0f, e);
        if (e != e) e = __uint_as_float(0x7fffffff);
        const unsigned p = __float_as_uint(y), q = __float_as_uint(e);
        const bool plain = (p & 0x7f800000) && (q & 0x7f800000) && (p & 0x7f800000) != 0x7f800000 && (q & 0x7f800000) != 0x7f800000;
        if (plain) {
            const unsigned gap = p > q ? p - q : q - p;
            ++counts[gap < 3 ? gap : 3];
            if (gap > most) most = gap, where = x;
        } else if (p != q) {
            ++others, other = x;
        }
        if (plain && (which < 4 || which > 5 || fabsf(f) <= 3.14159265f)) {
            const float off = (which == 4 || which == 5) ? fabs(y - r) : fabs((y - r) / r);
            if (__float_as_uint(off) > error) error = __float_as_uint(off);
        }
    }
    for (int k = 0; k < 4; ++k) atomicAdd(out + k, counts[k]);
    if (atomicMax(out + 4, (unsigned long long)most) < most) out[5] = where;
    atomicAdd(out + 6, others);
    if (others) out[7] = other;
    atomicMax(out + 8, (unsigned long long)error);
}
