// What every GEMM here does last: alpha * sum + beta * c, in D's own type.
//
// Where D is a float the product with beta is rounded, then the sum in one fused step; where D is f16 that happens in
// f32 and the result is rounded once more. C is always read: a beta of 0 does not hide a NaN in it.
#pragma once

#include <cuda_fp16.h>

__device__ inline float combine(float alpha, float sum, float beta, float c) { return fmaf(alpha, sum, beta * c); }

__device__ inline half combine(float alpha, half sum, float beta, half c)
{
    return __float2half(fmaf(alpha, __half2float(sum), beta * __half2float(c)));
}

__device__ inline float2 combine(float alpha, float2 sum, float beta, float2 c)
{
    return make_float2(combine(alpha, sum.x, beta, c.x), combine(alpha, sum.y, beta, c.y));
}

__device__ inline half2 combine(float alpha, half2 sum, float beta, half2 c)
{
    return __halves2half2(combine(alpha, __low2half(sum), beta, __low2half(c)),
                          combine(alpha, __high2half(sum), beta, __high2half(c)));
}

__device__ inline double combine(double alpha, double sum, double beta, double c) { return fma(alpha, sum, beta * c); }

__device__ inline int combine(int alpha, int sum, int beta, int c) { return alpha * sum + beta * c; }
