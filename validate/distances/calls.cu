typedef unsigned u; typedef unsigned long long w;
__device__ __noinline__ w mix(w a, w b) { return a / (b | 1) + a % (b | 7); }
__device__ __noinline__ float ratio(float a, float b) { return a / b + sqrtf(fabsf(b)); }
__device__ __noinline__ double dratio(double a, double b) { return a / b + sqrt(a * a + b * b); }
extern "C" __global__ void calls(u* p, float* f, double* d, w* q, u n) {
  u t = blockIdx.x * blockDim.x + threadIdx.x; u a = p[t]; float x = f[t]; double y = d[t]; w z = q[t];
  for (u i = 0; i < n; i++) {
    switch ((a + i) % 7) { case 0: a = a * 3 + i; break; case 1: a ^= a >> 5; break; case 2: z = mix(z + i, a | 1); break; case 3: x = ratio(x, (float)(a & 15) + .5f); break; case 4: y = dratio(y, x + 2.); break; case 5: a += __popc(a) / (i + 1); break; default: a -= __shfl_xor_sync(__activemask(), a, 1); }
    x = fmodf(x + i, 3.f) ; z += z % (n + 3);
  }
  p[t] = a; f[t] = x; d[t] = y; q[t] = z; }
